// SPDX-License-Identifier: Apache-2.0
/// Errors that a user can cause. Each carries its data; the bindings turn them into Python exceptions of the same names.
/// They are thrown while arguments are checked (law 6), before anything has changed; loops of the kernel never throw.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace npl {

/// Base of all errors of neuropil.
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

/// A name that does not exist; `kind` says of what ("model", "rule", ...). The message lists the nearest existing names.
struct UnknownName : Error {
  UnknownName(std::string kind, std::string name, const std::vector<std::string>& known);
  std::string kind, name;
  std::vector<std::string> near;
};

/// An array whose length does not fit. Message names the array, its length and the length wanted.
struct BadLength : Error {
  /// @param why what the wanted length is
  BadLength(std::string parameter, std::size_t length, std::size_t wanted, const std::string& why = {});
  std::string parameter;
  std::size_t length, wanted;
};

/// A request that needs more memory [bytes] than there is; `what` names it. The need is an estimate.
struct TooLarge : Error {
  TooLarge(std::string what, double bytes_needed, double bytes_available);
  double bytes_needed, bytes_available;
};

/// Nodes that cannot be connected in this way, or a call that is not possible in the present state of the network.
struct IllegalConnection : Error {
  using Error::Error;
};

/// A malformed message from another rank. Its content is not used.
struct BadMessage : Error {
  using Error::Error;
};

/// A checkpoint that cannot be read: damaged, incomplete, or of another version.
struct BadCheckpoint : Error {
  using Error::Error;
};

/// The names nearest to `name` by edit distance (letters of either case are equal), best first, at most three.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known);

}  // namespace npl
