// SPDX-License-Identifier: Apache-2.0
#include "connect/space/pairs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/team.hpp"
#include "connect/space/batch.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect::space {
namespace {

constexpr std::int64_t most_of_a_pair = 1024;  // edges of one pair with distinct keys
constexpr double most_mean = 500.0;

constexpr std::size_t at_once = 256;  // centres per work item: their runs stay in the caches

/// Location of the edges of a centre: list number and index there.
struct Found {
  std::int64_t centre;
  std::uint32_t part, place;
  bool operator<(const Found& other) const { return centre < other.centre; }
};

std::vector<Found> by_centre(const std::vector<Edges>& parts) {
  std::vector<Found> found;
  for (std::uint32_t p = 0; p < parts.size(); ++p)
    for (std::uint32_t i = 0; i < parts[p].list.target.size(); ++i) found.push_back({parts[p].list.target[i], p, i});
  std::sort(found.begin(), found.end());
  return found;
}

/// Concatenates lists without common centres, by ascending centre.
Edges joined(const std::vector<Edges>& parts, bool keyed, Team& team) {
  const std::vector<Found> found = by_centre(parts);
  Edges all;
  EdgeList& list = all.list;
  for (const Found& f : found) {
    const auto& begin = parts[f.part].list.begin;
    list.target.push_back(f.centre);
    list.begin.push_back(list.begin.back() + begin[f.place + 1] - begin[f.place]);
  }
  list.source.resize(list.begin.back());
  all.key.resize(keyed ? list.size() : 0);
  const auto threads = static_cast<std::size_t>(team.size());
  team.run([&](int thread) {
    const std::size_t t = static_cast<std::size_t>(thread), end = found.size() * (t + 1) / threads;
    for (std::size_t i = found.size() * t / threads; i < end; ++i) {
      const Edges& part = parts[found[i].part];
      const std::uint64_t from = part.list.begin[found[i].place], n = list.begin[i + 1] - list.begin[i];
      std::copy_n(part.list.source.data() + from, n, list.source.data() + list.begin[i]);
      if (keyed) std::copy_n(part.key.data() + from, n, all.key.data() + list.begin[i]);
    }
  });
  return all;
}

/// Centres sorted by their cells: consecutive centres then find their others in the caches.
std::vector<std::int64_t> by_cell(const Sides& sides, const Nearby& nearby, Numbers centres) {
  const Search search(nearby.strips, nearby.reach, sides.centre_at);
  std::vector<std::pair<std::int64_t, std::int64_t>> placed;
  placed.reserve(centres.size());
  for (std::int64_t centre : centres) placed.emplace_back(search.cell_of(centre), centre);
  std::sort(placed.begin(), placed.end());
  std::vector<std::int64_t> sorted;
  sorted.reserve(placed.size());
  for (const auto& [cell, centre] : placed) sorted.push_back(centre);
  return sorted;
}

void check_others(const Sides& sides) {
  if (sides.order.size() >> 32) throw BadParameter("nodes to connect with", static_cast<double>(sides.order.size()), "less than 2^32");
}

/// Calls work(runs, edges) for groups of centres in several threads (each takes the next group) and concatenates the edges.
template <class Work>
Edges in_threads(const Candidates& c, Numbers some, bool keyed, int threads, Work&& work) {
  const Sides& sides = c.sides;
  const Nearby& nearby = c.nearby;
  check_others(sides);
  const std::vector<std::int64_t> centres = by_cell(sides, nearby, some);
  const std::size_t n = centres.size(), parts = (n + at_once - 1) / at_once;
  std::vector<Edges> found(parts);
  std::atomic<std::size_t> next{0};
  Team team(static_cast<int>(std::clamp<std::size_t>(parts, 1, static_cast<std::size_t>(std::max(threads, 1)))));
  team.run([&](int) {
    Search search(nearby.strips, nearby.reach, sides.centre_at);
    Runs runs;
    for (std::size_t part; (part = next++) < parts; runs.clear()) {
      for (std::size_t i = part * at_once; i < std::min(n, (part + 1) * at_once); ++i) search.around(centres[i], runs);
      work(static_cast<const Runs&>(runs), found[part]);
    }
  });
  return joined(found, keyed, team);
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

/// Where each other is in the sorted order, by gid; empty where autapses are allowed.
std::vector<std::pair<std::int64_t, std::int64_t>> places_of(const Sides& sides) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::size_t i = 0; i < sides.other_gid.size(); ++i) places.emplace_back(sides.other_gid[i], static_cast<std::int64_t>(i));
  std::sort(places.begin(), places.end());
  return places;
}

