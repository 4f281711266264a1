// SPDX-License-Identifier: Apache-2.0
#include "connect/space/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/math.hpp"
#include "connect/space/batch.hpp"
#include "connect/space/even_choice.hpp"
#include "connect/space/parts.hpp"
#include "connect/space/skipping.hpp"
#include "connect/space/weighted_choice.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect::space {
namespace {

constexpr std::int64_t most_of_a_pair = 1024;  // edges of one pair with distinct keys
constexpr double most_mean = 500.0;

/// Smallest k with P(K <= k) >= u for K ~ Poisson(mean).
std::int64_t poisson_quantile(double u, double mean) {
  double term = math::exp(-mean), upto = term;
  std::int64_t k = 0;
  while (u > upto && k < most_of_a_pair - 1) {
    ++k;
    term *= mean / static_cast<double>(k);
    upto += term;
  }
  return k;
}

/// Draws the edges of a batch and appends them.
struct PairEdges {
  const Sides& sides;
  const Runs& runs;
  bool keyed;
  Edges& to;

  void bernoulli(Batch& pairs) {
    const double *p = pairs.values(), *u = pairs.uniforms();
    std::uint32_t chosen[batch];
    for (const Piece& piece : pairs.pieces()) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < piece.n; ++i) {
        chosen[count] = static_cast<std::uint32_t>(i);
        count += u[piece.at + i] < p[piece.at + i];
      }
      append(piece, pairs.others(piece), chosen, count);
    }
  }

  void poisson(Batch& pairs) {
    const double *mean = pairs.values(), *u = pairs.uniforms();
    for (const Piece& piece : pairs.pieces())
      for (std::size_t i = 0; i < piece.n; ++i) {
        const double m = mean[piece.at + i];
        if (!(m > 0.0)) continue;
        if (m > most_mean) throw BadParameter("mean number of connections of a pair", m, "at most 500");
        const std::int64_t number = poisson_quantile(u[piece.at + i], m);
        for (std::int64_t k = 0; k < number; ++k) append(piece, pairs.others(piece)[i], k);
      }
  }

 private:
  void append(const Piece& piece, const std::int64_t* others, const std::uint32_t* chosen, std::size_t count) {
    if (count == 0) return;
    const std::int64_t centre = runs.centre[piece.run], image = runs.image[piece.run];
    std::uint32_t* sources = to.list.add_some(centre, count);
    for (std::size_t i = 0; i < count; ++i) sources[i] = static_cast<std::uint32_t>(others[chosen[i]]);
    if (!keyed) return;
    for (std::size_t i = 0; i < count; ++i) to.key.push_back(pair_key(sides, centre, others[chosen[i]], image));
  }

  void append(const Piece& piece, std::int64_t other, std::int64_t k) {
    const std::int64_t centre = runs.centre[piece.run];
    to.list.add(centre, other);
    if (keyed) to.key.push_back(pair_key(sides, centre, other, runs.image[piece.run]) * most_of_a_pair + k);
  }
};

/// Collects the candidates of one centre and chooses among them.
class Choice {
 public:
  Choice(bool repeats, rng::Key key, bool keyed, Edges& to) : key_(key), repeats_(repeats), keyed_(keyed), to_(to) {}

