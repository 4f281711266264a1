// SPDX-License-Identifier: Apache-2.0
#include "connect/builder.hpp"

#include <algorithm>
#include <array>

#include "connect/draft.hpp"
#include "connect/table_groups.hpp"
#include "connect/vary.hpp"
#include "rng/formula.hpp"

namespace npl::connect {
namespace {

/// Evaluates the formulas of a projection for batches of its edges in a slice. Call start() with every batch, in the order of the edges.
class Formulas {
 public:
  Formulas(const Projection& p, const Residents& nodes) : p_(p), nodes_(nodes) {
    if (p.weight.kind == rng::Kind::formula) weight_ = p.weight.formula->evaluator();
    if (p.delay.kind == rng::Kind::formula) delay_ = p.delay.formula->evaluator();
  }
  void start(const EdgeBatch& b) {
    for (std::size_t i = 0; i < b.n; ++i) {
      if (b.target[i] != last_ || position_ < 0) last_ = b.target[i], position_ = p_.post.position(nodes_.gid(last_)), edge_ = 0;
      target_[i] = position_;
      key_[i] = rng::edge_key(position_, edge_++);
    }
  }
  template <class W>
  void weights(const EdgeBatch& b, W* out) {
    weight_->evaluate(b.source, target_, key_, b.n, value_);
    for (std::size_t i = 0; i < b.n; ++i) out[i] = static_cast<W>(value_[i]);
  }
  void delays(const EdgeBatch& b, Delay* out) {
    delay_->evaluate(b.source, target_, key_, b.n, value_);
    for (std::size_t i = 0; i < b.n; ++i) out[i] = rng::steps_or_0(value_[i], p_.resolution);  // checked before
  }

