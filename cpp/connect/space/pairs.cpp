// SPDX-License-Identifier: Apache-2.0
#include "connect/space/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/team.hpp"
#include "connect/space/batch.hpp"

namespace npl::connect::space {
namespace {

constexpr std::int64_t most_of_a_pair = 1024;  // edges that keys tell apart
constexpr double most_mean = 500.0;

/// First run of each thread and the end: about the same number of pairs each, whole centres.
std::vector<std::size_t> shares(const Runs& runs, std::size_t threads) {
  const std::size_t n = runs.length.size();
  std::vector<std::size_t> begin{0};
  const double total = std::accumulate(runs.length.begin(), runs.length.end(), 0.0);
  double seen = 0.0;
  for (std::size_t i = 0; i < n && begin.size() < threads; ++i) {
    if (i > 0 && runs.centre[i] != runs.centre[i - 1] && seen >= total * static_cast<double>(begin.size()) / static_cast<double>(threads))
      begin.push_back(i);
    seen += static_cast<double>(runs.length[i]);
  }
  begin.push_back(n);
  return begin;
}

/// Calls work(first run, end, place for its edges) in several threads, and joins the edges in order.
template <class Out>
Out in_threads(const Runs& runs, int threads, const std::function<void(std::size_t, std::size_t, Out&)>& work) {
  const std::vector<std::size_t> begin = shares(runs, static_cast<std::size_t>(std::max(threads, 1)));
  std::vector<Out> found(begin.size() - 1);
  Team team(static_cast<int>(found.size()));
  team.run([&](int t) {
    const auto i = static_cast<std::size_t>(t);
    work(begin[i], begin[i + 1], found[i]);
  });
  for (std::size_t i = 1; i < found.size(); ++i) found[0].join(std::move(found[i]));
  return std::move(found[0]);
}

std::int64_t pair_key(const Sides& sides, std::int64_t centre, std::int64_t other, std::int64_t image) {
  const std::int64_t target = sides.centre_is_target ? centre : other, source = sides.centre_is_target ? other : centre;
  return (target * sides.n_sources + source) * sides.n_images + image;
}

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

/// Appends the edges of a batch.
template <class Out>
struct PairEdges {
  const Sides& sides;
  const Runs& runs;
  Out& to;

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
    const std::int64_t centre = runs.centre[piece.run], image = runs.image[piece.run];
    for (std::size_t i = 0; i < count; ++i) to.add(centre, others[chosen[i]], pair_key(sides, centre, others[chosen[i]], image));
  }

  void append(const Piece& piece, std::int64_t other, std::int64_t k) {
    const std::int64_t centre = runs.centre[piece.run];
    to.add(centre, other, pair_key(sides, centre, other, runs.image[piece.run]) * most_of_a_pair + k);
  }
};

/// Candidates of one centre, and its choice among them.
template <class Out>
class Choice {
 public:
  Choice(bool repeats, rng::Key key, Out& to) : key_(key), repeats_(repeats), to_(to) {}

  void add(const std::int64_t* order, std::size_t n, const double* weight, const double* u) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!(weight[i] > 0.0)) continue;
      other_.push_back(order[i]);
      // With repeats the sum of weights so far, else when the candidate arrives in an exponential race.
      weight_.push_back(repeats_ ? (weight_.empty() ? 0.0 : weight_.back()) + weight[i] : -math::log(u[i]) / weight[i]);
    }
  }

  /// Appends the edges of the centre; false where there are too few candidates.
  bool finish(std::int64_t centre, std::int64_t degree) {
    const bool enough = degree == 0 || static_cast<std::int64_t>(other_.size()) >= (repeats_ ? 1 : degree);
    if (enough && degree > 0) repeats_ ? repeated(centre, degree) : winners(centre, degree);
    other_.clear();
    weight_.clear();
    return enough;
  }

 private:
  void append(std::int64_t centre, std::int64_t k, std::size_t chosen) { to_.add(centre, other_[chosen], (centre << 32) + k); }

  void repeated(std::int64_t centre, std::int64_t degree) {
    for (std::int64_t k = 0; k < degree; ++k) {
      const rng::Words w = rng::draw(key_, static_cast<std::uint64_t>(centre), static_cast<std::uint64_t>(k));
      const double at = rng::uniform52(w[0], w[1]) * weight_.back();
      const auto found = static_cast<std::size_t>(std::upper_bound(weight_.begin(), weight_.end(), at) - weight_.begin());
      append(centre, k, std::min(found, weight_.size() - 1));
    }
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
  bool repeats_;
  Out& to_;
  std::vector<std::int64_t> other_;
  std::vector<double> weight_;
  std::vector<std::uint32_t> rank_;
};

