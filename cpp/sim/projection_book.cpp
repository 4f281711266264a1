// SPDX-License-Identifier: Apache-2.0
#include "sim/projection_book.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "sim/archive_values.hpp"

namespace npl::sim {
namespace {

using connect::NodeSet;

bool share_nodes(const NodeSet& a, const NodeSet& b) { return a.lowest() <= b.highest() && b.lowest() <= a.highest() && a.common(b) > 0; }

/// One range without gaps on both sides: targets are sources plus a number.
bool is_shift(const ProjectionEntry& e) {
  const auto plain = [](const NodeSet& set) { return set.ranges().size() == 1 && set.ranges()[0].stride == 1; };
  return plain(e.sources) && plain(e.targets);
}

/// Whether some pairs of `a` can be in `b`; true where that is not easily known.
bool pairs_meet(const ProjectionEntry& a, const ProjectionEntry& b) {
  if (!is_shift(a) || !is_shift(b)) return true;
  const Gid shift = a.targets.lowest() - a.sources.lowest();
  if (b.pairs && shift != b.targets.lowest() - b.sources.lowest()) return false;
  const Gid first = std::max({a.sources.lowest(), b.sources.lowest(), b.targets.lowest() - shift});
  return first <= std::min({a.sources.highest(), b.sources.highest(), b.targets.highest() - shift});
}

bool overlap(const ProjectionEntry& a, const ProjectionEntry& b) {
  if (!share_nodes(a.sources, b.sources) || !share_nodes(a.targets, b.targets)) return false;
  return (!a.pairs || pairs_meet(a, b)) && (!b.pairs || pairs_meet(b, a));
}

/// Exponent of the smallest cell in which the span of a set lies in at most two cells.
int cell_size(const NodeSet& set) { return std::bit_width(static_cast<std::uint64_t>(set.highest() - set.lowest())); }

std::int64_t cells_along(const NodeSet& set, int size) { return (set.highest() >> size) - (set.lowest() >> size) + 1; }

void drop_last(std::pmr::vector<std::uint32_t>& list, std::uint32_t index) {
  if (!list.empty() && list.back() == index) list.pop_back();
}

}  // namespace

template <class F>
void ProjectionBoxes::Level::for_cells(const ProjectionEntry& box, F&& f) const {
  const auto first = [](const NodeSet& set, int size) { return static_cast<std::uint64_t>(set.lowest() >> size); };
  const auto last = [](const NodeSet& set, int size) { return static_cast<std::uint64_t>(set.highest() >> size); };
  for (std::uint64_t x = first(box.sources, wide); x <= last(box.sources, wide); ++x)
    for (std::uint64_t y = first(box.targets, high); y <= last(box.targets, high); ++y) f(hash_step(hash_step(0, x), y));
}

double ProjectionBoxes::Level::cells_of(const ProjectionEntry& box) const {
  return static_cast<double>(cells_along(box.sources, wide)) * static_cast<double>(cells_along(box.targets, high));
}

bool ProjectionBoxes::meet(const std::vector<ProjectionEntry>& all, const ProjectionEntry& wanted) const {
  const auto meets = [&](const Indices& some) {
    return std::any_of(some.begin(), some.end(), [&](std::uint32_t k) { return overlap(all[k], wanted); });
  };
  for (const Level& level : levels_) {
    if (level.cells_of(wanted) > static_cast<double>(level.all.size())) {
      if (meets(level.all)) return true;
      continue;
    }
    bool found = false;
    level.for_cells(wanted, [&](std::uint64_t key) {
      const auto cell = found ? level.cells.end() : level.cells.find(key);
      found = found || (cell != level.cells.end() && meets(cell->second));
    });
    if (found) return true;
  }
  return false;
}

void ProjectionBoxes::add(const ProjectionEntry& entry, std::uint32_t index) {
  const int wide = cell_size(entry.sources), high = cell_size(entry.targets);
  const auto same = [&](const Level& l) { return l.wide == wide && l.high == high; };
  auto level = std::find_if(levels_.begin(), levels_.end(), same);
  if (level == levels_.end()) {
    levels_.push_back({wide, high, Indices(memory_.get()), decltype(Level::cells)(memory_.get())});
    level = levels_.end() - 1;
  }
  level->all.push_back(index);
  level->for_cells(entry, [&](std::uint64_t key) { level->cells[key].push_back(index); });
}

auto ProjectionBoxes::Level::near(Gid source, Gid target) const -> const Indices& {
  static const Indices none;
  if (all.size() <= 4) return all;
  const auto cell =
      cells.find(hash_step(hash_step(0, static_cast<std::uint64_t>(source >> wide)), static_cast<std::uint64_t>(target >> high)));
  return cell == cells.end() ? none : cell->second;
}

void ProjectionBoxes::find(const std::vector<ProjectionEntry>& all, Gid source, Gid target,
                           std::vector<const ProjectionEntry*>& found) const {
  for (const Level& level : levels_)
    for (const std::uint32_t k : level.near(source, target))
      if (all[k].has(source, target)) found.push_back(&all[k]);
}

void ProjectionBoxes::forget_last(const ProjectionEntry& entry, std::uint32_t index) noexcept {
  for (Level& level : levels_) {
    if (level.wide != cell_size(entry.sources) || level.high != cell_size(entry.targets)) continue;
    drop_last(level.all, index);
    level.for_cells(entry, [&](std::uint64_t key) {
      if (const auto cell = level.cells.find(key); cell != level.cells.end()) drop_last(cell->second, index);
    });
  }
}

bool ProjectionBook::is_taken(const Layers& layers, const ProjectionEntry& entry) const {
  const auto layer = static_cast<std::size_t>(entry.layer);
  return layer < layers.boxes.size() && layers.boxes[layer].meet(entries_, entry);
}

/// The last entry, whose layer is known, takes its place there.
void ProjectionBook::place_last(Layers& layers) {
  const ProjectionEntry& entry = entries_.back();
  const auto layer = static_cast<std::size_t>(entry.layer);
  if (layers.boxes.size() <= layer) layers.boxes.resize(layer + 1);
  layers.boxes[layer].add(entry, static_cast<std::uint32_t>(entries_.size() - 1));
}

int ProjectionBook::add(ProjectionEntry entry, int most) {
  Layers& layers = kinds_[entry.kind];
  entry.layer = first_layer();
  entries_.push_back(std::move(entry));
  ProjectionEntry& made = entries_.back();
  while (made.layer < most && is_taken(layers, made)) ++made.layer;
  if (made.layer == most) made.layer = first_layer(), layers.crowded = true;
  place_last(layers);
  return made.layer;
}

const ProjectionEntry& ProjectionBook::at(std::int64_t number) const {
  const auto before = [](const ProjectionEntry& e, std::int64_t n) { return e.number < n; };
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), number, before);
  if (found == entries_.end() || found->number != number)
    throw BadParameter("projection", static_cast<double>(number), "the number of a projection whose connections are in tables");
  return *found;
}