 private:
  const Projection& p_;
  const Residents& nodes_;
  std::unique_ptr<rng::Formula::Evaluator> weight_, delay_;
  Local last_ = 0;
  std::int64_t position_ = -1;  ///< of the last target, in the postsynaptic set
  std::uint64_t edge_ = 0;      ///< index of the next edge among those of the last target
  std::int64_t target_[batch_capacity];
  std::uint64_t key_[batch_capacity];
  double value_[batch_capacity];
};

std::unique_ptr<Formulas> formulas_of(const Projection& p, const Residents& nodes) {
  return p.has_formula() ? std::make_unique<Formulas>(p, nodes) : nullptr;
}

/// Writes the weights of a batch to out[n]: explicit, drawn, computed or constant.
template <class W>
void batch_weights(const Projection& p, const EdgeBatch& b, Formulas* formulas, W* out) {
  if (p.weight.kind == rng::Kind::formula) return formulas->weights(b, out);
  if (!p.float_weights.empty())
    for (std::size_t i = 0; i < b.n; ++i) out[i] = static_cast<W>(p.float_weights[b.value_index[i]]);
  else if (p.weight.kind == rng::Kind::array)
    for (std::size_t i = 0; i < b.n; ++i) out[i] = static_cast<W>((*p.weight.values)[b.value_index[i]]);
  else if (p.weights)
    p.weights->draw({b.weight_word, b.n}, out);
  else
    std::fill_n(out, b.n, static_cast<W>(p.weight.a));
}

/// Writes the codes of the weights of a batch, which are drawn.
void batch_weights(const Projection& p, const EdgeBatch& b, Formulas*, tables::Code* out) {
  for (std::size_t i = 0; i < b.n; ++i) out[i] = static_cast<tables::Code>(p.first_code + rng::code_of(b.weight_word[i], p.weight.bits));
}

void batch_delays(const Projection& p, const EdgeBatch& b, Formulas* formulas, Delay* out) {
  if (!p.delay_values.empty())
    for (std::size_t i = 0; i < b.n; ++i) out[i] = p.delay_values[b.value_index[i]];
  else if (p.lowest_delay == p.highest_delay)
    std::fill_n(out, b.n, p.lowest_delay);
  else if (p.delay.kind == rng::Kind::formula)
    formulas->delays(b, out);
  else
    p.delays->draw({b.delay_word, b.n}, out);
}

}  // namespace

/// Of one builder thread.
struct SliceBuilder::Scratch {
  TargetBatch targets;
  EdgeBatches batches;
  std::array<Gid, batch_capacity> gid;
  std::array<Delay, batch_capacity> delay;
  std::array<float, batch_capacity> weight32;
  std::array<double, batch_capacity> weight64;
  std::array<tables::Code, batch_capacity> code;
  std::array<Keyed<float>, batch_capacity> keyed32;
  std::array<Keyed<double>, batch_capacity> keyed64;
  std::array<Gid, batch_capacity> some_gid;  ///< of edges of one sign, as all below
  std::array<Local, batch_capacity> some_target;
  std::array<Delay, batch_capacity> some_delay;
  std::array<float, batch_capacity> some_weight32;
  std::array<double, batch_capacity> some_weight64;
  std::array<tables::Code, batch_capacity> some_code;
  std::array<Keyed<float>, batch_capacity> some_keyed32;
  std::array<Keyed<double>, batch_capacity> some_keyed64;
};

/// Widens a shape by a projection. @param edges expected number of its edges in this slice
void SliceBuilder::include(const Projection& p, double edges, DraftShape& s) {
  const bool first = s.highest < s.lowest;
  s.lowest = first ? p.pre.lowest() : std::min(s.lowest, p.pre.lowest());
  s.highest = first ? p.pre.highest() : std::max(s.highest, p.pre.highest());
  s.lowest_delay = first ? p.lowest_delay : std::min(s.lowest_delay, p.lowest_delay);
  s.highest_delay = first ? p.highest_delay : std::max(s.highest_delay, p.highest_delay);
  s.edges += edges;
}

/// Range of sources, range of delays and expected number of edges of each table in this slice.
std::vector<DraftShape> SliceBuilder::shapes() const {
  std::vector<DraftShape> all(specs_.size());
  for (DraftShape& s : all) s.order = options_.order;
  for (const auto& p : projections_) {
    if (p->pre.size() == 0) continue;
    const auto targets = static_cast<double>(p->post.count_in(nodes_));
    const double edges = p->rule->expected_edges() * targets / static_cast<double>(std::max<std::int64_t>(1, p->post.size()));
    include(*p, edges, all[static_cast<std::size_t>(p->table)]);
    if (p->sign_varies()) include(*p, edges, all[static_cast<std::size_t>(p->negative_table)]);
  }
  return all;
}

/// One draft per table spec in use.
SliceBuilder::Drafts SliceBuilder::make_drafts(const std::vector<DraftShape>& all) const {
  Drafts drafts(specs_.size());
  for (std::size_t t = 0; t < specs_.size(); ++t) {
    const DraftShape& shape = all[t];
    if (shape.highest >= shape.lowest)
      drafts[t] = std::make_unique<Draft>(*specs_[t], shape, options_.sorted.value_or(shape.sparse()), options_.pool);
  }
  return drafts;
}

/// In the order in which they are filled. The projections of a table keep their order, and so do the synapses of its rows.
std::vector<SliceBuilder::Part> SliceBuilder::parts(const std::vector<DraftShape>& shapes) const {
  TableGroups groups(specs_.size());
  for (const auto& p : projections_)
    if (p->sign_varies()) groups.join(p->table, p->negative_table);
  std::vector<double> edges;
  for (const DraftShape& s : shapes) edges.push_back(s.edges);
  std::vector<Part> all;
  std::vector<std::size_t> part_of(specs_.size());  // by table
  for (std::vector<int>& tables : groups.in_order(edges)) {
    for (const int t : tables) part_of[static_cast<std::size_t>(t)] = all.size();
    all.push_back({std::move(tables), {}, {}});
  }
  for (std::size_t k = 0; k < projections_.size(); ++k) {
    Part& part = all[part_of[static_cast<std::size_t>(projections_[k]->table)]];
    part.projections.push_back(projections_[k].get());
    part.in_degrees.push_back(options_.in_degrees ? options_.in_degrees->of(k) : nullptr);
  }
  std::erase_if(all, [](const Part& part) { return part.projections.empty(); });
  return all;
}

/// Pass 1: counts the edges per source.
class SliceBuilder::CountSink final : public EdgeSink {
 public:
  CountSink(const Projection& p, const Residents& nodes, Drafts& drafts, Scratch& s)
      : p_(p), drafts_(drafts), s_(s), formulas_(formulas_of(p, nodes)) {}
  void take(const EdgeBatch& b) override {
    p_.pre.gids({b.source, b.n}, s_.gid.data());
    Draft& table = *drafts_[static_cast<std::size_t>(p_.table)];
    if (!p_.sign_varies()) return table.count({s_.gid.data(), b.n});
    // Uses the precision of pass 2: a tiny negative weight may round to 0 as a float, and would change its table.
    table.weights() == tables::Weights::f64 ? count_by_sign(b, s_.weight64.data()) : count_by_sign(b, s_.weight32.data());
  }

