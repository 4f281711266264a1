// SPDX-License-Identifier: Apache-2.0
/// Edges drawn without tables. draw_edges(): those of a rule as arrays, for callers that compute weights and delays from source and target
/// and then connect explicitly. described_edges(): how many there are.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "rng/formula.hpp"
#include "sim/description.hpp"
#include "sim/fingerprint.hpp"

namespace npl::sim {
namespace {

/// Throws BadParameter where a target has more edges than keys tell apart.
void check_edges(std::int64_t n) {
  if (n > std::int64_t{1} << rng::edge_key_bits)
    throw BadParameter("edges of a target", static_cast<double>(n), "at most 2^22 where values are evaluated edge by edge");
}

class EdgeList final : public connect::EdgeSink {
 public:
  explicit EdgeList(DrawnEdges& out) : out_(out) {}
  void start(std::int64_t target) { target_ = target, count_ = 0; }
  void take(const connect::EdgeBatch& batch) override {
    const auto n = static_cast<std::int64_t>(batch.n);
    check_edges(count_ + n);
    out_.source.insert(out_.source.end(), batch.source, batch.source + n);
    out_.target.insert(out_.target.end(), batch.n, target_);
    const std::size_t before = out_.key.size();
    out_.key.resize(before + batch.n);
    for (std::int64_t k = 0; k < n; ++k)
      out_.key[before + static_cast<std::size_t>(k)] =
          static_cast<std::int64_t>(rng::edge_key(target_, static_cast<std::uint64_t>(count_ + k)));
    if (batch.wants_index) out_.index.insert(out_.index.end(), batch.value_index, batch.value_index + n);
    count_ += n;
  }

 private:
  DrawnEdges& out_;
  std::int64_t target_ = 0, count_ = 0;
};

/// Weights and delays that formulas give for the edges of one thread's targets. Rules do not expect exceptions: they come from check().
class FormulaSink final : public connect::EdgeSink {
 public:
  explicit FormulaSink(const connect::Projection& p) : resolution_(p.resolution) {
    if (p.weight.kind == rng::Kind::formula) weight_ = p.weight.formula->evaluator(), draws_ = p.weight.formula->draws();
    if (p.delay.kind == rng::Kind::formula) delay_ = p.delay.formula->evaluator(), draws_ |= p.delay.formula->draws();
  }
  /// Sets the targets of the next edges. The local index of a target is its index in this batch.
  void start(const connect::TargetBatch& targets) { targets_ = &targets, count_ = 0; }
  void take(const connect::EdgeBatch& b) override {
    range.edges += b.n;
    place(b);
    if (weight_) {
      weight_->evaluate(b.source, target_, key_, b.n, value_);
      for (std::size_t i = 0; i < b.n; ++i) {
        if (!std::isfinite(value_[i]) && !bad_weight_) bad_weight_ = value_[i];
        range.low = std::min(range.low, value_[i]), range.high = std::max(range.high, value_[i]);
        range.negative += value_[i] < 0;
      }
    }
    if (!delay_) return;
    delay_->evaluate(b.source, target_, key_, b.n, value_);
    for (std::size_t i = 0; i < b.n; ++i) {
      const auto k = static_cast<std::size_t>(rng::steps_or_0(value_[i], resolution_));
      if (!k && !bad_delay_) bad_delay_ = value_[i];
      if (k >= range.delays.size()) range.delays.resize(k + 1);
      ++range.delays[k];
    }
  }
  /// Throws BadParameter for too many edges of a target and for the first weight that is not finite, BadDelay for the first delay that
  /// cannot be.
  void check() const {
    if (draws_) check_edges(static_cast<std::int64_t>(most_));
    if (bad_weight_) throw BadParameter("weight", *bad_weight_, "finite for every connection");
    if (bad_delay_) rng::delay_steps(*bad_delay_, resolution_);
  }
  connect::FormulaRange range;

 private:
  void place(const connect::EdgeBatch& b) {
    for (std::size_t i = 0; i < b.n; ++i) {
      if (b.target[i] != last_) last_ = b.target[i], count_ = 0;
      target_[i] = targets_->position[last_];
      key_[i] = rng::edge_key(target_[i], count_++);
      most_ = std::max(most_, count_);
    }
  }