std::int64_t ProjectionBook::alike(std::int64_t number) const {
  const ProjectionEntry& entry = at(number);
  if (!kinds_.at(entry.kind).crowded || entry.layer != first_layer()) return -1;
  for (const ProjectionEntry& other : entries_)
    if (&other != &entry && other.kind == entry.kind && other.layer == entry.layer && overlap(other, entry)) return other.number;
  return -1;
}

const ProjectionBoxes* ProjectionBook::boxes(const ProjectionKind& kind, int layer) const {
  const auto found = kinds_.find(kind);
  const auto index = static_cast<std::size_t>(layer);
  return found == kinds_.end() || found->second.boxes.size() <= index ? nullptr : &found->second.boxes[index];
}

void ProjectionBook::find(const ProjectionBoxes& boxes, Gid source, Gid target, std::vector<const ProjectionEntry*>& found) const {
  found.clear();
  boxes.find(entries_, source, target, found);
  std::sort(found.begin(), found.end());  // they lie in one array, by number
}

bool ProjectionBook::joins(const NodeSet& nodes) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const ProjectionEntry& e) { return share_nodes(e.sources, nodes) || share_nodes(e.targets, nodes); });
}

bool ProjectionBook::reaches(const NodeSet& nodes, const std::string& parameter) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const ProjectionEntry& e) {
    const auto& known = e.kind.synapse->parameters;
    const bool has = std::any_of(known.begin(), known.end(), [&](const Field& f) { return f.name == parameter; });
    return has && share_nodes(e.targets, nodes);
  });
}

void ProjectionBook::restore(std::size_t size) noexcept {
  for (; entries_.size() > size; entries_.pop_back()) {
    const ProjectionEntry& last = entries_.back();
    auto& boxes = kinds_.find(last.kind)->second.boxes;
    const auto layer = static_cast<std::size_t>(last.layer);
    if (layer < boxes.size()) boxes[layer].forget_last(last, static_cast<std::uint32_t>(entries_.size() - 1));
  }
}

/// An entry of a checkpoint, as it was. Throws BadCheckpoint.
void ProjectionBook::load(ProjectionEntry entry) {
  const bool follows = entries_.empty() || entries_.back().number < entry.number;
  if (!follows || entry.layer < 0 || entry.layer >= most_layers || entry.sources.size() == 0 || entry.targets.size() == 0)
    throw BadCheckpoint("projections that do not fit");
  Layers& layers = kinds_[entry.kind];
  layers.crowded = layers.crowded || is_taken(layers, entry);
  entries_.push_back(std::move(entry));
  place_last(layers);
}

void ProjectionBook::visit(checkpoint::Archive& a) {
  if (!a.has<std::uint64_t>("entries")) {
    has_unknown_ = true;
    return;
  }
  a("has_unknown", has_unknown_);
  std::vector<ProjectionEntry> kept = entries_;
  a.each("entries", kept, [&](ProjectionEntry& e) {
    std::string synapse = e.kind.synapse ? e.kind.synapse->name : "";
    a("number", e.number), a("synapse", synapse), a("label", e.kind.label), a("receptor", e.kind.receptor), a("layer", e.layer),
        a("pairs", e.pairs);
    if (a.has<Delay>("delay")) a("delay", e.delay), a("weight", e.weight);  // not in checkpoints of former versions
    sim::visit(a, "sources", e.sources), sim::visit(a, "targets", e.targets);
    if (a.loading()) e.kind.synapse = &synapses::find_synapse(synapse), load(e);
  });
}

}  // namespace npl::sim