 private:
  template <class W>
  void count_by_sign(const EdgeBatch& b, W* weight) {
    if (formulas_) formulas_->start(b);
    batch_weights(p_, b, formulas_.get(), weight);
    for (std::size_t i = 0; i < b.n; ++i) {
      Draft& table = *drafts_[static_cast<std::size_t>(weight[i] < 0 ? p_.negative_table : p_.table)];
      if (!table.sorted()) table.count({&s_.gid[i], 1});
    }
  }

  const Projection& p_;
  Drafts& drafts_;
  Scratch& s_;
  std::unique_ptr<Formulas> formulas_;  ///< null: none
};

/// Pass 2: writes the edges.
class SliceBuilder::FillSink final : public EdgeSink {
 public:
  /// @param number index of the projection among those of its tables
  FillSink(const Projection& p, std::size_t number, const Residents& nodes, Drafts& drafts, Scratch& s)
      : p_(p), number_(static_cast<std::uint32_t>(number)), drafts_(drafts), s_(s), formulas_(formulas_of(p, nodes)) {}
  void take(const EdgeBatch& b) override {
    p_.pre.gids({b.source, b.n}, s_.gid.data());
    if (formulas_) formulas_->start(b);
    batch_delays(p_, b, formulas_.get(), s_.delay.data());
    Draft& table = *drafts_[static_cast<std::size_t>(p_.table)];
    if (table.varied() && table.weights() == tables::Weights::f64)
      return fill_keyed(table, b, s_.weight64.data(), s_.keyed64.data(), s_.some_keyed64.data());
    if (table.varied()) return fill_keyed(table, b, s_.weight32.data(), s_.keyed32.data(), s_.some_keyed32.data());
    switch (table.weights()) {
      case tables::Weights::f32: return fill(table, b, s_.weight32.data(), s_.some_weight32.data());
      case tables::Weights::f64: return fill(table, b, s_.weight64.data(), s_.some_weight64.data());
      case tables::Weights::coded: return fill(table, b, s_.code.data(), s_.some_code.data());
      case tables::Weights::uniform: table.add<NoWeight>({b.n, s_.gid.data(), b.target, s_.delay.data(), nullptr});
    }
  }

 private:
  template <class W>
  void fill(Draft& table, const EdgeBatch& b, W* weight, W* some_weight) {
    batch_weights(p_, b, formulas_.get(), weight);
    place(table, b, weight, some_weight);
  }
  template <class W>
  void fill_keyed(Draft& table, const EdgeBatch& b, W* weight, Keyed<W>* keyed, Keyed<W>* some_keyed) {
    batch_weights(p_, b, formulas_.get(), weight);
    for (std::size_t i = 0; i < b.n; ++i) {
      if (b.target[i] != target_) target_ = b.target[i], edge_ = 0;
      const std::uint64_t number = b.wants_index && p_.keyed_by_index() ? b.value_index[i] : edge_++;
      keyed[i] = {weight[i], parameter_key(number_, number)};
    }
    place(table, b, keyed, some_keyed);
  }
  template <class W>
  void place(Draft& table, const EdgeBatch& b, const W* weight, W* some_weight) {
    const EdgeColumns<W> all{b.n, s_.gid.data(), b.target, s_.delay.data(), weight};
    if (!p_.sign_varies()) return table.add(all);
    const auto negative = [&](W w) {
      if constexpr (std::is_same_v<W, tables::Code>)
        return table.book()[w] < 0;
      else if constexpr (is_keyed<W>)
        return w.weight < 0;
      else
        return w < 0;
    };
    fill_signed(table, all, some_weight, [&](W w) { return !negative(w); });
    fill_signed(*drafts_[static_cast<std::size_t>(p_.negative_table)], all, some_weight, negative);
  }
  /// The edges with wanted(weight).
  template <class W, class F>
  void fill_signed(Draft& table, const EdgeColumns<W>& all, W* weight, F&& wanted) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < all.n; ++i) {
      s_.some_gid[n] = all.source[i], s_.some_target[n] = all.target[i], s_.some_delay[n] = all.delay[i], weight[n] = all.weight[i];
      n += wanted(all.weight[i]);
    }
    table.add<W>({n, s_.some_gid.data(), s_.some_target.data(), s_.some_delay.data(), weight});
  }

  const Projection& p_;
  std::uint32_t number_;
  Drafts& drafts_;
  Scratch& s_;
  std::unique_ptr<Formulas> formulas_;  ///< null: none
  std::int64_t target_ = -1;            ///< of the last edge
  std::uint64_t edge_ = 0;              ///< number of the next edge of this target
};

