// SPDX-License-Identifier: Apache-2.0
/// One update of the structure: see growing.hpp.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "connect/listed.hpp"
#include "sim/growing.hpp"

namespace npl::sim {

/// A synapse that goes, or may go; a plain record that ranks exchange. It is kept by the rank of its target.
struct Growing::Doomed {
  Gid source, target;
  std::int64_t slice, position;
  std::uint64_t priority;
  std::int32_t rule, name;  ///< name: of the element that is lost
  std::int32_t order, delay, table, nth;

  Gid end(End e) const { return e == End::source ? source : target; }
  auto pair() const { return std::tie(rule, source, target); }
  auto place() const { return std::tie(slice, table, position); }
  /// The canonical order of connections.
  auto canonical() const { return std::tie(rule, source, target, order, delay, position); }
  /// Those of one neuron and element together, first those that go first.
  auto fate(const Gid& gid) const { return std::tuple(gid, name, priority, rule, source, target, nth); }
};

/// Elements of a neuron that its synapses have too many of.
struct Growing::Deficit {
  Gid gid;
  std::int64_t name, n;
  auto element() const { return std::tuple(gid, name); }
};

/// An element, and the rank that asks about it.
struct Growing::Element {
  Gid gid;
  std::int32_t name, rank;
  auto operator<=>(const Element&) const = default;
};

Step Growing::next(Step now) const {
  if (!on_ || interval_ == 0 || rules_.empty()) return INT64_MAX;
  const Step due = (now + interval_ - 1) / interval_ * interval_;
  return due == updated_ ? due + interval_ : due;
}

void Growing::advance() {
  constexpr std::size_t piece = 256;
  const auto team = static_cast<std::size_t>(team_.size());
  const auto work = [&](std::size_t first, std::size_t stride) {
    for (std::size_t begin = first * piece; begin < cells_.size(); begin += stride * piece)
      for (std::size_t k = begin; k < std::min(begin + piece, cells_.size()); ++k)
        if (!cells_[k].elements.empty()) cells_[k].advance(now(), kinds_);
  };
  if (cells_.size() < 16 * piece) return work(0, 1);
  team_.run([&](int thread) { work(static_cast<std::size_t>(thread), team); });
}

/// Collective.
bool Growing::none_anywhere(std::size_t n) const {
  auto all = static_cast<std::int64_t>(n);
  if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(&all, 1), comm::Op::max);
  return all == 0;
}

/// Elements that the synapses of the neurons of this rank have too many of, by gid and name.
std::vector<Growing::Deficit> Growing::deficits(End end) const {
  std::set<int> ends;
  for (const Rule& r : rules_) ends.insert(end == End::source ? r.pre : r.post);
  std::vector<Deficit> found;
  for (const growth::Cell& cell : cells_)
    for (const growth::Element& e : cell.elements)
      if (const int name = kinds_[e.kind].name; e.vacant() < 0 && ends.contains(name)) found.push_back({cell.gid, name, -e.vacant()});
  std::sort(found.begin(), found.end(), [](const Deficit& a, const Deficit& b) { return a.element() < b.element(); });
  return found;
}

/// The same of the sources of synapses of this rank: their own ranks are asked. Collective.
std::vector<Growing::Deficit> Growing::deficits_of_sources() {
  const std::vector<Deficit> own = deficits(End::source);
  if (ranks() == 1 || none_anywhere(own.size())) return own;
  std::vector<Element> sources;
  for (const Rule& rule : rules_)
    for_tables(rule, [&](const Slice&, const tables::EdgeTable& t) {
      t.sources.for_each([&](std::uint32_t, Gid gid) { sources.push_back({gid, rule.pre, rank()}); });
    });
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  struct Answer {
    Deficit deficit;
    std::int64_t to;
  };
  std::vector<Answer> answers;
  const auto rank_of = [&](const Element& e) { return populations_.rank_of(e.gid); };
  const auto asked = [&](Element& e, int rank) { e.gid = populations_.mirrored(e.gid, rank), e.rank = rank; };
  for (const Element& e : post_.deal(std::move(sources), rank_of, asked)) {
    const auto at = std::lower_bound(own.begin(), own.end(), std::tuple(e.gid, std::int64_t{e.name}),
                                     [](const Deficit& d, const auto& element) { return d.element() < element; });
    if (at != own.end() && at->element() == std::tuple(e.gid, std::int64_t{e.name})) answers.push_back({*at, e.rank});
  }
  std::vector<Deficit> found;
  const auto answered = [&](Answer& a, int rank) { a.deficit.gid = populations_.mirrored(a.deficit.gid, rank); };
  for (const Answer& a : post_.deal(std::move(answers), [](const Answer& a) { return static_cast<int>(a.to); }, answered))
    found.push_back(a.deficit);
  std::sort(found.begin(), found.end(), [](const Deficit& a, const Deficit& b) { return a.element() < b.element(); });
  return found;
}

