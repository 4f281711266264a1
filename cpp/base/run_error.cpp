// SPDX-License-Identifier: Apache-2.0
#include "base/run_error.hpp"

#include <cstdio>
#include <new>

namespace npl {
namespace {

std::string instability_text(const std::string& model, std::int64_t gid, const std::string& state, double value, double time) {
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, " = %.6g at %.10g ms", value, time);
  return "neuron " + std::to_string(gid) + " (" + model + ") is numerically unstable: " + state + numbers +
         "; use a smaller resolution, or check its parameters and input weights";
}

std::string overflow_text(const std::string& model, std::int64_t gid, int receptor, double time) {
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, " at %.10g ms", time);
  return "inputs of neuron " + std::to_string(gid) + " (" + model + ") to receptor " + std::to_string(receptor) + " overflow" + numbers +
         ": more than 500000 times the largest weight of the receptor arrives in one step; use fewer or weaker inputs, or spread them over "
         "several steps";
}

std::string growth_text(const std::string& synapse, std::int64_t source, std::int64_t target, double weight, double time) {
  char numbers[80];
  if (source == 0) {
    std::snprintf(numbers, sizeof numbers, " has transmitted more at %.10g ms", time);
    return "a synapse of " + synapse + numbers +
           " than sums of inputs can hold, which are scaled for the weights: give the model bounds that hold for what it transmits, too";
  }
  std::snprintf(numbers, sizeof numbers, " has grown to %.6g at %.10g ms", weight, time);
  return "weight of the " + synapse + " from " + std::to_string(source) + " to " + std::to_string(target) + numbers +
         ", too large beside the other weights of the receptor: give its model a bound (Wmax) or a smaller learning rate";
}

}  // namespace

NumericalInstability::NumericalInstability(std::string m, std::int64_t g, std::string s, double v, double t)
    : Error(instability_text(m, g, s, v, t)), model(std::move(m)), gid(g), state(std::move(s)), value(v), time(t) {}

InputOverflow::InputOverflow(std::string m, std::int64_t g, int r, double t)
    : Error(overflow_text(m, g, r, t)), model(std::move(m)), gid(g), receptor(r), time(t) {}

WeightOutgrown::WeightOutgrown(std::string name, std::int64_t from, std::int64_t to, double w, double t)
    : Error(growth_text(name, from, to, w, t)), synapse(std::move(name)), source(from), target(to), weight(w), time(t) {}

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace npl
