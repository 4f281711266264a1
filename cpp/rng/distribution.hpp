// SPDX-License-Identifier: Apache-2.0
/// Values that users describe: constants, distributions within bounds, explicit arrays. Drawn by inverting the (truncated) cumulative
/// distribution at ONE random word, so a redrawn value needs no loop and value k never depends on another.
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

enum class Kind { constant, array, uniform, normal, lognormal, exponential };
enum class Limit { none, clip, redraw };  ///< what happens to a value outside [min, max]

/// A value, a distribution or an array, as the user gave it.
struct ValueSpec {
  Kind kind = Kind::constant;
  double a = 0.0;  ///< constant: value; uniform: low; normal: mean; lognormal: mean of log; exponential: scale (mean)
  double b = 0.0;  ///< uniform: high; normal: s.d.; lognormal: s.d. of log
  Limit limit = Limit::none;
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  std::shared_ptr<const std::vector<double>> values;  ///< kind array: one per edge, see connect::Rule for the order

  bool is_constant() const { return kind == Kind::constant; }
};

/// Throws BadParameter named `parameter` for NaN, inf, negative s.d., empty bounds, bounds with no probability mass.
void check(const ValueSpec&, const std::string& parameter);

/// Draws values of one ValueSpec from random words; cheap to call (tables are made once). Not for kind array.
class Sampler {
 public:
  explicit Sampler(const ValueSpec&);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  /// out[i] from words[i]; as float32, the precision in which random weights are kept.
  void draw(std::span<const std::uint32_t> words, float* out) const;
  void draw(std::span<const std::uint32_t> words, double* out) const;
  /// Smallest and largest value that can come out (over all 2^32 words): for signs and for the fixed-point scale.
  double lowest() const;
  double highest() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

/// Steps nearest to a delay (halves go up). Throws BadDelay outside 1..65535 steps.
Delay delay_steps(double delay_ms, double resolution_ms);

/// Draws delays in steps: value rounded to the nearest step after the bounds were applied; probabilities exact to 2^-32. Not for kind array.
class DelaySampler {
 public:
  /// @param resolution_ms length of a step. Throws BadDelay when one of the 2^32 words would give less than 1 or more than 65535 steps.
  DelaySampler(const ValueSpec& delay_ms, double resolution_ms);
  void draw(std::span<const std::uint32_t> words, Delay* out) const { table_.draw(words.data(), out, words.size()); }
  Delay lowest() const { return static_cast<Delay>(table_.lowest()); }
  Delay highest() const { return static_cast<Delay>(table_.highest()); }

 private:
  StepTable table_;
};

/// Node values (initial V_m and the like): value of node gid is keyed by (seed, stream, gid) alone.
void draw_node_values(const ValueSpec&, std::uint64_t seed, std::uint64_t stream, std::span<const Gid> gids, double* out);

/// Binomial(n, p) and hypergeometric counts by inversion from one 52-bit uniform (two words); exact distributions up to rounding. Where the
/// variance is 2^28 or more the cumulative distribution is that of a skewed normal, which is right to 10^-8 there, and the time is constant.
/// @param n, draws at most 2^52
std::uint64_t binomial(std::uint64_t n, double p, double uniform);
/// Number of marked among `draws` drawn without replacement from `total` of which `marked` are marked.
/// @param total at most 2^96
std::uint64_t hypergeometric(unsigned __int128 total, unsigned __int128 marked, std::uint64_t draws, double uniform);

}  // namespace npl::rng