/// Synapses of this rank that neurons with deficits may lose, but those that are gone. @param gone by place
void Growing::candidates(End end, const std::vector<Deficit>& deficits, const std::vector<Doomed>& gone, std::vector<Doomed>& out) const {
  std::map<int, std::vector<Gid>> losers;  // by name, ascending
  for (const Deficit& d : deficits) losers[static_cast<int>(d.name)].push_back(d.gid);
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    const Rule& rule = rules_[k];
    const auto name = end == End::source ? rule.pre : rule.post;
    const auto here = losers.find(name);
    if (here == losers.end()) continue;
    const auto loses = [&](Gid gid) { return std::binary_search(here->second.begin(), here->second.end(), gid); };
    for (const auto& slice : slices_) {
      std::vector<char> targets(slice->nodes().size(), end == End::source);
      if (end == End::target)
        for (const Gid gid : here->second)
          if (const Local local = slice->nodes().local(gid); local != Residents::none) targets[local] = 1;
      for (std::size_t p = 0; p < slice->pathways().size(); ++p) {
        const tables::EdgeTable& t = slice->pathways()[p]->table();
        if (description_.specs().label_of(*t.spec) != rule.call.synapses.label) continue;
        t.sources.for_each([&](std::uint32_t row, Gid source) {
          if (end == End::source && !loses(source)) return;
          t.for_row(row, [&](std::uint32_t i, Delay delay) {
            if (!targets[t.target[i]]) return;
            out.push_back({source, slice->nodes().gid(t.target[i]), slice_handle(rank(), slice->id()), i, 0, static_cast<std::int32_t>(k),
                           name, t.spec->order, delay, static_cast<std::int32_t>(p), 0});
          });
        });
      }
    }
  }
  std::sort(out.begin(), out.end(), [](const Doomed& a, const Doomed& b) { return a.canonical() < b.canonical(); });
  for (std::size_t k = 1; k < out.size(); ++k)
    if (out[k].pair() == out[k - 1].pair()) out[k].nth = out[k - 1].nth + 1;
  std::erase_if(out, [&](const Doomed& d) {
    const auto at = std::lower_bound(gone.begin(), gone.end(), d, [](const Doomed& a, const Doomed& b) { return a.place() < b.place(); });
    return at != gone.end() && at->place() == d.place();
  });
  const auto draw = end == End::source ? growth::Draw::axons : growth::Draw::dendrites;
  for (Doomed& d : out)
    d.priority =
        growth::priority(growth::key_of(settings_.seed, step_, draw, d.rule), d.source, d.target, static_cast<std::uint32_t>(d.nth));
}

/// Of each neuron and name as many as it must lose.
void Growing::choose(End end, const std::vector<Deficit>& deficits, std::vector<Doomed>& out) {
  std::sort(out.begin(), out.end(), [&](const Doomed& a, const Doomed& b) { return a.fate(a.end(end)) < b.fate(b.end(end)); });
  std::size_t kept = 0;
  auto deficit = deficits.begin();
  std::int64_t taken = 0;
  for (const Doomed& d : out) {
    const std::tuple element(d.end(end), std::int64_t{d.name});
    for (; deficit != deficits.end() && deficit->element() < element; ++deficit) taken = 0;
    if (deficit != deficits.end() && taken < deficit->n) ++taken, out[kept++] = d;
  }
  out.resize(kept);
}