  void add(const std::int64_t* order, std::size_t n, const double* weight, const double* u) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!(weight[i] > 0.0)) continue;
      other_.push_back(order[i]);
      // With repeats: cumulative weight. Without: arrival time in an exponential race (Efraimidis & Spirakis 2006).
      weight_.push_back(repeats_ ? (weight_.empty() ? 0.0 : weight_.back()) + weight[i] : -math::log(u[i]) / weight[i]);
    }
  }

  /// Appends the edges of the centre and clears the candidates; false when there are too few.
  bool finish(std::int64_t centre, std::int64_t degree) {
    const bool enough = degree == 0 || static_cast<std::int64_t>(other_.size()) >= (repeats_ ? 1 : degree);
    if (enough && degree > 0) repeats_ ? repeated(centre, degree) : winners(centre, degree);
    other_.clear();
    weight_.clear();
    return enough;
  }

 private:
  void append(std::int64_t centre, std::int64_t k, std::size_t chosen) {
    to_.list.add(centre, other_[chosen]);
    if (keyed_) to_.key.push_back((centre << 32) + k);
  }

  void repeated(std::int64_t centre, std::int64_t degree) {
    std::uint32_t w[4][batch];
    const bool guided = make_guide(degree);
    for (std::int64_t first = 0; first < degree; first += batch) {
      const auto n = static_cast<std::size_t>(std::min<std::int64_t>(batch, degree - first));
      rng::draw_line(key_, {static_cast<std::uint64_t>(centre), static_cast<std::uint64_t>(first), 0, 1}, n, {w[0], w[1], w[2], w[3]});
      for (std::size_t i = 0; i < n; ++i) {
        const double at = rng::uniform52(w[0][i], w[1][i]) * weight_.back();
        const std::size_t found = guided ? find_by_guide(at) : find(at);
        append(centre, first + static_cast<std::int64_t>(i), std::min(found, weight_.size() - 1));
      }
    }
  }

  /// The first candidate whose cumulative weight is larger.
  std::size_t find(double at) const {
    return static_cast<std::size_t>(std::upper_bound(weight_.begin(), weight_.end(), at) - weight_.begin());
  }
  /// The same: starts where the guide says, about, instead of in the middle.
  std::size_t find_by_guide(double at) const {
    std::size_t i = guide_[std::min(static_cast<std::size_t>(at * guide_scale_), guide_.size() - 1)];
    while (i > 0 && weight_[i - 1] > at) --i;
    while (i < weight_.size() && weight_[i] <= at) ++i;
    return i;
  }
  /// False where so few are chosen that it is not worth it.
  bool make_guide(std::int64_t degree) {
    constexpr std::int64_t worth = 16;  // candidates for each that is chosen
    const std::size_t n = weight_.size();
    guide_scale_ = static_cast<double>(n) / weight_.back();
    if (static_cast<std::int64_t>(n) > worth * degree || !std::isfinite(guide_scale_)) return false;
    guide_.resize(n);
    std::size_t cell = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto last = static_cast<std::size_t>(weight_[i] * guide_scale_);
      while (cell < n && cell <= last) guide_[cell++] = static_cast<std::uint32_t>(i);
    }
    std::fill(guide_.begin() + static_cast<std::ptrdiff_t>(cell), guide_.end(), static_cast<std::uint32_t>(n - 1));
    return true;
  }

  void winners(std::int64_t centre, std::int64_t degree) {
    rank_.resize(other_.size());
    std::iota(rank_.begin(), rank_.end(), std::uint32_t{0});
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return weight_[a] < weight_[b] || (weight_[a] == weight_[b] && a < b); };
    const auto last = rank_.begin() + degree;
    if (last != rank_.end()) std::nth_element(rank_.begin(), last, rank_.end(), earlier);
    std::sort(rank_.begin(), last, earlier);
    for (std::int64_t k = 0; k < degree; ++k) append(centre, k, rank_[static_cast<std::size_t>(k)]);
  }

  rng::Key key_;
  bool repeats_, keyed_;
  Edges& to_;
  std::vector<std::int64_t> other_;
  std::vector<double> weight_;
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint32_t> guide_;  ///< candidates by cumulative weight, in as many equal parts as there are candidates
  double guide_scale_ = 0.0;
};

/// Fills batches with the runs in order and calls take() for each.
template <class F>
void in_batches(const Runs& runs, Batch& pairs, F&& take) {
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (std::size_t first = 0; first < static_cast<std::size_t>(runs.length[run]);) {
      first += pairs.add(run, first);
      if (!pairs.full()) continue;
      take();
      pairs.clear();
    }
  if (pairs.pieces().empty()) return;
  take();
}

}  // namespace

