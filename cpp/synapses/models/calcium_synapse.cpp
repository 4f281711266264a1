// SPDX-License-Identifier: Apache-2.0
/// Calcium-based plasticity with two stable states (Graupner & Brunel 2012, doi:10.1073/pnas.1109359109). Calcium c decays with tau_Ca. A
/// presynaptic spike adds C_pre after the time D, a postsynaptic one adds C_post at once. The efficacy rho follows
///   tau drho/dt = -rho (1 - rho) (rho_star - rho) + gamma_p (1 - rho) [c > theta_p] - gamma_d rho [c > theta_d]
/// and the weight is w0 + rho (w1 - w0). The noise of the paper is left out.
///
/// Between jumps of c the times at which it falls below a threshold are known in closed form. Between these times the equation of rho is
/// autonomous and is solved by its Taylor series, with an error below 1e-12 in rho.
#include <bit>

#include "base/error.hpp"
#include "base/math.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// Presynaptic spikes whose calcium has not arrived yet: a string of bits, the newest spike first. A spike is a 1, a step is a 0.
class Waiting {
 public:
  static constexpr int bits = 48;  ///< of a word: whole numbers that a double holds
  /// Words with room for a spike in each of the last steps.
  static int words(Step steps) { return 1 + static_cast<int>(2 * steps / bits); }

  Waiting(double* kept, int words) : kept_(kept), words_(words) {}
  /// Steps from the oldest spike to the newest one; -1: no spike waits.
  Step oldest() const {
    const int top = highest();
    int spikes = 0;
    for (int k = 0; k * bits <= top; ++k) spikes += std::popcount(word(k));
    return top < 0 ? -1 : top - (spikes - 1);
  }
  void drop_oldest() {
    const int top = highest();
    kept_[top / bits] -= static_cast<double>(std::uint64_t{1} << top % bits);
  }
  bool is_full(Step gap) const { return highest() >= 0 && highest() + gap + 1 >= Step{words_} * bits; }
  /// A spike `gap` steps after the newest one; not is_full(gap).
  void add(Step gap) {
    const Step by = gap + 1, whole = std::min<Step>(by / bits, words_), part = by % bits;
    for (int k = words_; k-- > 0;) {
      const int from = k - static_cast<int>(whole);
      const std::uint64_t low = word(from - 1) >> (bits - part);
      kept_[k] = static_cast<double>((word(from) << part & mask) | low);
    }
    kept_[0] += 1.0;
  }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t word(int k) const { return k < 0 ? 0 : static_cast<std::uint64_t>(kept_[k]); }
  /// Place of the highest 1; -1: none.
  int highest() const {
    int k = words_ - 1;
    while (k >= 0 && kept_[k] == 0.0) --k;
    return k < 0 ? -1 : k * bits + static_cast<int>(std::bit_width(word(k))) - 1;
  }

  double* kept_;
  int words_;
};

/// Indices of parameters.
enum Place { tau_Ca, C_pre, C_post, D, theta_d, theta_p, gamma_d, gamma_p, rho_star, tau, w0, w1, axonal, n_calcium };

/// State per synapse: c and rho at the last spike of its source, and Waiting.
struct Calcium : RuleDefaults {
  static constexpr bool meets_all = true;
  static constexpr double longest_D = 1000.0;  // [ms] it sets the size of a synapse
  std::array<double, n_calcium> p;
  double dt;
  Step reach;  ///< steps after which calcium of a presynaptic spike has not arrived yet
  int synapse_values;

  Calcium(const double* given, double dt_ms) : dt(dt_ms) {
    std::copy_n(given, p.size(), p.begin());
    reach = static_cast<Step>(p[D] / dt);
    synapse_values = 2 + Waiting::words(reach);
    tau_minus = 20.0;  // any: spikes of the target are kept, not their trace
  }
  static void check_rate(const char* name, double value) {
    if (value > 1e100) throw BadParameter(name, value, "from 0 to 1e100");  // their sum is finite
  }
  static void check(const double* p) {
    check_share("rho_star", p[rho_star]);
    if (p[D] > longest_D) throw BadParameter("D", p[D], "from 0 to 1000 ms");
    check_rate("gamma_d", p[gamma_d]), check_rate("gamma_p", p[gamma_p]);
    if (p[w0] == p[w1]) throw BadParameter("w1", p[w1], "other than w0");
  }
  double largest_weight() const { return std::max(std::fabs(p[w0]), std::fabs(p[w1])); }
  WeightBounds weight_bounds() const {
    if (std::isnan(p[w0]) || std::isnan(p[w1])) return {};  // they differ from synapse to synapse
    return {std::min(p[w0], p[w1]), std::max(p[w0], p[w1])};
  }
  static std::optional<double> state(std::string_view name, const double*, const double* own) {
    return name == "c" && own ? std::optional(own[0]) : std::nullopt;
  }

  double weight_of(double rho) const { return (1.0 - rho) * p[w0] + rho * p[w1]; }
  /// Weights are kept as float32 or have been set: rho goes on from `kept` if the weight is what it gave.
  double rho_of(double weight, double kept) const {
    const double given = weight_of(kept);
    if (weight == given || weight == static_cast<double>(static_cast<float>(given))) return kept;
    return std::clamp((weight - p[w0]) / (p[w1] - p[w0]), 0.0, 1.0);
  }

