// SPDX-License-Identifier: Apache-2.0
#include "circuit/spread.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace npl::circuit {
namespace {

using Key = std::uint64_t;
using Keys = std::vector<Key>;

constexpr int key_bits = 63;

/// Cube around the boxes of all ranks: corner and length of a side [um]. Collective.
struct Cube {
  double corner[3], side = 1;

  Cube(comm::Communicator& comm, const Pieces& pieces) {
    Box all;
    for (std::size_t i = 0; i < pieces.size(); ++i) all.add(pieces.box(i));
    double ends[6];
    for (int k = 0; k < 3; ++k) ends[k] = all.lo[k], ends[3 + k] = -all.hi[k];
    comm.allreduce(std::span<double>(ends), comm::Op::min);
    for (int k = 0; k < 3; ++k) {
      corner[k] = ends[k];
      if (-ends[3 + k] > ends[k]) side = std::max(side, -ends[3 + k] - ends[k]);
    }
  }
  Key key(const Box& box) const {
    std::uint32_t cell[3];
    for (int k = 0; k < 3; ++k) {
      const double middle = 0.5 * (static_cast<double>(box.lo[k]) + static_cast<double>(box.hi[k]));
      cell[k] = static_cast<std::uint32_t>(std::clamp((middle - corner[k]) / side * 0x1p21, 0.0, 0x1p21 - 1));
    }
    return hilbert(cell[0], cell[1], cell[2]);
  }
};

std::vector<std::uint32_t> order_along_curve(const Pieces& pieces, const Keys& keys) {
  if (pieces.size() >= std::size_t{1} << 29) throw TooLarge("pieces of branches on one rank", static_cast<double>(pieces.size()), 0x1p29);
  std::vector<std::uint32_t> order(pieces.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Piece &p = pieces[a], &q = pieces[b];
    return std::tie(keys[a], p.gid, p.section, p.first_segment) < std::tie(keys[b], q.gid, q.section, q.first_segment);
  });
  return order;
}

/// Keys at which the curve is cut: k / ranks of all segments lie before cut k. Found by bisection, for all cuts at once. Collective.
Keys find_cuts(comm::Communicator& comm, const Keys& sorted, const std::vector<std::int64_t>& segments_before) {
  const auto n_cuts = static_cast<std::size_t>(comm.size() - 1);
  std::int64_t total = segments_before.back();
  comm.allreduce({&total, 1}, comm::Op::sum);
  Keys cuts(n_cuts, 0);
  std::vector<std::int64_t> below(n_cuts);
  for (int bit = key_bits - 1; bit >= 0; --bit) {
    for (std::size_t k = 0; k < n_cuts; ++k) {
      const auto first = std::lower_bound(sorted.begin(), sorted.end(), cuts[k] | Key{1} << bit);
      below[k] = segments_before[static_cast<std::size_t>(first - sorted.begin())];
    }
    comm.allreduce(std::span<std::int64_t>(below), comm::Op::sum);
    for (std::size_t k = 0; k < n_cuts; ++k)
      if (below[k] <= static_cast<std::int64_t>(static_cast<unsigned __int128>(total) * (k + 1) / (n_cuts + 1))) cuts[k] |= Key{1} << bit;
  }
  return cuts;
}

/// Pieces in order along the curve, packed into a letter per rank. Counted first, so that no memory is reserved in vain.
Letters address(comm::Communicator& comm, const Pieces& pieces, const Keys& keys) {
  const auto order = order_along_curve(pieces, keys);
  Keys sorted;
  std::vector<std::int64_t> segments_before{0};
  for (std::uint32_t i : order) {
    sorted.push_back(keys[i]);
    segments_before.push_back(segments_before.back() + pieces[i].segments);
  }
  const Keys cuts = find_cuts(comm, sorted, segments_before);
  const auto rank_of = [&](std::uint32_t i) {
    return static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), keys[i]) - cuts.begin());
  };
  Letters letters(static_cast<std::size_t>(comm.size()));
  std::vector<std::size_t> bytes(letters.size());
  for (std::uint32_t i : order) bytes[rank_of(i)] += pieces.packed_bytes(i);
  for (std::size_t r = 0; r < letters.size(); ++r) letters[r].reserve(bytes[r]);
  for (std::uint32_t i : order) pieces.pack(i, letters[rank_of(i)]);
  return letters;
}

Keys keys_of(const Pieces& pieces, const Cube& cube) {
  Keys keys(pieces.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = cube.key(pieces.box(i));
  return keys;
}

Tree tree_over(const Pieces& pieces) {
  std::vector<Node> leaves(pieces.size());
  for (std::size_t i = 0; i < leaves.size(); ++i)
    for (std::size_t lane = 0; lane < pieces[i].segments; ++lane) leaves[i].set(lane, pieces.box(i, lane));
  return Tree(std::move(leaves));
}

}  // namespace

Index spread(comm::Communicator& comm, Mail& mail, Pieces pieces) {
  const Cube cube(comm, pieces);
  Keys keys = keys_of(pieces, cube);
  if (comm.size() > 1) {
    auto letters = address(comm, pieces, keys);
    pieces.clear();
    letters = mail.exchange(std::move(letters));
    for (const auto& letter : letters) pieces.expect(letter);
    for (auto& letter : letters) {
      pieces.take(letter);
      letter = {};
    }
    keys = keys_of(pieces, cube);
  }
  pieces.arrange(order_along_curve(pieces, keys));
  Tree tree = tree_over(pieces);
  return {std::move(pieces), std::move(tree)};
}

void check_unique(comm::Communicator& comm, std::span<const Gid> gids) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  Letters letters(ranks);
  for (const Gid& gid : gids) {
    const auto bytes = std::as_bytes(std::span(&gid, 1));
    auto& letter = letters[static_cast<std::size_t>(gid) % ranks];
    letter.insert(letter.end(), bytes.begin(), bytes.end());
  }
  std::vector<Gid> all;
  for (const auto& letter : make_mail(comm, "alltoallv")->exchange(std::move(letters))) {
    const auto* first = reinterpret_cast<const Gid*>(letter.data());
    all.insert(all.end(), first, first + letter.size() / sizeof(Gid));
  }
  std::sort(all.begin(), all.end());
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const auto found = std::adjacent_find(all.begin(), all.end());
  std::int64_t twice = found == all.end() ? none : *found;
  comm.allreduce({&twice, 1}, comm::Op::min);
  if (twice != none) throw BadParameter("gid", static_cast<double>(twice), "given once by all ranks together");
}

Router::Router(comm::Communicator& comm, const Tree& mine) {
  std::vector<Box> boxes = mine.cover(boxes_per_rank);
  n_boxes_ = boxes.size();
  boxes.resize(boxes_per_rank);
  std::vector<Box> all(boxes_per_rank * static_cast<std::size_t>(comm.size()));
  comm.allgather(boxes.data(), boxes_per_rank * sizeof(Box), all.data());
  std::vector<Node> leaves(all.size() / lanes);
  for (std::size_t i = 0; i < all.size(); ++i) leaves[i / lanes].set(i % lanes, all[i]);
  tree_ = Tree(std::move(leaves));
}

void Router::find(const Box& box, std::vector<std::uint32_t>& ranks) {
  leaves_.clear();
  ranks.clear();
  tree_.find(box, leaves_);
  tree_.narrow(box, leaves_, slots_);
  for (std::uint32_t slot : slots_) {
    const auto rank = static_cast<std::uint32_t>(slot / boxes_per_rank);
    if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);
  }
}

}  // namespace npl::circuit
