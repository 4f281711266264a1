// SPDX-License-Identifier: Apache-2.0
#include "connect/space/skipping.hpp"

#include <cmath>

#include "base/math.hpp"
#include "connect/space/groups.hpp"
#include "connect/space/pair_batch.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect::space {
namespace {

// Exact: points of a Poisson process of rate 1 fall on disjoint pieces of a line, one of length -log(1 - bound) per pair. At least one
// falls on a piece with probability bound, independently of the other pieces; the pair is then taken with probability p / bound.

constexpr double listed_from = 0.4;  // pieces of pairs with larger bounds would be hit too often: each of these pairs is looked at
constexpr std::uint64_t of_listed = std::uint64_t{1} << 40;  // counters of random numbers: points come first
constexpr double negligible = 1e-300;                        // a length whose reciprocal may be infinite

double length_of(const Stretch& s) { return -math::log1p(-s.bound); }

/// A stretch on the line of the process.
struct Pieces {
  std::uint32_t begin, last;  ///< its first and last node
  double from, to, per_length, bound;
};

/// Distances between points of the process, and numbers in (0, 1).
struct Points {
  NPL_INLINE static void run(const std::uint32_t* high, const std::uint32_t* low, std::size_t n, double* distance) {
    for (std::size_t i = 0; i < n; ++i) distance[i] = -math::log(rng::uniform52(high[i], low[i]));
  }
};

/// Draws the edges of groups of centres. One per thread.
class Skipper {
 public:
  Skipper(const Candidates& c, const CellSides& in, rng::Key key, bool keyed, Edges& to)
      : cover_(c, in), pairs_(c, in, keyed, to), key_(key) {}

  void set_group(const Box& centres) {
    pieces_.clear();
    listed_.clear();
    double at = 0.0;
    for (const Stretch& s : cover_.of(centres, 1.0)) {
      if (s.bound > listed_from) {
        listed_.push_back(s);
        continue;
      }
      const double length = length_of(s), to = at + length * s.size();
      if (to > at && length > negligible) pieces_.push_back({s.begin, s.end - 1, at, to, 1.0 / length, s.bound});
      at = to;
    }
  }

  void draw(std::uint32_t centre) {
    const auto candidate = [&](std::uint32_t place, double u) { pairs_.add(centre, place, u); };
    draw_points(centre, candidate);
    draw_listed(centre, candidate);
  }
  void finish() { pairs_.finish(); }

 private:
  /// Calls candidate(place, u): a pair whose probability exceeds u is an edge. Places are indices in the order of the cells.
  template <class F>
  void draw_points(std::uint64_t centre, F&& candidate) {
    if (pieces_.empty()) return;
    const double end = pieces_.back().to;
    double at = 0.0;
    std::uint32_t before = ~std::uint32_t{0};
    auto piece = pieces_.begin();
    for (std::uint64_t first = 0;;) {
      const double mean = end - at;
      const auto n = std::min(batch, static_cast<std::size_t>(std::min(mean + std::sqrt(mean), 1e3)) / 16 * 16 + 16);
      rng::draw_line(key_, {centre, first, 0, 1}, n, {words_[0], words_[1], words_[2], words_[3]});
      Dispatch<Points>::run(words_[0], words_[1], n, distance_);
      first += n;
      for (std::size_t i = 0; i < n; ++i) {
        at += distance_[i];
        if (!(at < end)) return;
        while (at >= piece->to) ++piece;
        const std::uint32_t place =
            std::min(piece->begin + static_cast<std::uint32_t>((at - piece->from) * piece->per_length), piece->last);
        if (place != before) candidate(place, rng::uniform(words_[2][i]) * piece->bound);  // a piece may be hit twice
        before = place;
      }
    }
  }

  template <class F>
  void draw_listed(std::uint64_t centre, F&& candidate) {
    std::uint64_t block = of_listed;
    for (const Stretch& s : listed_)
      for (std::uint32_t first = s.begin; first < s.end;) {
        const std::size_t n = std::min<std::size_t>(4 * batch, s.end - first), blocks = (n + 3) / 4;
        rng::draw_line(key_, {centre, block, 0, 1}, blocks, {words_[0], words_[1], words_[2], words_[3]});
        block += blocks;
        for (std::uint32_t i = 0; i < n; ++i) candidate(first + i, rng::uniform(words_[i % 4][i / 4]));
        first += static_cast<std::uint32_t>(n);
      }
  }

  Cover cover_;
  PairBatch pairs_;
  const rng::Key key_;
  std::vector<Pieces> pieces_;
  std::vector<Stretch> listed_;
  std::uint32_t words_[4][batch];
  double distance_[batch];
};

}  // namespace

double mean_candidates(const Stretch& s) { return s.size() * (s.bound > listed_from ? 1.0 : length_of(s)); }

Edges skipping(const Candidates& c, const CellSides& in, Numbers centres, rng::Key key, bool keyed, int threads) {
  return in_groups(in, c.sides.centre_at[0].size(), centres, keyed, threads, [&](Edges& to) { return Skipper(c, in, key, keyed, to); });
}

}  // namespace npl::connect::space
