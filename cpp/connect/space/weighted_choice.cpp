// SPDX-License-Identifier: Apache-2.0
#include "connect/space/weighted_choice.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/math.hpp"
#include "connect/space/groups.hpp"
#include "connect/space/pair_batch.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect::space {
namespace {

// Exact: an other is drawn in proportion to its bound and taken with probability weight / bound, so in proportion to its weight. Without
// repeats one that is taken already is drawn anew: successive sampling, as an exponential race. What was rejected does not change what
// comes next, so the rest may be chosen in another way at any time.

constexpr std::int64_t attempts_per_choice = 16, attempts_per_centre = 256;  // then the rest is chosen by a race among all others
constexpr std::uint64_t of_rest = std::uint64_t{1} << 40;                    // counters of random numbers: attempts come first

/// Others on a line, each as long as its bound.
struct Span {
  std::uint32_t begin, last;
  double from, to, bound;
};

/// Chooses for one centre after the other. One per part.
class WeightedChoice {
 public:
  WeightedChoice(const Candidates& c, const CellSides& in, Numbers degree, bool repeats, ChoiceKeys keys, bool keyed, Edges& to,
                 std::vector<char>& short_of)
      : c_(c),
        in_(in),
        degree_(degree),
        repeats_(repeats),
        keys_(keys),
        keyed_(keyed),
        to_(to),
        short_of_(short_of),
        cover_(c, in),
        values_(c, in) {}

  void set_group(const Box& centres) {
    spans_.clear();
    double at = 0.0;
    for (const Stretch& s : cover_.close(centres)) {
      const double to = at + s.bound * s.size();
      if (to > at) spans_.push_back({s.begin, s.end - 1, at, to, s.bound});
      at = to;
    }
    if (!std::isfinite(at)) spans_.clear();
  }

  void draw(std::uint32_t centre) {
    centre_ = centre, wanted_ = degree_[centre], chosen_ = 0;
    taken_.clear();
    if (!spans_.empty()) attempt();
    short_of_[centre] = chosen_ < wanted_ && !choose_rest();
    for (const std::uint32_t place : taken_) is_taken_[place] = 0;
  }
  void finish() {}

 private:
  void attempt() {
    if (!repeats_) is_taken_.resize(in_.others.nodes.size(), 0);
    const auto most = static_cast<std::uint64_t>(attempts_per_choice * wanted_ + attempts_per_centre);
    for (std::uint64_t first = 0; chosen_ < wanted_ && first < most;) {
      const auto n = std::min(batch, static_cast<std::size_t>(wanted_ - chosen_) * 2 / 16 * 16 + 16);
      rng::draw_line(keys_.choices, {centre_, first, 0, 1}, n, {words_[0], words_[1], words_[2], words_[3]});
      for (std::size_t i = 0; i < n; ++i) u_[i] = rng::uniform(words_[2][i]) * find(rng::uniform52(words_[0][i], words_[1][i]), place_[i]);
      const double* weight = values(n);
      for (std::size_t i = 0; i < n && chosen_ < wanted_; ++i)
        if (u_[i] < weight[i] && !is_self(place_[i])) take(place_[i]);
      first += n;
    }
  }

  /// The other at this share of the line; returns its bound.
  double find(double share, std::uint32_t& place) const {
    const double at = share * spans_.back().to;
    const auto found = std::upper_bound(spans_.begin(), spans_.end() - 1, at, [](double x, const Span& s) { return x < s.to; });
    const double within = std::max((at - found->from) / found->bound, 0.0), most = found->last - found->begin;
    place = found->begin + static_cast<std::uint32_t>(std::min(within, most));
    return found->bound;
  }

  const double* values(std::size_t n) {
    std::fill_n(centres_, n, centre_);
    return values_.of(centres_, place_, n);
  }
  bool is_self(std::uint32_t place) const {
    return !c_.sides.centre_gid.empty() && c_.sides.centre_gid[centre_] == c_.sides.other_gid[in_.others.nodes[place]];
  }

  void take(std::uint32_t place) {
    if (!repeats_) {
      if (is_taken_[place]) return;
      is_taken_[place] = 1;
      taken_.push_back(place);
    }
    to_.list.add(centre_, c_.sides.order[in_.others.nodes[place]]);
    if (keyed_) to_.key.push_back((static_cast<std::int64_t>(centre_) << 32) + chosen_);
    ++chosen_;
  }

