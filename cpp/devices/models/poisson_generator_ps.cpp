// SPDX-License-Identifier: Apache-2.0
/// An independent off-grid Poisson train with dead time for each connection (Hanuschkin et al. 2010, Front Neuroinform 4:113). Intervals
/// between spikes are drawn one after the other; interval k of a connection by counter (device, link; target, k).
#include <bit>
#include <cmath>
#include <unordered_map>

#include "devices/spike_part.hpp"

namespace npl::devices::poisson_generator_ps {
namespace {

constexpr std::size_t n_rate = n_window, n_dead = n_window + 1;

/// Time of the next spike of a train: `offset` [ms] before the end of a step.
struct Next {
  Step step;
  double offset;
  std::uint64_t drawn = 0;  ///< number of intervals drawn so far
};

class PrecisePoisson final : public Part {
 public:
  PrecisePoisson(const Device& device, Targets targets)
      : device_(device),
        targets_(std::move(targets)),
        key_(rng::Key::of(targets_.seed, rng::Purpose::poisson, (static_cast<std::uint64_t>(device.gid) << 24) ^ targets_.link)),
        next_(targets_.local.size()) {}

  void apply(Step step, const PartInput& in) override {
    const Step sent = step - targets_.delay;
    if (sent < targets_.since) return;
    const Setting& s = device_.at(sent);
    if (s.from != begun_) begin_setting(s, std::max(sent, s.from));
    if (!sends(s, sent)) return;
    for (std::size_t i = 0; i < next_.size(); ++i)
      for (Next& n = next_[i]; n.step <= sent; advance(n, interval(s, draw(n, i)))) send(in, i, n.offset);
  }
  /// Continues the trains of `other`. Intervals that `other` would still have drawn before this part begins to send are drawn and skipped.
  void follow(const Part& other) override {
    const auto* old = dynamic_cast<const PrecisePoisson*>(&other);
    if (!old || &old->device_ != &device_) return;
    std::unordered_map<Gid, std::size_t> at;
    for (std::size_t k = 0; k < old->next_.size(); ++k) at[old->targets_.gid[k]] = k;
    for (std::size_t i = 0; i < next_.size(); ++i)
      if (const auto k = at.find(targets_.gid[i]); k != at.end()) next_[i] = old->continued(k->second, targets_.since, begun_);
  }
  PartState state() const override {
    PartState s{{static_cast<std::uint64_t>(begun_)}, 3, {}};
    for (const Next& n : next_)
      for (const std::uint64_t word : {static_cast<std::uint64_t>(n.step), std::bit_cast<std::uint64_t>(n.offset), n.drawn})
        s.each.push_back(word);
    return s;
  }
  void resume(const PartState& s) override {
    if (s.common.empty()) return;
    begun_ = static_cast<Step>(s.common[0]);
    for (std::size_t i = 0; i < next_.size(); ++i) {
      const auto* own = &s.each[i * s.width];
      next_[i] = {static_cast<Step>(own[0]), std::bit_cast<double>(own[1]), own[2]};
    }
  }
  const Targets& targets() const override { return targets_; }
  std::size_t bytes() const override {
    return next_.size() * sizeof(Next) + targets_.local.size() * sizeof(Local) + targets_.gid.size() * sizeof(Gid) +
           targets_.weight.size() * sizeof(double);
  }
  static std::unique_ptr<Part> make(const Device& d, Targets t) { return std::make_unique<PrecisePoisson>(d, std::move(t)); }

 private:
  /// A new setting holds from step `sent` on: next spikes drawn for the earlier setting are dropped.
  void begin_setting(const Setting& s, Step sent) {
    begun_ = s.from;
    for (std::size_t i = 0; i < next_.size(); ++i) begin_train(s, sent, next_[i], i);
  }
  void begin_train(const Setting& s, Step sent, Next& n, std::size_t i) const {
    if (!(s.values[n_rate] > 0.0)) return;
    n.step = std::max(sent, Window::of(device_, s).start) - 1, n.offset = 0.0;
    advance(n, first_interval(s, draw(n, i)));
  }

  bool sends(const Setting& s, Step sent) const {
    const Window w = Window::of(device_, s);
    return sent >= w.start && sent < w.stop && s.values[n_rate] > 0.0;
  }
  /// State of train i after all spikes that are sent before step `until`. The stored state is `delay` steps behind. @param begun set like
  /// begun_
  Next continued(std::size_t i, Step until, Step& begun) const {
    Next n = next_[i];
    begun = begun_;
    for (Step sent = std::max(targets_.since, until - targets_.delay); sent < until; ++sent) {
      const Setting& s = device_.at(sent);
      if (s.from != begun) begin_train(s, std::max(sent, begun = s.from), n, i);
      while (sends(s, sent) && n.step <= sent) advance(n, interval(s, draw(n, i)));
    }
    return n;
  }

  double draw(Next& n, std::size_t i) const { return uniform_of(rng::draw(key_, static_cast<std::uint64_t>(targets_.gid[i]), n.drawn++)); }
  /// Interval between spikes [ms]: the dead time plus an exponential time, such that the mean is 1 / rate (rates are per second).
  static double interval(const Setting& s, double uniform) {
    const double mean = 1e3 / s.values[n_rate] - s.values[n_dead];
    return s.values[n_dead] - mean * math::log(1.0 - uniform);
  }
  /// Time to the first spike [ms] of a process in equilibrium: with probability rate * dead time it starts within a dead time.
  static double first_interval(const Setting& s, double uniform) {
    const double dead = s.values[n_dead], share = s.values[n_rate] * dead * 1e-3;
    return uniform < share ? uniform / share * dead : interval(s, (uniform - share) / (1.0 - share));
  }

  void advance(Next& n, double ms) const {
    const double h = device_.resolution, left = n.offset - ms;
    const double steps = left >= 0.0 ? 0.0 : std::ceil(-left / h);
    n.step += static_cast<Step>(std::min(steps, 4e18));
    n.offset = std::clamp(left + steps * h, 0.0, h * (1.0 - 0x1p-53));
  }

  void send(const PartInput& in, std::size_t i, double offset) const {
    const double weight = targets_.count ? 1.0 : targets_.weight[targets_.weight.size() == 1 ? 0 : i];
    if (in.sent) ++*in.sent;
    if (targets_.precise)
      in.events->push_back({targets_.local[i], targets_.receptor, offset, weight});
    else
      add_wrapping(in.sums[targets_.local[i]], targets_.count ? 1 : round_to_fixed(weight * in.to_fixed));
  }

  const Device& device_;
  Targets targets_;
  rng::Key key_;
  Step begun_ = -1;
  std::vector<Next> next_;
};

void check(const Device& d, const Setting& s) {
  if (s.values[n_rate] * s.values[n_dead] > 1e3) throw BadParameter("dead_time", s.values[n_dead], "at most the inverse of the rate");
  if (s.values[n_rate] * d.resolution * 1e-3 > 6e4) throw BadParameter("rate", s.values[n_rate], "at most 60 000 spikes per step");
}

}  // namespace
}  // namespace npl::devices::poisson_generator_ps

NPL_DEVICE(poisson_generator_ps, {"poisson_generator_ps",
                                  "Sends an independent Poisson spike train, with spikes between grid points, to every target.",
                                  Effect::spikes,
                                  {NPL_WINDOW_FIELDS,
                                   {"rate", "spikes/s", 0.0, "Mean rate of each train", Bound::non_negative},
                                   {"dead_time", "ms", 0.0, "Shortest interval", Bound::non_negative}},
                                  {},
                                  check,
                                  PrecisePoisson::make,
                                  nullptr})
