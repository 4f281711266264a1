// SPDX-License-Identifier: Apache-2.0
/// Checks of array parameters of devices, and values that change at given times.
#pragma once
#include <string>
#include <vector>

#include "devices/device.hpp"

namespace npl::devices {

/// Times [ms] must be finite, > 0, multiples of the resolution and ascending (`strictly`: no two equal). Throws BadParameter naming the
/// entry.
void check_times(const Device& d, const std::string& name, const std::vector<double>& times, bool strictly);
/// The same for off-grid times, which may be equal.
void check_any_times(const std::string& name, const std::vector<double>& times);
/// Value at the end of step `sent` of a piecewise constant function: vectors[1][k] holds from time vectors[0][k] on, and 0 before the
/// first. Where a later setting names times that are already past, those entries are ignored and the value before goes on.
double value_at(const Device& d, Step sent);
/// What times may be, for the text of an error: "a multiple of the resolution (0.1 ms)".
std::string multiple_of_resolution(const Device& d);
/// Throws BadLength naming the array.
void check_same_length(const std::string& name, std::size_t length, std::size_t wanted);

}  // namespace npl::devices
