// SPDX-License-Identifier: Apache-2.0
/// Checks of arrays of times.
#pragma once
#include <string>
#include <vector>

#include "devices/device.hpp"

namespace npl::devices {

/// Times in ms must be finite, > 0, on the grid of the resolution and ascending (strictly or not); throws BadParameter naming the entry.
void check_times(const Device& d, const std::string& name, const std::vector<double>& times, bool strictly);
/// The same without a grid.
void check_any_times(const std::string& name, const std::vector<double>& times);
/// Of values (vectors[1]) that hold from times (vectors[0]) on: the one at the stamp of a step, 0 before the first. Entries that a setting names too late
/// never act, the old value goes on.
double value_at(const Device& d, Step sent);
void check_same_length(const std::string& name, std::size_t length, std::size_t wanted);

}  // namespace npl::devices
