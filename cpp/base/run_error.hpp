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

/// The inputs of a neuron in one step add up to more than a sum can hold.
struct InputOverflow : Error {
  /// @param time [ms] of the end of the step
  InputOverflow(std::string model, std::int64_t gid, int receptor, double time);
  std::string model;
  std::int64_t gid;
  int receptor;
  double time;
};

/// A plastic weight has grown so fast or so far that sums of inputs cannot hold it with their other weights.
struct WeightOutgrown : Error {  // source and target 0: some synapse of the model has transmitted much more than its weight
  /// @param weight in the unit of weights @param time [ms]
  WeightOutgrown(std::string synapse, std::int64_t source, std::int64_t target, double weight, double time);
  std::string synapse;
  std::int64_t source, target;
  double weight, time;
};

/// Message of any exception.
std::string text_of(const std::exception_ptr& error);

}  // namespace npl
