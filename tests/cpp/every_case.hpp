// SPDX-License-Identifier: Apache-2.0
/// Large matrices of tests: part of their cases in each check, all with NEUROPIL_EVERY_CASE in the environment.
#pragma once
#include <cstdlib>

namespace npl {

inline bool every_case() {
  static const bool all = std::getenv("NEUROPIL_EVERY_CASE") != nullptr;
  return all;
}

}  // namespace npl