Around around(const Candidates& c, Numbers centres) {
  Around made{{centres.begin(), centres.end()}};
  if (centres.size() > at_once) return made;
  made.runs.emplace();
  Search search(c.nearby.strips, c.nearby.reach, c.sides.centre_at);
  for (const std::int64_t centre : by_cell(c.sides, c.nearby, centres)) search.around(centre, *made.runs);
  return made;
}

Edges pairwise(const Candidates& c, const Around& around, Number number, rng::Key key, bool keyed, int threads) {
  if (number == Number::bernoulli && c.cells && c.cells->skips) return skipping(c, *c.cells, around.centres, key, keyed, threads);
  const auto draw = [&](const Runs& runs, Edges& to, int) {
    Batch pairs(c.sides, runs, c.program, &key);
    PairEdges edges{c.sides, runs, keyed, to};
    in_batches(runs, pairs, [&] { number == Number::bernoulli ? edges.bernoulli(pairs) : edges.poisson(pairs); });
  };
  if (!around.runs) return in_threads(c, around.centres, keyed, threads, draw);
  check_others(c.sides);
  std::vector<Edges> found(1);
  draw(*around.runs, found[0], 0);
  Team alone(1);
  return joined(found, keyed, alone);
}

Choices choose(const Candidates& candidates, Numbers centres, Numbers degree, bool repeats, ChoiceKeys keys, bool keyed, int threads) {
  const Sides& sides = candidates.sides;
  std::vector<char> few(degree.size(), 0);  // by centre: no two threads share one
  for (std::int64_t c : centres) few[static_cast<std::size_t>(c)] = degree[static_cast<std::size_t>(c)] > 0;
  const auto answer = [&](Edges found) -> Choices {
    const auto first = std::find(few.begin(), few.end(), 1);
    return {std::move(found), first == few.end() ? -1 : first - few.begin()};
  };
  if (candidates.program.constant().value_or(0.0) > 0.0 && (repeats || sides.order.size() >= few_others)) {
    const EvenChoice choose_some(candidates, repeats, keys.choices, keyed);
    std::vector<EvenChoice::Shuffled> shuffled(static_cast<std::size_t>(std::max(threads, 1)));
    return answer(in_threads(candidates, centres, keyed, threads, [&](const Runs& runs, Edges& to, int thread) {
      for (std::size_t run = 0, end = 0; run < runs.size(); run = end) {
        const auto centre = static_cast<std::size_t>(runs.centre[run]);
        while (end < runs.size() && runs.centre[end] == runs.centre[run]) ++end;
        few[centre] = !choose_some(runs, run, end, degree[centre], shuffled[static_cast<std::size_t>(thread)], to);
      }
    }));
  }
  if (const CellSides* cells = candidates.cells.get(); cells && choices_pay(candidates, *cells, degree, repeats))
    return answer(weighted_choices(candidates, *cells, centres, degree, repeats, keys, keyed, threads, few));
  return answer(in_threads(candidates, centres, keyed, threads, [&](const Runs& runs, Edges& to, int) {
    if (runs.size() == 0) return;
    Batch pairs(sides, runs, candidates.program, repeats ? nullptr : &keys.pairs);
    Choice choice(repeats, keys.choices, keyed, to);
    std::int64_t centre = runs.centre[0];
    const auto finish = [&] { few[static_cast<std::size_t>(centre)] = !choice.finish(centre, degree[static_cast<std::size_t>(centre)]); };
    in_batches(runs, pairs, [&] {
      const double *weight = pairs.values(), *u = repeats ? weight : pairs.uniforms();
      for (const Piece& piece : pairs.pieces()) {
        if (runs.centre[piece.run] != centre) finish(), centre = runs.centre[piece.run];
        choice.add(pairs.others(piece), piece.n, weight + piece.at, u + piece.at);
      }
    });
    finish();
  }));
}

}  // namespace npl::connect::space