template <class RankOf>
std::vector<Growing::Doomed> Growing::deal_doomed(std::vector<Doomed> all, const RankOf& rank_of) {
  return post_.deal(std::move(all), rank_of, [&](Doomed& d, int other) {
    d.source = populations_.mirrored(d.source, other), d.target = populations_.mirrored(d.target, other);
    const auto on = static_cast<int>(rank_of_handle(d.slice)), image = on == rank() ? other : rank();
    d.slice += slice_handle(image, 0) - slice_handle(on, 0);
  });
}

/// Synapses of this rank that go because sources have lost elements, by place. Of those that ranks offer a source, its own rank takes the
/// first. Collective.
std::vector<Growing::Doomed> Growing::lost_by_sources() {
  const std::vector<Deficit> lost = deficits_of_sources();
  if (none_anywhere(lost.size())) return {};
  std::vector<Doomed> found;
  candidates(End::source, lost, {}, found);
  choose(End::source, lost, found);
  found = deal_doomed(std::move(found), [&](const Doomed& d) { return populations_.rank_of(d.source); });
  if (ranks() > 1) choose(End::source, deficits(End::source), found);
  for (const Doomed& d : found) add(d.source, rules_[static_cast<std::size_t>(d.rule)].pre, -1);
  found = deal_doomed(std::move(found), [](const Doomed& d) { return static_cast<int>(rank_of_handle(d.slice)); });
  for (const Doomed& d : found) add(d.target, rules_[static_cast<std::size_t>(d.rule)].post, -1);
  std::sort(found.begin(), found.end(), [](const Doomed& a, const Doomed& b) { return a.place() < b.place(); });
  return found;
}

/// Synapses of this rank, but those that are gone, that go because targets have lost elements. Collective.
std::vector<Growing::Doomed> Growing::lost_by_targets(const std::vector<Doomed>& gone) {
  const std::vector<Deficit> lost = deficits(End::target);
  if (none_anywhere(lost.size())) return {};
  std::vector<Doomed> found;
  candidates(End::target, lost, gone, found);
  choose(End::target, lost, found);
  for (const Doomed& d : found) add(d.target, rules_[static_cast<std::size_t>(d.rule)].post, -1);
  for (const Doomed& d : deal_doomed(found, [&](const Doomed& d) { return populations_.rank_of(d.source); }))
    add(d.source, rules_[static_cast<std::size_t>(d.rule)].pre, -1);
  return found;
}

void Growing::remove() {
  std::vector<Doomed> gone = lost_by_sources();
  const std::vector<Doomed> more = lost_by_targets(gone);
  gone.insert(gone.end(), more.begin(), more.end());
  auto n = static_cast<std::int64_t>(gone.size());
  if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(&n, 1), comm::Op::sum);
  if (n == 0) return;
  ConnectionEdits edits;
  edits.remove = edits.own = true, edits.sent_before = step_;
  for (const Doomed& d : gone) edits.slice.push_back(d.slice), edits.table.push_back(d.table), edits.position.push_back(d.position);
  connections_.edit(edits);
  changes_ += static_cast<std::uint64_t>(n);
}

/// Vacant elements of a name of the neurons of this rank.
std::vector<growth::Vacant> Growing::vacant(int name) const {
  std::vector<growth::Vacant> found;
  for (growth::Cell& cell : cells_)
    if (const growth::Element* e = cell.find(name, kinds_); e && e->vacant() > 0) found.push_back({cell.gid, e->vacant()});
  return found;
}

/// Drops pairs that are connected already, and all but the first of equal pairs.
void Growing::drop_repeats(const Rule& rule, std::vector<Pair>& pairs) const {
  std::set<std::pair<Gid, Gid>> known;
  std::vector<Gid> sources;
  for (const Pair& p : pairs) sources.push_back(p.source);
  std::sort(sources.begin(), sources.end());
  for_tables(rule, [&](const Slice& slice, const tables::EdgeTable& t) {
    t.sources.for_each([&](std::uint32_t row, Gid source) {
      if (std::binary_search(sources.begin(), sources.end(), source))
        t.for_row(row, [&](std::uint32_t i, Delay) { known.emplace(source, slice.nodes().gid(t.target[i])); });
    });
  });
  std::erase_if(pairs, [&](const Pair& p) { return !known.emplace(p.source, p.target).second; });
}

