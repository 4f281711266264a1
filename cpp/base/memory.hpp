// SPDX-License-Identifier: Apache-2.0
/// Memory that is left on this machine.
#pragma once
#include <string>

namespace npl {

/// Bytes a process may still take: available memory of the machine, or less where the control group of this process (version 2) has a
/// limit. Pages that only cache files count as available: the system drops them first. Reads small files, about 50 us. 1e18 where nothing
/// is known.
double available_memory();

/// The same for other roots of /proc and /sys/fs/cgroup, for tests.
double available_memory(const std::string& proc, const std::string& cgroup);

/// "3.10 GB", "12.0 MB".
std::string size_text(double bytes);

}  // namespace npl
