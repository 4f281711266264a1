// SPDX-License-Identifier: Apache-2.0
/// One update of the structure: see growing.hpp.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "comm/collect.hpp"
#include "sim/growing.hpp"

namespace npl::sim {

/// A synapse that goes, or may go; a plain record that ranks exchange.
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

/// Elements that the synapses of the neurons of this rank have too many of, by gid and name.
std::vector<Growing::Deficit> Growing::deficits(End end) const {
  std::set<int> ends;
  for (const Rule& r : rules_) ends.insert(end == End::source ? r.pre : r.post);
  std::vector<Deficit> found;
  for (const growth::Cell& cell : cells_)
    for (const growth::Element& e : cell.elements)
      if (const int name = kinds_[e.kind].name; e.vacant() < 0 && ends.contains(name)) found.push_back({cell.gid, name, -e.vacant()});
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
}

/// Synapses that go because neurons have lost elements of one end, the same on all ranks, by place. Collective.
std::vector<Growing::Doomed> Growing::retracted(End end, const std::vector<Doomed>& gone) const {
  std::vector<Deficit> lost = deficits(end);
  if (ranks() > 1) lost = comm::gather(*comm_, lost);
  std::vector<Doomed> found;
  if (lost.empty()) return found;
  std::sort(lost.begin(), lost.end(), [](const Deficit& a, const Deficit& b) { return std::tie(a.gid, a.name) < std::tie(b.gid, b.name); });
  candidates(end, lost, gone, found);
  const auto draw = end == End::source ? growth::Draw::axons : growth::Draw::dendrites;
  for (Doomed& d : found)
    d.priority =
        growth::priority(growth::key_of(settings_.seed, step_, draw, d.rule), d.source, d.target, static_cast<std::uint32_t>(d.nth));
  // Of each neuron and name as many as it must lose; first of this rank, then of all.
  const auto choose = [&] {
    std::sort(found.begin(), found.end(), [&](const Doomed& a, const Doomed& b) { return a.fate(a.end(end)) < b.fate(b.end(end)); });
    std::size_t kept = 0;
    auto deficit = lost.begin();
    std::int64_t taken = 0;
    for (const Doomed& d : found) {
      const auto before = [&](const Deficit& x) { return std::tuple(x.gid, x.name) < std::tuple(d.end(end), std::int64_t{d.name}); };
      for (; deficit != lost.end() && before(*deficit); ++deficit) taken = 0;
      if (deficit != lost.end() && taken < deficit->n) ++taken, found[kept++] = d;
    }
    found.resize(kept);
  };
  choose();
  if (ranks() > 1) found = comm::gather(*comm_, found), choose();
  std::sort(found.begin(), found.end(), [](const Doomed& a, const Doomed& b) { return a.place() < b.place(); });
  return found;
}

void Growing::free_elements(const std::vector<Doomed>& gone) {
  for (const Doomed& d : gone) {
    const Rule& rule = rules_[static_cast<std::size_t>(d.rule)];
    add(d.source, rule.pre, -1), add(d.target, rule.post, -1);
  }
}

void Growing::remove() {
  std::vector<Doomed> gone = retracted(End::source, {});
  free_elements(gone);
  const std::vector<Doomed> more = retracted(End::target, gone);
  free_elements(more);
  gone.insert(gone.end(), more.begin(), more.end());
  if (gone.empty()) return;
  ConnectionEdits edits;
  edits.remove = true, edits.sent_before = step_;
  for (const Doomed& d : gone) edits.slice.push_back(d.slice), edits.table.push_back(d.table), edits.position.push_back(d.position);
  connections_.edit(edits);
  changes_ += gone.size();
}

/// Vacant elements of a name of all ranks, by gid. Collective.
std::vector<growth::Vacant> Growing::vacant(int name) const {
  std::vector<growth::Vacant> found;
  for (growth::Cell& cell : cells_)
    if (const growth::Element* e = cell.find(name, kinds_); e && e->vacant() > 0) found.push_back({cell.gid, e->vacant()});
  if (ranks() > 1) {
    found = comm::gather(*comm_, found);
    std::sort(found.begin(), found.end(), [](const growth::Vacant& a, const growth::Vacant& b) { return a.gid < b.gid; });
  }
  return found;
}

/// Drops pairs that are connected already, and all but the first of equal pairs. Collective.
void Growing::drop_repeats(const Rule& rule, std::vector<std::pair<Gid, Gid>>& pairs) const {
  std::set<std::pair<Gid, Gid>> known;
  std::vector<Gid> sources;
  for (const auto& [source, target] : pairs) sources.push_back(source);
  std::sort(sources.begin(), sources.end());
  for (const auto& slice : slices_)
    for (const auto& p : slice->pathways()) {
      const tables::EdgeTable& t = p->table();
      if (description_.specs().label_of(*t.spec) != rule.call.synapses.label) continue;
      t.sources.for_each([&](std::uint32_t row, Gid source) {
        if (std::binary_search(sources.begin(), sources.end(), source))
          t.for_row(row, [&](std::uint32_t i, Delay) { known.emplace(source, slice->nodes().gid(t.target[i])); });
      });
    }
  std::vector<double> repeats(pairs.size());  // each set by the rank of the target
  for (std::size_t k = 0; k < pairs.size(); ++k) repeats[k] = known.contains(pairs[k]) ? 1.0 : 0.0;
  if (ranks() > 1) comm_->allreduce(std::span<double>(repeats), comm::Op::max);
  known.clear();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if (repeats[k] == 0.0 && known.insert(pairs[k]).second) pairs[kept++] = pairs[k];
  pairs.resize(kept);
}

namespace {

/// Sorted gids as a set; positions in it are those in the list.
connect::NodeSet set_of(const std::vector<Gid>& gids) {
  std::vector<connect::Range> ranges;
  for (const Gid gid : gids)
    if (!ranges.empty() && ranges.back().first + ranges.back().count == gid)
      ++ranges.back().count;
    else
      ranges.push_back({gid, 1, 1});
  return connect::NodeSet(std::move(ranges));
}

/// The gids, each once, and the position of each of the list in them.
std::pair<std::vector<Gid>, std::vector<std::int64_t>> positions_of(const std::vector<Gid>& list) {
  std::vector<Gid> once = list;
  std::sort(once.begin(), once.end());
  once.erase(std::unique(once.begin(), once.end()), once.end());
  std::vector<std::int64_t> at;
  for (const Gid gid : list) at.push_back(std::lower_bound(once.begin(), once.end(), gid) - once.begin());
  return {std::move(once), std::move(at)};
}

}  // namespace

/// Connects the pairs: by one call for targets that take the same kind of input.
void Growing::describe(const Rule& rule, const std::vector<std::pair<Gid, Gid>>& pairs) {
  std::map<std::pair<int, bool>, std::pair<std::vector<Gid>, std::vector<Gid>>> by_input;
  for (const auto& [source, target] : pairs) {
    const nodes::ModelInfo& model = *populations_.of(target, "gid").model;
    auto& [sources, targets] = by_input[{static_cast<int>(model.input), model.precise}];
    sources.push_back(source), targets.push_back(target);
  }
  for (const auto& [input, ends] : by_input) {
    ConnectCall call = rule.call.synapses;
    const auto [sources, from] = positions_of(ends.first);
    const auto [targets, to] = positions_of(ends.second);
    call.pre = set_of(sources), call.post = set_of(targets);
    call.rule_params.sources = from, call.rule_params.targets = to;
    description_.connect(std::move(call));
  }
}

void Growing::connect(int number) {
  const Rule& rule = rules_[static_cast<std::size_t>(number)];
  const auto key = [&](growth::Draw what) { return growth::key_of(settings_.seed, step_, what, number); };
  const std::vector<growth::Vacant> sources = vacant(rule.pre), targets = vacant(rule.post);
  auto pairs = growth::match(sources, targets, key(growth::Draw::sources), key(growth::Draw::targets));
  if (!rule.call.autapses) std::erase_if(pairs, [](const auto& p) { return p.first == p.second; });
  if (!rule.call.multapses) drop_repeats(rule, pairs);
  if (pairs.empty()) return;
  describe(rule, pairs);
  for (const auto& [source, target] : pairs) add(source, rule.pre, 1), add(target, rule.post, 1);
  changes_ += pairs.size();
}

void Growing::decay() {
  for (growth::Cell& cell : cells_)
    for (growth::Element& e : cell.elements)
      if (const std::int64_t n = e.vacant(); n > 0) e.z -= kinds_[e.kind].curve.tau_vacant * static_cast<double>(n);
}

void Growing::update() {
  const double start = seconds_now();
  if (!counted_) count();
  advance();
  remove();
  for (std::size_t k = 0; k < rules_.size(); ++k) connect(static_cast<int>(k));
  decay();
  updated_ = step_;
  timers_["grow"] += seconds_now() - start;
}

}  // namespace npl::sim
