// SPDX-License-Identifier: Apache-2.0
/// Placeholder that gives a recorder of neuropil.nest a gid and a window: in NEST recorders are nodes. It sends nothing and receives
/// nothing.
#include "devices/device.hpp"

NPL_DEVICE(recorder, {"recorder",
                      "A node without effect; it gives a recorder of neuropil.nest a gid and a window.",
                      Effect::spikes,
                      {NPL_WINDOW_FIELDS},
                      {},
                      [](const Device&, const Setting&) {},
                      nullptr,
                      nullptr})
