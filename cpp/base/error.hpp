// SPDX-License-Identifier: Apache-2.0
/// Errors a user can cause. Each carries its data; the bindings turn them into Python exceptions of the same names.
/// They are raised at the door (law 6), before anything has changed; kernel loops never throw.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace npl {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A value outside what is allowed. Message: "<parameter> = <value>: must be <allowed>".
struct BadParameter : Error {
  BadParameter(std::string parameter, std::string value, std::string allowed);
  BadParameter(std::string parameter, double value, std::string allowed);
  std::string parameter, value, allowed;
};

/// A delay below the resolution or too large.
struct BadDelay : BadParameter {
  using BadParameter::BadParameter;
};

/// A name that does not exist; the message lists the nearest ones.
struct UnknownName : Error {
  UnknownName(std::string kind, std::string name, const std::vector<std::string>& known);
  std::string kind, name;
  std::vector<std::string> near;
};

/// An array whose length does not fit. Message names the array, its length and the length wanted.
struct BadLength : Error {
  BadLength(std::string parameter, std::size_t length, std::size_t wanted);
  std::string parameter;
  std::size_t length, wanted;
};

/// The request needs more memory than there is; carries the estimate.
struct TooLarge : Error {
  TooLarge(std::string what, double bytes_needed, double bytes_available);
  double bytes_needed, bytes_available;
};

/// Two nodes that cannot be connected this way.
struct IllegalConnection : Error {
  using Error::Error;
};

/// A message from another rank that cannot be what that rank was to send. What it says is not followed.
struct BadMessage : Error {
  using Error::Error;
};

/// The names nearest to `name` by edit distance, best first, at most three.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known);

}  // namespace npl