/// Fills batches with the runs from begin to end - 1, in order, and calls take() for each.
template <class F>
void in_batches(const Runs& runs, std::size_t begin, std::size_t end, Batch& pairs, F&& take) {
  for (std::size_t run = begin; run < end; ++run)
    for (std::int64_t first = 0; first < runs.length[run];) {
      first += static_cast<std::int64_t>(pairs.add(run, first));
      if (!pairs.full()) continue;
      take();
      pairs.clear();
    }
  if (pairs.pieces().empty()) return;
  take();
}

}  // namespace

void Edges::join(Edges&& more) {
  for (auto column : {&Edges::centre, &Edges::other, &Edges::key}) {
    (this->*column).insert((this->*column).end(), (more.*column).begin(), (more.*column).end());
    (more.*column) = {};
  }
}

template <class Out>
Out pairwise(const Sides& sides, const Runs& runs, const Program& program, Number number, rng::Key key, int threads) {
  return in_threads<Out>(runs, threads, [&](std::size_t begin, std::size_t end, Out& to) {
    Batch pairs(sides, runs, program, &key);
    PairEdges<Out> edges{sides, runs, to};
    in_batches(runs, begin, end, pairs, [&] { number == Number::bernoulli ? edges.bernoulli(pairs) : edges.poisson(pairs); });
  });
}

template <class Out>
Out choose(const Sides& sides, const Runs& runs, const Program& program, Numbers degree, bool repeats, ChoiceKeys keys, int threads,
           std::int64_t& short_of) {
  std::vector<char> few(degree.size(), 0);  // by centre: no two threads share one
  Out found = in_threads<Out>(runs, threads, [&](std::size_t begin, std::size_t end, Out& to) {
    if (begin == end) return;
    Batch pairs(sides, runs, program, repeats ? nullptr : &keys.pairs);
    Choice<Out> choice(repeats, keys.choices, to);
    std::int64_t centre = runs.centre[begin];
    const auto finish = [&] { few[static_cast<std::size_t>(centre)] = !choice.finish(centre, degree[static_cast<std::size_t>(centre)]); };
    in_batches(runs, begin, end, pairs, [&] {
      const double* weight = pairs.values();
      for (const Piece& piece : pairs.pieces()) {
        if (runs.centre[piece.run] != centre) finish(), centre = runs.centre[piece.run];
        choice.add(pairs.others(piece), piece.n, weight + piece.at, pairs.uniforms() + piece.at);
      }
    });
    finish();
  });
  const auto first = std::find(few.begin(), few.end(), 1);
  short_of = first == few.end() ? -1 : first - few.begin();
  return found;
}

template Edges pairwise(const Sides&, const Runs&, const Program&, Number, rng::Key, int);
template ListedEdges pairwise(const Sides&, const Runs&, const Program&, Number, rng::Key, int);
template Edges choose(const Sides&, const Runs&, const Program&, Numbers, bool, ChoiceKeys, int, std::int64_t&);
template ListedEdges choose(const Sides&, const Runs&, const Program&, Numbers, bool, ChoiceKeys, int, std::int64_t&);

}  // namespace npl::connect::space
