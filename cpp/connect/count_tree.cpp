// SPDX-License-Identifier: Apache-2.0
#include "connect/count_tree.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "connect/operations.hpp"
#include "rng/distribution.hpp"

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

CountTree::Weight CountTree::weight(std::uint64_t begin, std::uint64_t end) const {
  const auto from = static_cast<std::int64_t>(std::min(begin, positions_)), to = static_cast<std::int64_t>(std::min(end, positions_));
  const std::int64_t missing = reduced_ ? reduced_->before(to) - reduced_->before(from) : 0;
  return static_cast<Weight>(to - from) * capacity_ - static_cast<Weight>(missing);
}

std::uint64_t CountTree::left_share(std::uint64_t begin, std::uint64_t middle, std::uint64_t end, std::uint64_t n) const {
  const Weight left = weight(begin, middle), all = left + weight(middle, end);
  if (left == all) return n;
  ++operations.splits;
  const rng::Words w = rng::draw(key_, begin, end);
  const double u = rng::uniform52(w[0], w[1]);
  if (split_ == Split::without_replacement) return rng::hypergeometric(all, left, n, u);
  return rng::binomial(n, static_cast<double>(left) / static_cast<double>(all), u);
}

CountTree::Share CountTree::at(std::uint64_t position) const {
  thread_local std::array<Path, 4> paths;  // several: a rule may query two trees in turn
  Path& path = paths[id_ % paths.size()];
  if (path.owner != id_) {
    path.owner = id_, path.last = 0;
    path.nodes[0] = {0, std::max(smallest_root, std::bit_ceil(positions_)), 0, n_, Path::unknown};
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

}  // namespace npl::connect