/// True when a table of the projection needs the counts of pass 1; tables that sort their edges do not.
bool SliceBuilder::needs_count(const Projection& p, const Drafts& drafts) {
  const auto counts = [&](int table) {
    return table >= 0 && drafts[static_cast<std::size_t>(table)] && !drafts[static_cast<std::size_t>(table)]->sorted();
  };
  return counts(p.table) || counts(p.negative_table);
}

template <class Sink>
void SliceBuilder::generate(bool fill, const Part& part, const Drafts& drafts, std::atomic<std::uint64_t>& done, Sink&& make_sink) {
  const auto scratch = std::make_unique_for_overwrite<Scratch>();  // large, and made for each part
  TargetBatch& targets = scratch->targets;
  double unreported = 0;
  const auto report = [&] {
    done.fetch_add(static_cast<std::uint64_t>(unreported), std::memory_order_relaxed);
    unreported = 0;
  };
  for (std::size_t number = 0; number < part.projections.size(); ++number) {
    const Projection& p = *part.projections[number];
    const bool counted = needs_count(p, drafts);
    if (!fill && !counted) continue;
    for (EdgeBatch* batch : {&scratch->batches.joined, &scratch->batches.single}) {
      batch->with_words = (fill || p.sign_varies()) && p.is_drawn();
      batch->wants_index = p.has_arrays();
    }
    scratch->batches.in_degrees = part.in_degrees[number];
    auto sink = make_sink(p, number, *scratch);
    const double per_target = (counted ? 1 : 2) * p.rule->expected_edges() / static_cast<double>(std::max<std::int64_t>(1, p.post.size()));
    const auto send = [&] {
      p.rule->edges_of(targets, scratch->batches, sink);
      unreported += per_target * static_cast<double>(targets.n);
      targets.n = 0;
      if (unreported < 65536) return;
      report();
      if (options_.watch) options_.watch();
    };
    p.post.for_each_in(nodes_, [&](std::int64_t position, Gid gid, Local local) {
      const std::size_t i = targets.n++;
      targets.position[i] = position, targets.gid[i] = gid, targets.local[i] = local;
      if (targets.n == TargetBatch::capacity || unreported + per_target * static_cast<double>(targets.n) >= 65536) send();
    });
    if (targets.n) send();
  }
  report();
}

std::unique_ptr<tables::EdgeTable> SliceBuilder::finish(Draft& draft, const Part& part) const {
  const bool varied = draft.varied();
  auto table = draft.finish(options_.layout, options_.last);
  if (table && varied) set_parameters(*table, part.projections, nodes_);
  return table;
}

std::vector<std::unique_ptr<tables::EdgeTable>> SliceBuilder::build(std::atomic<std::uint64_t>& done, PhaseTimer<BuildPhase>& timer) {
  timer.start();
  const std::vector<DraftShape> all = shapes();
  Drafts drafts = make_drafts(all);
  const std::vector<Part> to_fill = parts(all);
  for (const Part& part : to_fill)
    generate(false, part, drafts, done, [&](const Projection& p, std::size_t, Scratch& s) { return CountSink(p, nodes_, drafts, s); });
  timer.lap(BuildPhase::count);
  for (auto& d : drafts)
    if (d && !d->sorted()) d->place();
  timer.lap(BuildPhase::place);
  std::vector<std::unique_ptr<tables::EdgeTable>> tables(specs_.size());
  for (const Part& part : to_fill) {
    generate(true, part, drafts, done,
             [&](const Projection& p, std::size_t number, Scratch& s) { return FillSink(p, number, nodes_, drafts, s); });
    timer.lap(BuildPhase::fill);
    for (const int t : part.tables)
      if (auto& d = drafts[static_cast<std::size_t>(t)]) tables[static_cast<std::size_t>(t)] = finish(*d, part), d.reset();
    timer.lap(BuildPhase::sort);
  }
  std::erase(tables, nullptr);
  return tables;
}

}  // namespace npl::connect
