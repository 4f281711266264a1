// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The kernel of neuropil; use the package neuropil.";
  npl::bindings::bind_errors(m);
  npl::bindings::bind_comm(m);
  npl::bindings::bind_info(m);
  npl::bindings::bind_kernel(m);
  npl::bindings::bind_text(m);
  npl::bindings::bind_circuit(m);
  npl::bindings::bind_reference(m);
  npl::bindings::bind_space(m);
}
