// SPDX-License-Identifier: Apache-2.0
/// Masks and kernels of distance-dependent connections, weights and delays: formulas as straight-line programs on batches of pairs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace npl::connect::space {

inline constexpr std::size_t batch = 256;  ///< pairs per batch

enum class Op : std::int32_t {
  constant,
  input,
  add,
  subtract,
  multiply,
  divide,
  power,
  square,
  root,
  exponential,
  magnitude,
  smaller,
  larger,
  less,
  less_equal,
  equal,
  unequal,
  both,
  either,
  without,
  choose,
  logarithm,
  sine,
  cosine,
  floor
};
inline constexpr std::int32_t op_count = 25;

/// Inputs of a program, three coordinates each: position in the mask, displacement, positions of source and target. Numbers that are drawn
/// follow, from input_count on.
enum class Input : std::int32_t { in_mask = 0, move = 3, source = 6, target = 9 };
inline constexpr std::int32_t input_count = 12;

/// Instruction i computes result i by applying op to the earlier results number a, b, c, or to `value`. For Op::input, a is the input
/// number.
struct Instruction {
  Op op;
  std::int32_t a, b, c;
  double value;
};

/// A checked program; its value is the result of the last instruction. Thread safe.
class Program {
 public:
  /// @param n_drawn inputs beside the coordinates. Throws BadParameter for operations, inputs and results that do not exist.
  explicit Program(std::vector<Instruction> code, std::int32_t n_drawn = 0);

  /// True when the program reads a coordinate.
  bool reads(Input what, int dimension) const { return used_[static_cast<int>(what) + dimension]; }
  /// The value of a program that gives the same for all pairs without looking at them.
  std::optional<double> constant() const { return code_.back().op == Op::constant ? std::optional(code_.back().value) : std::nullopt; }
  const std::vector<Instruction>& code() const { return code_; }
  /// Work space for run(): one column [batch] per instruction, with constants filled in.
  std::vector<double> work_space() const;
  /// Evaluates the first n <= batch pairs. @param inputs [input_count + n_drawn] columns; may be null where the program does not read them.
  /// Returns a column of the work space or of the inputs.
  const double* run(const double* const* inputs, std::size_t n, std::vector<double>& work_space) const;

 private:
  std::vector<Instruction> code_;
  bool used_[input_count] = {};
};

}  // namespace npl::connect::space