  /// Looks at all others; false when there are too few.
  bool choose_rest() {
    list_rest();
    const auto missing = static_cast<std::size_t>(wanted_ - chosen_);
    if (rest_.size() < (repeats_ ? 1 : missing)) return false;
    repeats_ ? repeated(missing) : winners(missing);
    return true;
  }

  /// Those that can be chosen, with repeats by cumulative weight, without by their arrival in an exponential race.
  void list_rest() {
    const std::size_t n = in_.others.nodes.size();
    if (!repeats_) is_taken_.resize(n, 0);
    rest_.clear();
    double sum = 0.0;
    for (std::size_t first = 0; first < n; first += batch) {
      const std::size_t some = std::min(batch, n - first);
      std::iota(place_, place_ + some, static_cast<std::uint32_t>(first));
      rng::draw_line(keys_.pairs, {centre_, first / 4, 0, 1}, batch / 4, {words_[0], words_[1], words_[2], words_[3]});
      const double* weight = values(some);
      for (std::size_t i = 0; i < some; ++i) {
        if (!(weight[i] > 0.0) || is_self(place_[i]) || (!repeats_ && is_taken_[place_[i]])) continue;
        sum += weight[i];
        rest_.emplace_back(repeats_ ? sum : -math::log(rng::uniform(words_[i % 4][i / 4])) / weight[i], place_[i]);
      }
    }
  }
  void winners(std::size_t missing) {
    std::partial_sort(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(missing), rest_.end());
    for (std::size_t i = 0; i < missing; ++i) take(rest_[i].second);
  }
  void repeated(std::size_t missing) {
    for (std::uint64_t k = 0; k < missing; ++k) {
      const rng::Words w = rng::draw(keys_.choices, centre_, of_rest + k);
      const double at = rng::uniform52(w[0], w[1]) * rest_.back().first;
      const auto found = std::upper_bound(rest_.begin(), rest_.end() - 1, at, [](double x, const auto& r) { return x < r.first; });
      take(found->second);
    }
  }

  const Candidates& c_;
  const CellSides& in_;
  const Numbers degree_;
  const bool repeats_;
  const ChoiceKeys keys_;
  const bool keyed_;
  Edges& to_;
  std::vector<char>& short_of_;
  Cover cover_;
  PairValues values_;
  std::vector<Span> spans_;
  std::uint32_t centre_ = 0;
  std::int64_t wanted_ = 0, chosen_ = 0;
  std::vector<std::uint32_t> taken_;
  std::vector<char> is_taken_;  ///< by place
  std::vector<std::pair<double, std::uint32_t>> rest_;
  std::uint32_t words_[4][batch], centres_[batch], place_[batch];
  double u_[batch];
};

}  // namespace

bool choices_pay(const Candidates& c, const CellSides& in, Numbers degree, bool repeats) {
  constexpr std::size_t tried = 16;
  // Costs of an attempt, of bounding a cell and of looking at an other [ns].
  const double attempt_cost = 60.0, cell_cost = 200.0, other_cost = repeats ? 6.0 : 20.0,
               others = static_cast<double>(in.others.nodes.size());
  const double mean = std::accumulate(degree.begin(), degree.end(), 0.0) / static_cast<double>(degree.size());
  Cover cover(c, in);
  double with = 0.0, without = 0.0;
  for (std::size_t i = 0; i < tried; ++i) {
    const Cell& group = in.centres.cells[in.groups[i * in.groups.size() / tried]];
    const bool bounded = !cover.close(group.box).empty();
    const double accepted = cover.low_share() / 2.0 + 0.5;  // the middle between the least and the most
    with +=
        cell_cost * static_cast<double>(cover.visits()) + group.size() * (bounded ? attempt_cost * mean / accepted : other_cost * others);
    without += group.size() * other_cost * others;
  }
  return 1.5 * with < without && 4.0 * mean < others;
}

Edges weighted_choices(const Candidates& c, const CellSides& in, Numbers centres, Numbers degree, bool repeats, ChoiceKeys keys, bool keyed,
                       int threads, std::vector<char>& short_of) {
  return in_groups(in, c.sides.centre_at[0].size(), centres, keyed, threads,
                   [&](Edges& to) { return WeightedChoice(c, in, degree, repeats, keys, keyed, to, short_of); });
}

}  // namespace npl::connect::space
