// SPDX-License-Identifier: Apache-2.0
/// Errors that end a run. Nothing in the loop throws them: they are noted, and raised once all threads and ranks have ended the run.
#pragma once
#include <cstdint>
#include <exception>
#include <string>

#include "base/error.hpp"

namespace npl {

/// The state of a neuron is not finite or has left all sane values: parameters, weights or the resolution make its equations unstable.
struct NumericalInstability : Error {
  /// @param value in the unit of the state variable @param time [ms] at which it was seen
  NumericalInstability(std::string model, std::int64_t gid, std::string state, double value, double time);
  std::string model;
  std::int64_t gid;
  std::string state;
  double value, time;
};

/// Message of any exception.
std::string text_of(const std::exception_ptr& error);

}  // namespace npl
