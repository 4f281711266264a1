// SPDX-License-Identifier: Apache-2.0
#include "connect/count_tree.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "connect/operations.hpp"
#include "rng/distribution.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect {
namespace {

constexpr std::uint64_t smallest_root = 256;  // enters the random keys of all tree nodes: changing it changes the networks

std::atomic<std::uint64_t> next_id{1};

}  // namespace

/// Path from the root to the position of the thread's last query.
struct CountTree::Path {
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  struct Node {
    std::uint64_t begin, end;       ///< positions; their number is a power of two, so that the tree does not depend on the size of the set
    std::uint64_t offset, n, left;  ///< edges before the node, in it, in its left half
    bool holds(std::uint64_t position) const { return begin <= position && position < end; }
  };

  std::uint64_t owner = 0;
  int last = 0;
  std::array<Node, 65> nodes;
};

CountTree::CountTree(rng::Key key, std::uint64_t n, Split split, std::uint64_t positions, std::uint64_t capacity,
                     std::optional<Subset> reduced)
    : key_(rng::Key::of(std::uint64_t{key.k1} << 32 | key.k0, rng::Purpose::tree, 0)),
      split_(split),
      n_(n),
      positions_(positions),
      capacity_(capacity),
      id_(next_id++),
      reduced_(std::move(reduced)) {}

inline CountTree::Weight CountTree::weight(std::uint64_t begin, std::uint64_t end) const {
  const auto from = static_cast<std::int64_t>(std::min(begin, positions_)), to = static_cast<std::int64_t>(std::min(end, positions_));
  const Weight whole = static_cast<Weight>(to - from) * capacity_;
  return reduced_ ? whole - static_cast<Weight>(reduced_->before(to) - reduced_->before(from)) : whole;
}

std::uint64_t CountTree::left_share(std::uint64_t begin, std::uint64_t middle, std::uint64_t end, std::uint64_t n) const {
  const Weight left = weight(begin, middle), all = left + weight(middle, end);
  if (left == all) return n;
  ++operations.splits;
  const rng::Words w = rng::draw(key_, begin, end);
  return share_of(left, all, n, rng::uniform52(w[0], w[1]));
}

inline std::uint64_t CountTree::share_of(Weight left, Weight all, std::uint64_t n, double uniform) const {
  if (split_ == Split::without_replacement) return rng::hypergeometric(all, left, n, uniform);
  if (all >> 63) return rng::binomial(n, static_cast<double>(left) / static_cast<double>(all), uniform);
  const auto small = static_cast<std::int64_t>(left), whole = static_cast<std::int64_t>(all);  // the same values, converted faster
  return rng::binomial(n, whole == 2 * small ? 0.5 : static_cast<double>(small) / static_cast<double>(whole), uniform);
}

std::uint64_t CountTree::root_end() const { return std::max(smallest_root, std::bit_ceil(positions_)); }

CountTree::Share CountTree::at(std::uint64_t position) const {
  thread_local std::array<Path, 4> paths;  // several: a rule may query two trees in turn
  Path& path = paths[id_ % paths.size()];
  if (path.owner != id_) {
    path.owner = id_, path.last = 0;
    path.nodes[0] = {0, root_end(), 0, n_, Path::unknown};
  }
  while (!path.nodes[static_cast<std::size_t>(path.last)].holds(position)) --path.last;
  for (;; ++path.last) {
    Path::Node& node = path.nodes[static_cast<std::size_t>(path.last)];
    if (node.n == 0 || node.end - node.begin == 1) return {node.offset, node.n};
    const std::uint64_t middle = node.begin + (node.end - node.begin) / 2;
    if (node.left == Path::unknown) node.left = left_share(node.begin, middle, node.end, node.n);
    (&node)[1] = position < middle ? Path::Node{node.begin, middle, node.offset, node.left, Path::unknown}
                                   : Path::Node{middle, node.end, node.offset + node.left, node.n - node.left, Path::unknown};
  }
}