  /// Terms of the series, and its longest step in units of 1 / rate: the rest of the series is then below 3e-14.
  static constexpr int order = 10;
  static constexpr double longest = 1.0 / 8.0, still = 0x1p-52;
  /// rho after h [tau]: Taylor series of tau drho/dt = up - (rho_star + up + down) rho + (1 + rho_star) rho^2 - rho^3.
  double step(double rho, double h, double up, double down) const {
    std::array<double, order + 1> r{rho}, square{};  // coefficients of rho and rho^2
    double source = up;
    for (std::size_t k = 0; k < order; ++k, source = 0.0) {
      double cube = 0.0;
      for (std::size_t i = 0; i <= k; ++i) square[k] += r[i] * r[k - i];
      for (std::size_t i = 0; i <= k; ++i) cube += square[i] * r[k - i];
      const double slope = source - (p[rho_star] + up + down) * r[k] + (1.0 + p[rho_star]) * square[k] - cube;
      r[k + 1] = h * slope / static_cast<double>(k + 1);
    }
    double sum = 0.0;
    for (std::size_t k = order; k > 0; --k) sum += r[k];
    return std::clamp(rho + sum, 0.0, 1.0);
  }
  /// rho after a time [ms] in which c stays above or below each threshold.
  double driven(double rho, double ms, bool above_p, bool above_d) const {
    const double up = above_p ? p[gamma_p] : 0.0, down = above_d ? p[gamma_d] : 0.0, rate = 4.0 + up + down;
    for (double left = ms / p[tau] * rate; left > 0.0; left -= longest) {
      const double before = rho;
      rho = step(rho, std::min(left, longest) / rate, up, down);
      if (!(std::fabs(rho - before) > still)) break;  // a fixed point
    }
    return rho;
  }

  /// A synapse between jumps of its calcium. Times are from the last spike of the source on [ms].
  struct Course {
    const Calcium& rule;
    double c, rho, now;

    /// Time for which c stays above a threshold.
    double above(double theta, double ms) const { return c > theta ? std::min(ms, rule.p[tau_Ca] * math::log(c / theta)) : 0.0; }
    void go(double until) {
      const double ms = until - now;
      if (!(ms > 0.0)) return;
      const double for_p = above(rule.p[theta_p], ms), for_d = above(rule.p[theta_d], ms);
      const double both = std::min(for_p, for_d), either = std::max(for_p, for_d);
      rho = rule.driven(rho, both, true, true);
      rho = rule.driven(rho, either - both, for_p > for_d, for_d > for_p);
      rho = rule.driven(rho, ms - either, false, false);
      c *= Decay::entry(ms / rule.p[tau_Ca]);
      now = until;
    }
    void jump(double at, double by) { go(at), c += by; }
  };

  /// Where the course of a synapse begins: at the last spike of its source, when it was made, or at time 0, which is earlier by the axonal
  /// delay at the time of the source.
  Step begin(const EventAt<Step>& e) const {
    if (happened(e.last())) return e.last();
    return e.before->last < 0 ? -e.before->last : -Axonal::steps(p[axonal], dt);
  }
  double send(const EventAt<Step>& e, double& weight, double* values) const {
    const Step from = begin(e), gap = e.stamp - from;
    const auto ms = [&](Step steps) { return static_cast<double>(steps) * dt; };
    const double end = ms(gap);
    Waiting waiting(values + 2, synapse_values - 2);
    Course course{*this, values[0], rho_of(weight, values[1]), 0.0};
    Step ago = waiting.oldest();
    const auto arrive = [&](double until) {  // calcium of presynaptic spikes
      for (; ago >= 0 && ago + gap > reach && p[D] - ms(ago) <= until; ago = waiting.oldest())
        course.jump(std::min(p[D] - ms(ago), end), p[C_pre]), waiting.drop_oldest();
    };
    e.for_post_spikes(happened(e.last()) ? from - e.delay : std::max<Step>(from, 0), e.stamp - e.delay, [&](Step post) {
      const double at = ms(post + e.delay - from);
      arrive(at), course.jump(at, p[C_post]);
    });
    arrive(std::numeric_limits<double>::infinity()), course.go(end);
    for (; waiting.is_full(gap); waiting.drop_oldest()) course.c += p[C_pre];
    waiting.add(gap);
    values[0] = course.c, values[1] = course.rho;
    return weight = weight_of(course.rho);
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(calcium_synapse,
            rule_synapse<Calcium>(
                "calcium_synapse",
                "Calcium-based plasticity with two stable states: spikes raise calcium, which above thresholds changes the weight.",
                {{"tau_Ca", "ms", 20.0, "Time constant of calcium", Bound::positive},
                 {"C_pre", "", 1.0, "Calcium of a presynaptic spike", Bound::non_negative},
                 {"C_post", "", 2.0, "Calcium of a postsynaptic spike", Bound::non_negative},
                 {"D", "ms", 13.7, "Time from a presynaptic spike to its calcium, at most 1000", Bound::non_negative},
                 {"theta_d", "", 1.0, "Calcium above which the weight is depressed", Bound::positive},
                 {"theta_p", "", 1.3, "Calcium above which the weight is potentiated", Bound::positive},
                 {"gamma_d", "", 200.0, "Rate of depression", Bound::non_negative},
                 {"gamma_p", "", 321.808, "Rate of potentiation", Bound::non_negative},
                 {"rho_star", "", 0.5, "Efficacy between the two stable states", Bound::non_negative},
                 {"tau", "ms", 150000.0, "Time constant of the efficacy", Bound::positive},
                 {"w0", "", 0.0, "Weight at efficacy 0"},
                 {"w1", "", 100.0, "Weight at efficacy 1"},
                 axonal_field()},
                {"D"}))
