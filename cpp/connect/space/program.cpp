// SPDX-License-Identifier: Apache-2.0
#include "connect/space/program.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/simd.hpp"
#include "base/sine.hpp"

namespace npl::connect::space {
namespace {

/// One instruction on a batch. Truth values: comparisons give 1 or 0, any value other than 0 is true.
struct Step {
  template <class F>
  NPL_INLINE static void each(std::size_t n, double* to, F&& f) {
    for (std::size_t i = 0; i < n; ++i) to[i] = f(i);
  }

  NPL_INLINE static void run(Op op, const double* a, const double* b, const double* c, double value, std::size_t n, double* to) {
    switch (op) {
      case Op::constant:
      case Op::input: return;  // nothing to compute
      case Op::add: return each(n, to, [=](std::size_t i) { return a[i] + b[i]; });
      case Op::subtract: return each(n, to, [=](std::size_t i) { return a[i] - b[i]; });
      case Op::multiply: return each(n, to, [=](std::size_t i) { return a[i] * b[i]; });
      case Op::divide: return each(n, to, [=](std::size_t i) { return a[i] / b[i]; });
      case Op::power: return each(n, to, [=](std::size_t i) { return math::pow(a[i], value); });
      case Op::square: return each(n, to, [=](std::size_t i) { return a[i] * a[i]; });
      case Op::root: return each(n, to, [=](std::size_t i) { return std::sqrt(a[i]); });
      case Op::exponential: return each(n, to, [=](std::size_t i) { return math::exp(a[i]); });
      case Op::magnitude: return each(n, to, [=](std::size_t i) { return std::fabs(a[i]); });
      case Op::smaller: return each(n, to, [=](std::size_t i) { return a[i] < b[i] ? a[i] : b[i]; });
      case Op::larger: return each(n, to, [=](std::size_t i) { return a[i] > b[i] ? a[i] : b[i]; });
      case Op::less: return each(n, to, [=](std::size_t i) { return a[i] < b[i] ? 1.0 : 0.0; });
      case Op::less_equal: return each(n, to, [=](std::size_t i) { return a[i] <= b[i] ? 1.0 : 0.0; });
      case Op::equal: return each(n, to, [=](std::size_t i) { return a[i] == b[i] ? 1.0 : 0.0; });
      case Op::unequal: return each(n, to, [=](std::size_t i) { return a[i] != b[i] ? 1.0 : 0.0; });
      case Op::both: return each(n, to, [=](std::size_t i) { return a[i] * b[i]; });  // of 0 and 1
      case Op::either: return each(n, to, [=](std::size_t i) { return a[i] > b[i] ? a[i] : b[i]; });
      case Op::without: return each(n, to, [=](std::size_t i) { return a[i] * (1.0 - b[i]); });
      case Op::choose: return each(n, to, [=](std::size_t i) { return a[i] != 0.0 ? b[i] : c[i]; });
      case Op::logarithm: return each(n, to, [=](std::size_t i) { return math::log(a[i]); });
      case Op::sine: return each(n, to, [=](std::size_t i) { return math::sin(a[i]); });
      case Op::cosine: return each(n, to, [=](std::size_t i) { return math::cos(a[i]); });
      case Op::floor: return each(n, to, [=](std::size_t i) { return std::floor(a[i]); });
    }
  }
};

void check(std::int32_t value, std::int32_t end, const char* what) {
  if (value < 0 || value >= end) throw BadParameter(what, static_cast<double>(value), "from 0 to " + std::to_string(end - 1));
}

}  // namespace

Program::Program(std::vector<Instruction> code, std::int32_t n_drawn) : code_(std::move(code)) {
  if (code_.empty()) throw BadParameter("program", 0.0, "at least one instruction");
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const Instruction& s = code_[i];
    check(static_cast<std::int32_t>(s.op), op_count, "operation");
    if (s.op == Op::constant) continue;
    if (s.op == Op::input) {
      check(s.a, input_count + n_drawn, "input");
      if (s.a < input_count) used_[s.a] = true;
      continue;
    }
    for (std::int32_t operand : {s.a, s.b, s.c}) check(operand, static_cast<std::int32_t>(i), "result");
  }
}

std::vector<double> Program::work_space() const {
  std::vector<double> columns(code_.size() * batch);
  for (std::size_t k = 0; k < code_.size(); ++k)
    if (code_[k].op == Op::constant) std::fill_n(columns.data() + k * batch, batch, code_[k].value);
  return columns;
}

const double* Program::run(const double* const* inputs, std::size_t n, std::vector<double>& work_space) const {
  const auto column = [&](std::int32_t k) -> const double* {
    const Instruction& s = code_[static_cast<std::size_t>(k)];
    return s.op == Op::input ? inputs[s.a] : work_space.data() + static_cast<std::size_t>(k) * batch;
  };
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& s = code_[k];
    if (s.op == Op::constant || s.op == Op::input) continue;
    Dispatch<Step>::run(s.op, column(s.a), column(s.b), column(s.c), s.value, n, work_space.data() + k * batch);
  }
  return column(static_cast<std::int32_t>(code_.size()) - 1);
}

}  // namespace npl::connect::space
