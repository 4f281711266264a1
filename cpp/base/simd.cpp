// SPDX-License-Identifier: Apache-2.0
#include "base/simd.hpp"

#include <cstdlib>
#include <string_view>

namespace npl {
namespace {

bool machine_has(Isa level) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (level == Isa::v3) return v3;
#ifndef NPL_WITHOUT_V4
  if (level == Isa::v4)
    return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
#endif
  return level == Isa::baseline;
}

Isa best() {
  if (machine_has(Isa::v4)) return Isa::v4;
  return machine_has(Isa::v3) ? Isa::v3 : Isa::baseline;
}

Isa initial() {
  const char* wanted = std::getenv("NEUROPIL_SIMD");
  if (wanted)
    for (Isa level : {Isa::baseline, Isa::v3, Isa::v4})
      if (isa_name(level) == wanted && machine_has(level)) return level;
  return best();
}

Isa current = initial();

}  // namespace

Isa isa() noexcept { return current; }

std::string_view isa_name(Isa level) noexcept {
  switch (level) {
    case Isa::v4: return "v4";
    case Isa::v3: return "v3";
    default: return "baseline";
  }
}

bool set_isa(Isa level) noexcept {
  if (!machine_has(level)) return false;
  current = level;
  return true;
}

}  // namespace npl
