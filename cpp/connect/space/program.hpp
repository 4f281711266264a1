// SPDX-License-Identifier: Apache-2.0
/// Formulas of positions as straight-line programs over batches of pairs: masks and kernels of connections in space.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npl::connect::space {

inline constexpr std::size_t batch = 256;  ///< pairs at a time

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
  choose
};
inline constexpr std::int32_t op_count = 21;

/// What a program can read of a pair, three coordinates each.
enum class Input : std::int32_t { in_mask = 0, move = 3, source = 6, target = 9 };
inline constexpr std::int32_t input_count = 12;

/// Result number i of a program is that of instruction i: op applied to earlier results a, b, c, or to `value`; a is the input of Op::input.
struct Instruction {
  Op op;
  std::int32_t a, b, c;
  double value;
};

/// A checked program; its value is that of the last instruction.
class Program {
 public:
  /// Throws BadParameter for operations, inputs and results that do not exist.
  explicit Program(std::vector<Instruction> code);

  bool reads(Input what, int dimension) const { return used_[static_cast<int>(what) + dimension]; }
  /// A work space: a column for every instruction, those of constants filled.
  std::vector<double> work_space() const;
  /// Values for the first n <= batch pairs. inputs[i] is the column of input i, where the program reads it. Returns a column of the work space
  /// or of the inputs.
  const double* run(const double* const* inputs, std::size_t n, std::vector<double>& work_space) const;

 private:
  std::vector<Instruction> code_;
  bool used_[input_count] = {};
};

}  // namespace npl::connect::space