  double resolution_;
  bool draws_ = false;
  const connect::TargetBatch* targets_ = nullptr;
  Local last_ = 0;
  std::uint64_t count_ = 0, most_ = 0;  ///< edges of the target; the most of any target
  std::optional<double> bad_weight_, bad_delay_;
  std::unique_ptr<rng::Formula::Evaluator> weight_, delay_;
  std::int64_t target_[connect::batch_capacity];
  std::uint64_t key_[connect::batch_capacity];
  double value_[connect::batch_capacity];
};

void merge(const connect::FormulaRange& from, connect::FormulaRange& to) {
  to.edges += from.edges, to.negative += from.negative;
  to.low = std::min(to.low, from.low), to.high = std::max(to.high, from.high);
  to.delays.resize(std::max(to.delays.size(), from.delays.size()));
  for (std::size_t k = 0; k < from.delays.size(); ++k) to.delays[k] += from.delays[k];
}

struct EdgeCounter final : connect::EdgeSink {
  void take(const connect::EdgeBatch& batch) override { n += static_cast<std::int64_t>(batch.n); }
  std::int64_t n = 0;
};

std::int64_t count_of(const connect::Projection& p, connect::EdgeBatch& scratch) {
  if (!p.rule->draws_number()) return static_cast<std::int64_t>(p.rule->expected_edges());
  EdgeCounter counter;
  for (std::int64_t t = 0; t < p.post.size(); ++t) p.rule->edges(t, scratch, counter);
  return counter.n;
}

}  // namespace

DrawnEdges Description::draw_edges(const connect::NodeSet& pre, const connect::NodeSet& post, const std::string& rule,
                                   const connect::RuleParams& params) const {
  for (const auto& [set, name] : {std::pair{&pre, "pre"}, std::pair{&post, "post"}}) {
    if (set->size() == 0) throw BadParameter(name, "an empty collection", "at least one node");
    populations_.of(set->lowest(), name), populations_.of(set->highest(), name);
  }
  const rng::Key key = rng::Key::of(settings_.seed, rng::Purpose::connect, static_cast<std::uint64_t>(progress_.projections));
  const auto drawn = connect::find_rule(rule).make({pre, post, key, params});
  check_memory(drawn->expected_edges() / ranks() * 4 * sizeof(std::int64_t), "draw_edges");
  DrawnEdges edges;
  EdgeList list(edges);
  const auto batch = std::make_unique<connect::EdgeBatch>();
  batch->with_words = false;
  batch->wants_index = drawn->array_length() >= 0;
  for (auto* column : {&edges.source, &edges.target, &edges.key, &edges.index})
    if (column != &edges.index || batch->wants_index) reserve_pages(*column, static_cast<std::size_t>(drawn->expected_edges() / ranks()));
  for (std::int64_t t = 0; t < post.size(); ++t) {
    if (ranks() > 1 && populations_.rank_of(post[t]) != rank()) continue;
    list.start(t);
    drawn->edges(t, *batch, list);
  }
  return edges;
}

/// Evaluates formulas on all edges of this rank, so that all is known and checked before the tables are built. Throws BadParameter for
/// weights that are not finite, BadDelay, BadLength.
void Description::take_formulas(connect::Projection& p, const ConnectCall& call) const {
  for (const rng::ValueSpec* v : {&call.weight, &call.delay}) {
    if (v->kind != rng::Kind::formula) continue;
    for (const auto& [n, wanted] :
         {std::pair{v->formula->n_sources(), call.pre.size()}, std::pair{v->formula->n_targets(), call.post.size()}})
      if (n >= 0 && n != wanted) throw BadLength("positions", static_cast<std::size_t>(n), static_cast<std::size_t>(wanted));
  }
  Team team(static_cast<int>(std::clamp<std::int64_t>(call.post.size() / 256, 1, settings_.threads)));
  std::vector<std::unique_ptr<FormulaSink>> sinks;
  for (int thread = 0; thread < team.size(); ++thread) sinks.push_back(std::make_unique<FormulaSink>(p));
  team.run([&](int thread) {
    FormulaSink& sink = *sinks[static_cast<std::size_t>(thread)];
    const auto batches = std::make_unique<connect::EdgeBatches>();
    for (connect::EdgeBatch* batch : {&batches->joined, &batches->single}) batch->with_words = batch->wants_index = false;
    connect::TargetBatch targets;
    const auto send = [&] {
      if (targets.n == 0) return;
      sink.start(targets);
      p.rule->edges_of(targets, *batches, sink);
      targets.n = 0;
    };
    for (std::int64_t t = call.post.size() * thread / team.size(); t < call.post.size() * (thread + 1) / team.size(); ++t) {
      const Gid gid = call.post[t];
      if (ranks() > 1 && populations_.rank_of(gid) != rank()) continue;
      targets.position[targets.n] = t, targets.gid[targets.n] = gid, targets.local[targets.n] = static_cast<Local>(targets.n);
      if (++targets.n == connect::TargetBatch::capacity) send();
    }
    send();
  });
  for (const auto& sink : sinks) sink->check(), merge(sink->range, p.range);
  if (p.delay.kind != rng::Kind::formula || !p.range.edges) return;
  const auto& delays = p.range.delays;
  p.lowest_delay = static_cast<Delay>(std::find_if(delays.begin(), delays.end(), [](std::uint64_t n) { return n > 0; }) - delays.begin());
  p.highest_delay = static_cast<Delay>(delays.size() - 1);
}

void Description::count_described() {
  if (n_edges_.size() == projections_.size()) return;
  const auto scratch = std::make_unique<connect::EdgeBatch>();
  scratch->with_words = scratch->wants_index = false;
  for (std::size_t k = n_edges_.size(); k < projections_.size(); ++k) {
    n_edges_.push_back(count_of(*projections_[k], *scratch));
    n_edges_of_all_ += n_edges_.back();
  }
}

std::span<const std::int64_t> Description::described_edges(std::size_t n) {
  count_described();
  return std::span(n_edges_).last(std::min(n, n_edges_.size()));
}

std::int64_t Description::n_described_edges() {
  count_described();
  return n_edges_of_all_;
}

void Description::note_built() {
  for (DrawnCall& d : drawn_)
    if (d.built < 0) d.built = step_;
  projections_.clear();
  samplers_.clear();
  n_edges_.clear();
  n_edges_of_all_ = 0;
}

}  // namespace npl::sim