/// A tree node that holds some of the wanted positions: those from `first` to before `last`.
struct CountTree::Visit {
  std::uint64_t begin, end, offset, n;
  std::uint32_t first, last;
};

/// The nodes of one level that are to be split, and the random blocks of those splits that are drawn, all at once.
class CountTree::Level {
 public:
  std::size_t size() const { return size_; }
  const Visit& operator[](std::size_t i) const { return nodes_[i]; }
  void clear() { size_ = 0; }
  void add(const Visit& v) { nodes_[size_++] = v; }
  double uniform(std::size_t i) const { return rng::uniform52(w_[0][i], w_[1][i]); }

  void draw(rng::Key key) {
    std::uint64_t begin[most_at_once], end[most_at_once];
    const std::size_t n = (size_ + 15) / 16 * 16;
    for (std::size_t i = 0; i < size_; ++i) begin[i] = nodes_[i].begin, end[i] = nodes_[i].end;
    for (std::size_t i = size_; i < n; ++i) begin[i] = end[i] = 0;
    rng::draw_listed(key, begin, end, n, {w_[0], w_[1], w_[2], w_[3]});
  }

 private:
  std::size_t size_ = 0;
  Visit nodes_[most_at_once];
  std::uint32_t w_[4][most_at_once];
};

namespace {

/// Index of the first of ascending positions that is not below a bound, without a search where they are evenly spaced.
class FirstFrom {
 public:
  explicit FirstFrom(std::span<const std::int64_t> positions) : positions_(positions) {
    const std::int64_t stride = positions.size() > 1 ? positions[1] - positions[0] : 1;
    if (!std::has_single_bit(static_cast<std::uint64_t>(stride))) return;
    bool even = true;
    for (std::size_t i = 1; i < positions.size(); ++i) even &= positions[i] - positions[i - 1] == stride;
    if (even) shift_ = std::countr_zero(static_cast<std::uint64_t>(stride));
  }
  std::uint32_t operator()(std::uint64_t bound, std::uint32_t first, std::uint32_t last) const {
    const auto wanted = static_cast<std::int64_t>(bound);
    if (shift_ >= 0) {
      const std::int64_t k = (wanted - positions_[0] + (std::int64_t{1} << shift_) - 1) >> shift_;
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>(k, first, last));
    }
    return static_cast<std::uint32_t>(std::lower_bound(positions_.begin() + first, positions_.begin() + last, wanted) - positions_.begin());
  }

 private:
  std::span<const std::int64_t> positions_;
  int shift_ = -1;  ///< log2 of the distance; -1: not evenly spaced
};

}  // namespace

void CountTree::at_each(std::span<const std::int64_t> positions, Share* shares) const {
  const FirstFrom first_from(positions);
  Level levels[2];
  Level *now = &levels[0], *next = &levels[1];
  const auto visit = [&](const Visit& v, Level& to) {
    if (v.n > 0 && v.end - v.begin > 1) return to.add(v);
    for (std::uint32_t i = v.first; i < v.last; ++i) shares[i] = {v.offset, v.n};
  };
  if (!positions.empty()) visit({0, root_end(), 0, n_, 0, static_cast<std::uint32_t>(positions.size())}, *now);
  for (; now->size() > 0; std::swap(now, next)) {
    now->draw(key_);
    next->clear();
    for (std::size_t k = 0; k < now->size(); ++k) {
      const Visit& v = (*now)[k];
      const std::uint64_t middle = v.begin + (v.end - v.begin) / 2;
      const Weight left = weight(v.begin, middle), all = left + weight(middle, v.end);
      operations.splits += left != all;
      const std::uint64_t n = left == all ? v.n : share_of(left, all, v.n, now->uniform(k));
      const std::uint32_t cut = first_from(middle, v.first, v.last);
      if (cut > v.first) visit({v.begin, middle, v.offset, n, v.first, cut}, *next);
      if (cut < v.last) visit({middle, v.end, v.offset + n, v.n - n, cut, v.last}, *next);
    }
  }
}

}  // namespace npl::connect
