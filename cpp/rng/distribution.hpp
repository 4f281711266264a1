// SPDX-License-Identifier: Apache-2.0
/// Values as users describe them: constants, distributions with bounds, explicit arrays. A value is drawn by inverting the (truncated)
/// cumulative distribution at ONE random word. So values within bounds need no rejection loop, and no value depends on another one.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "rng/step_table.hpp"

namespace npl::rng {

class Formula;

/// Kinds of values; ValueSpec tells their parameters.
enum class Kind { constant, array, uniform, normal, lognormal, exponential, uniform_int, formula };
enum class Limit { none, clip, redraw };  ///< what happens to a value outside [min, max]

/// A value, a distribution or an array, as the user gave it.
struct ValueSpec {
  Kind kind = Kind::constant;
  double a = 0.0;  ///< constant: value; uniform: low; normal: mean; lognormal: mean of log; exponential: scale (mean);
                   ///< uniform_int: number of values 0, 1, 2, ...
  double b = 0.0;  ///< uniform: high; normal: s.d.; lognormal: s.d. of log
  Limit limit = Limit::none;
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();  ///< bounds of clip and redraw
  std::shared_ptr<const std::vector<double>> values = {};  ///< kind array: one per edge, in the order of connect::Rule
  std::shared_ptr<const Formula> formula = {};             ///< kind formula
  double shift = 0.0, factor = 1.0;  ///< distributions: the value is shift + factor * what is drawn; the bounds act on it
  int bits = 0;  ///< not 0: coded, one of the 2^bits equally likely quantiles (c + 1/2) / 2^bits of the distribution, as float32

  bool is_constant() const { return kind == Kind::constant; }
  /// True when values are drawn from a distribution.
  bool is_drawn() const { return kind != Kind::constant && kind != Kind::array && kind != Kind::formula; }
};

inline constexpr int most_code_bits = 16;
/// The quantile that a random word draws from a coded distribution.
constexpr std::uint32_t code_of(std::uint32_t word, int bits) { return word >> (32 - bits); }

/// Throws BadParameter named `parameter` for NaN, inf, a negative standard deviation, bounds with min > max or without probability between
/// them, codes of more than 16 bits or of what has no quantiles.
void check(const ValueSpec&, const std::string& parameter);

/// Draws values of one ValueSpec from random words, by a table of 64 KiB. Thread safe. Not for kind array.
class Sampler {
 public:
  /// When the table is made: at once, or when so many words were drawn that it is worth it. Values are the same.
  enum class Table { at_once, when_worth };
  /// @param spec checked by check() before
  explicit Sampler(const ValueSpec& spec, Table table = Table::at_once);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  /// out[i] = value of words[i]; in float32, the precision in which random weights are stored.
  void draw(std::span<const std::uint32_t> words, float* out) const;
  /// The same in double precision.
  void draw(std::span<const std::uint32_t> words, double* out) const;
  /// Smallest and largest value over all 2^32 words, in either precision: they decide signs and the fixed-point scale.
  double lowest() const;
  double highest() const;
  double share_below_zero() const;  ///< probability of a negative value
  /// (coded) All values by code.
  std::span<const float> book() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

/// Delay [ms] in steps, rounded to nearest (halves up). Throws BadDelay, which names `name`, unless the result is from 1 to longest_delay.
Delay delay_steps(double delay_ms, double resolution_ms, const std::string& name = "delay");
/// The same, but 0 instead of an error.
Delay steps_or_0(double delay_ms, double resolution_ms);

/// Draws delays in steps: the bounds are applied, then the value is rounded to the nearest step. Probabilities are exact to 2^-32. Thread
/// safe. Not for kind array.
class DelaySampler {
 public:
  /// @param resolution_ms length of a step. Throws BadParameter as check() and for coded distributions, BadDelay if any of the 2^32 words
  /// gives less than 1 or more than 65535 steps.
  DelaySampler(const ValueSpec& delay_ms, double resolution_ms);
  /// out[i] = delay of words[i] [steps].
  void draw(std::span<const std::uint32_t> words, Delay* out) const;
  Delay lowest() const { return static_cast<Delay>(table_.lowest()); }
  Delay highest() const { return static_cast<Delay>(table_.highest()); }
  std::vector<double> shares() const { return table_.shares(); }  ///< probabilities of lowest() to highest()

 private:
  struct Guided;
  StepTable table_;                 ///< without guide: most projections are small, and there may be many
  std::shared_ptr<Guided> guided_;  ///< made after many draws; null: not worth it
};

/// Values of nodes, e.g. initial V_m: out[i] is that of gids[i] and depends only on (seed, stream, gid). Kind array: copies, as many values
/// as gids. Throws BadLength.
void draw_node_values(const ValueSpec&, std::uint64_t seed, std::uint64_t stream, std::span<const Gid> gids, double* out);

/// Number of successes in n <= 2^52 trials of probability p, by inversion at `uniform` in (0, 1) (52 bits). Exact up to rounding; from a
/// variance of 2^28 on a skewed normal distribution is used, whose cumulative distribution is right to 1e-8 there, in constant time.
std::uint64_t binomial(std::uint64_t n, double p, double uniform);
/// Number of marked items among `draws` <= 2^52 drawn without replacement from `total` <= 2^96 items, of which `marked` are marked
/// (hypergeometric). Inversion as for binomial.
std::uint64_t hypergeometric(unsigned __int128 total, unsigned __int128 marked, std::uint64_t draws, double uniform);

}  // namespace npl::rng
