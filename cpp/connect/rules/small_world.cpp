// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "connect/operations.hpp"
#include "connect/pair_rule.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect {
namespace {

/// Ring with rewired edges (Watts & Strogatz 1998, Nature 393:440). A target is reached from its k neighbours on the ring of positions,
/// k / 2 on either side, slot by slot in the order of the ring. With probability p a slot is rewired: its source is drawn uniformly from
/// the nodes that are neither the target nor one of the neighbours that stay. Arrays: one row of k values per target, slot by slot.
class SmallWorld final : public PairRule {
 public:
  explicit SmallWorld(const RuleContext& c)
      : PairRule(c), k_(static_cast<std::uint64_t>(c.params.count("k"))), p_(c.params.number("p")), rewiring_(derived(c.key)) {
    if (n_pre() != n_post()) throw BadLength("post", n_post(), n_pre(), "the number of nodes in pre");
    if (pre_.common(post_) != same_at_same_position(pre_, post_))
      throw BadParameter("post", "nodes of pre at other positions", "the nodes of pre in their order, or other nodes");
    if (k_ % 2) throw BadParameter("k", std::to_string(k_), "an even number: half of the neighbours are on either side");
    check_count("k", c.params.count("k"), std::min(n_pre() - 1, most_per_target), ", fewer than the nodes of the ring");
  }

  double expected_edges() const override { return static_cast<double>(k_) * static_cast<double>(n_post()); }
  Spread spread() const override { return {.kind = p_ > 0 ? Spread::Kind::pairs : Spread::Kind::per_source}; }
  std::int64_t array_length() const override { return array_size(k_, n_post()); }

  void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const override {
    thread_local Rewired rewired;
    start(gid(target), rewired);
    in_batches(k_, batch, sink, [&](std::uint64_t first) {
      for (std::size_t i = 0; i < batch.n; ++i) batch.source[i] = at(target, distance(first + i));
      if (rewired.done < rewired.slots.size())
        rewire(target, first, rewired, batch);
      else
        fill_words(key_, gid(target), first, batch);
      fill_index(static_cast<std::uint64_t>(target) * k_ + first, batch);
    });
  }

 private:
  /// Slots of a target that are rewired, ascending; how many of them have their source; the sources drawn so far.
  struct Rewired {
    std::vector<std::uint32_t> slots;
    std::size_t done = 0;
    SeenSet drawn;
  };

  static rng::Key derived(rng::Key key) { return rng::Key::of(std::uint64_t{key.k1} << 32 | key.k0, rng::Purpose::degree, 0); }

  /// Steps along the ring from the target to the neighbour of a slot.
  std::uint64_t distance(std::uint64_t slot) const { return slot < k_ / 2 ? n_pre() - k_ / 2 + slot : slot - k_ / 2 + 1; }
  std::uint64_t at(std::int64_t target, std::uint64_t steps) const {
    const std::uint64_t place = static_cast<std::uint64_t>(target) + steps;
    return place < n_pre() ? place : place - n_pre();
  }

  /// Chooses the slots: slot s is rewired when 53 bits of block (gid, s / 2) of an own key are below p.
  void start(std::uint64_t gid, Rewired& rewired) const {
    rewired.slots.clear(), rewired.done = 0;
    std::uint32_t w[4][batch_capacity];
    for (std::uint64_t block = 0; p_ > 0 && block < k_ / 2; block += batch_capacity) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(batch_capacity, k_ / 2 - block));
      operations.draws += n;
      rng::draw_line(rewiring_, {gid, block, 0, 1}, n, {w[0], w[1], w[2], w[3]});
      for (std::size_t i = 0; i < 2 * n; ++i)
        if (uniform(w[i % 2 * 2][i / 2], w[i % 2 * 2 + 1][i / 2]) < p_) rewired.slots.push_back(static_cast<std::uint32_t>(2 * block + i));
    }
    if (!rewired.slots.empty()) rewired.drawn.start(rewired.slots.size(), n_pre() - 1 - k_ + rewired.slots.size());
  }
  /// In [0, 1).
  static double uniform(std::uint32_t high, std::uint32_t low) {
    return static_cast<double>(std::uint64_t{high} << 21 | low >> 11) * 0x1p-53;
  }

  /// Draws the words of a batch, and the sources of its rewired slots.
  void rewire(std::int64_t target, std::uint64_t first, Rewired& rewired, EdgeBatch& batch) const {
    std::uint32_t w0[batch_capacity], w3[batch_capacity];
    operations.draws += batch.n;
    rng::draw_line(key_, {gid(target), first, 0, 1}, batch.n, {w0, batch.weight_word, batch.delay_word, w3});
    for (; rewired.done < rewired.slots.size() && rewired.slots[rewired.done] < first + batch.n; ++rewired.done) {
      const std::size_t i = rewired.slots[rewired.done] - first;
      batch.source[i] = at(target, draw(std::uint64_t{w0[i]} << 32 | w3[i], rewired));
    }
  }

  /// Floyd's algorithm: every set of new sources is as likely. Candidates are the n - 1 - k nodes that were no neighbours, in the order of
  /// the ring, then the neighbours that are rewired.
  std::uint64_t draw(std::uint64_t bits, Rewired& rewired) const {
    const std::uint64_t range = n_pre() - k_ + rewired.done, others = n_pre() - 1 - k_;
    auto chosen = static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
    if (!rewired.drawn.insert(chosen)) rewired.drawn.insert(chosen = range - 1);
    return chosen < others ? k_ / 2 + 1 + chosen : distance(rewired.slots[chosen - others]);
  }

  std::uint64_t k_;
  double p_;
  rng::Key rewiring_;
};

}  // namespace
}  // namespace npl::connect

NPL_RULE(small_world, SmallWorld, "Neighbours on a ring, each replaced by a random source with probability p (Watts & Strogatz 1998).",
         rows("n_post", "k"), count("k", "neighbours of a target on the ring: even, half of them on either side"),
         probability("p", "of an edge to get a source drawn from all that the target has not"))
