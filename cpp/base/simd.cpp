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
  if (level == Isa::v4)
    return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  return level == Isa::baseline;
}

#ifndef NPL_ONLY_ISA
Isa initial() {
  const char* wanted = std::getenv("NEUROPIL_SIMD");
  Isa best = Isa::baseline;
  for (Isa level : {Isa::baseline, Isa::v3, Isa::v4}) {
    if (!has_isa(level) || !machine_has(level)) continue;
    if (wanted && isa_name(level) == wanted) return level;
    best = level;
  }
  return best;
}

Isa current = initial();
#endif

}  // namespace

Isa machine_isa() noexcept {
  if (machine_has(Isa::v4)) return Isa::v4;
  return machine_has(Isa::v3) ? Isa::v3 : Isa::baseline;
}

#ifdef NPL_ONLY_ISA
bool set_isa(Isa level) noexcept { return has_isa(level) && machine_has(level); }
#else
Isa isa() noexcept { return current; }

bool set_isa(Isa level) noexcept {
  if (!has_isa(level) || !machine_has(level)) return false;
  current = level;
  return true;
}
#endif

std::string_view isa_name(Isa level) noexcept {
  switch (level) {
    case Isa::v4: return "v4";
    case Isa::v3: return "v3";
    default: return "baseline";
  }
}

}  // namespace npl