/// Chooses among the others of one centre, all alike: what Choice does for weights of 1, without looking at each of them.
class EvenChoice {
 public:
  EvenChoice(const Candidates& c, rng::Key key, bool keyed) : sides_(c.sides), places_(places_of(c.sides)), key_(key), keyed_(keyed) {}

  /// @param first, last runs of the centre. Appends its edges; false when it has no others.
  bool operator()(const Runs& runs, std::size_t first, std::size_t last, std::int64_t degree, Edges& to) const {
    const std::int64_t centre = runs.centre[first], self = own_index(runs, first, last);
    std::int64_t n = self >= 0 ? -1 : 0;
    for (std::size_t r = first; r < last; ++r) n += runs.length[r];
    if (degree == 0 || n == 0) return degree == 0;
    std::uint32_t w[4][batch];
    for (std::int64_t begin = 0; begin < degree; begin += batch) {
      const auto some = static_cast<std::size_t>(std::min<std::int64_t>(batch, degree - begin));
      rng::draw_line(key_, {static_cast<std::uint64_t>(centre), static_cast<std::uint64_t>(begin), 0, 1}, some, {w[0], w[1], w[2], w[3]});
      for (std::size_t i = 0; i < some; ++i) {
        const double at = rng::uniform52(w[0][i], w[1][i]) * static_cast<double>(n);
        const std::int64_t k = std::min(static_cast<std::int64_t>(at), n - 1);
        to.list.add(centre, other(runs, first, k + (self >= 0 && k >= self)));
        if (keyed_) to.key.push_back((centre << 32) + begin + static_cast<std::int64_t>(i));
      }
    }
    return true;
  }

 private:
  /// Index of the centre itself among its others, -1: it is none of them, or may be chosen.
  std::int64_t own_index(const Runs& runs, std::size_t first, std::size_t last) const {
    if (places_.empty()) return -1;
    const std::int64_t gid = sides_.centre_gid[static_cast<std::size_t>(runs.centre[first])];
    const auto found = std::lower_bound(places_.begin(), places_.end(), std::pair{gid, std::int64_t{0}});
    if (found == places_.end() || found->first != gid) return -1;
    std::int64_t before = 0;
    for (std::size_t r = first; r < last; before += runs.length[r++])
      if (const std::int64_t i = found->second - runs.start[r]; i >= 0 && i < runs.length[r]) return before + i;
    return -1;
  }
  std::int64_t other(const Runs& runs, std::size_t run, std::int64_t k) const {
    while (k >= runs.length[run]) k -= runs.length[run++];
    return sides_.order[static_cast<std::size_t>(runs.start[run] + k)];
  }

  const Sides& sides_;
  const std::vector<std::pair<std::int64_t, std::int64_t>> places_;
  const rng::Key key_;
  const bool keyed_;
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
  const auto draw = [&](const Runs& runs, Edges& to) {
    Batch pairs(c.sides, runs, c.program, &key);
    PairEdges edges{c.sides, runs, keyed, to};
    in_batches(runs, pairs, [&] { number == Number::bernoulli ? edges.bernoulli(pairs) : edges.poisson(pairs); });
  };
  if (!around.runs) return in_threads(c, around.centres, keyed, threads, draw);
  check_others(c.sides);
  std::vector<Edges> found(1);
  draw(*around.runs, found[0]);
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
  if (repeats && candidates.program.constant().value_or(0.0) > 0.0) {
    const EvenChoice choose_some(candidates, keys.choices, keyed);
    return answer(in_threads(candidates, centres, keyed, threads, [&](const Runs& runs, Edges& to) {
      for (std::size_t run = 0, end = 0; run < runs.size(); run = end) {
        const auto centre = static_cast<std::size_t>(runs.centre[run]);
        while (end < runs.size() && runs.centre[end] == runs.centre[run]) ++end;
        few[centre] = !choose_some(runs, run, end, degree[centre], to);
      }
    }));
  }
  return answer(in_threads(candidates, centres, keyed, threads, [&](const Runs& runs, Edges& to) {
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