/// Connects the pairs of all ranks: by one call for targets that take the same kind of input. Collective.
void Growing::describe(const Rule& rule, const std::vector<Pair>& pairs) {
  const auto members = [&](int name, auto&& taken) {
    std::vector<connect::Range> ranges;
    for (const Gid first : holders_[names_[static_cast<std::size_t>(name)]])
      if (const Population& p = populations_.of(first, "gid"); taken(p)) ranges.push_back({p.first, p.n, 1});
    return connect::NodeSet(std::move(ranges));
  };
  const auto input_of = [](const Population& p) { return std::pair(static_cast<int>(p.model->input), p.model->precise); };
  std::map<std::pair<int, bool>, std::vector<const Pair*>> by_input;
  for (const Gid first : holders_[names_[static_cast<std::size_t>(rule.post)]]) by_input[input_of(populations_.of(first, "gid"))];
  for (const Pair& p : pairs) by_input[input_of(populations_.of(p.target, "gid"))].push_back(&p);
  for (const auto& [input, own] : by_input) {
    if (none_anywhere(own.size())) continue;
    ConnectCall call = rule.call.synapses;
    call.pre = members(rule.pre, [](const Population&) { return true; });
    call.post = members(rule.post, [&, input = input](const Population& p) { return input_of(p) == input; });
    std::vector<std::int64_t> sources, targets;
    for (const Pair* p : own) {
      sources.push_back(call.pre.position(p->source));
      targets.push_back(call.post.position(p->target));
    }
    call.rule_params = connect::listing(std::move(sources), std::move(targets), true);
    description_.connect(std::move(call));
  }
}

void Growing::connect(int number) {
  const Rule& rule = rules_[static_cast<std::size_t>(number)];
  const auto key = [&](growth::Draw what) { return growth::key_of(settings_.seed, step_, what, number); };
  const Ownership owners{[&](Gid gid) { return populations_.rank_of(gid); },
                         [&](Gid gid, int rank) { return populations_.mirrored(gid, rank); }};
  const Vacancies elements{vacant(rule.pre), vacant(rule.post), key(growth::Draw::sources), key(growth::Draw::targets)};
  std::vector<Pair> pairs = matched(*comm_, post_, elements, owners);
  if (!rule.call.autapses) std::erase_if(pairs, [](const Pair& p) { return p.source == p.target; });
  if (!rule.call.multapses) drop_repeats(rule, pairs);
  auto n = static_cast<std::int64_t>(pairs.size());
  if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(&n, 1), comm::Op::sum);
  if (n == 0) return;
  describe(rule, pairs);
  std::vector<Gid> sources;
  for (const Pair& p : pairs) add(p.target, rule.post, 1), sources.push_back(p.source);
  const auto mirror = [&](Gid& gid, int rank) { gid = populations_.mirrored(gid, rank); };
  for (const Gid gid : post_.deal(std::move(sources), owners.rank_of, mirror)) add(gid, rule.pre, 1);
  changes_ += static_cast<std::uint64_t>(n);
}

void Growing::decay() noexcept {
  for (growth::Cell& cell : cells_)
    for (growth::Element& e : cell.elements)
      if (const std::int64_t n = e.vacant(); n > 0) e.z -= kinds_[e.kind].curve.tau_vacant * static_cast<double>(n);
}

/// Removal is whole or not at all, and so is what follows it. An update that failed is made anew: elements are counted from the synapses
/// that there are, and those that have gone already are not missed.
void Growing::change(Undo& undo) {
  timers_["grow"];  // from here on it is there
  if (!counted_) count();
  advance();
  remove();
  undo.note([this, kept = description_.keep(), changes = changes_]() mutable { description_.restore(kept), changes_ = changes; });
  for (std::size_t k = 0; k < rules_.size(); ++k) connect(static_cast<int>(k));
}

void Growing::update() {
  const double start = seconds_now();
  try {
    all_or_nothing("grow", [&](Undo& undo) { change(undo); });
  } catch (...) {
    counted_ = false;  // on all ranks
    throw;
  }
  decay();
  updated_ = step_;
  timers_["grow"] += seconds_now() - start;
}

}  // namespace npl::sim
