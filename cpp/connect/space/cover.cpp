// SPDX-License-Identifier: Apache-2.0
#include "connect/space/cover.hpp"

#include <algorithm>
#include <cmath>

#include "connect/space/parts.hpp"
#include "connect/space/skipping.hpp"

namespace npl::connect::space {
namespace {

constexpr std::size_t in_cell = 16;  // others of a cell, at most
constexpr double slack = 4.0;        // pairs of a cell that may pass in vain for each centre
// Costs of looking at a pair, drawing a candidate and bounding a cell [ns], measured on one core with 10 operations.
constexpr double pair_cost = 5.0, candidate_cost = 40.0, cell_cost = 150.0;

/// Displacements from low to high, shortened by whole periods as Batch does it: one or two intervals.
struct Folded {
  Interval parts[2];
  int n = 1;

  Folded(const Interval& move, double period) {
    const auto turns = [&](double x) { return std::floor(x / period + 0.5); };
    const double first = turns(move.low), last = turns(move.high);
    const double half = 0.5 * period + 1e-12 * (period + std::fabs(move.low) + std::fabs(move.high));  // turns() rounds
    parts[0] = {move.low - period * first, move.high - period * last};
    if (first == last) return;
    parts[1] = {-half, parts[0].high};
    parts[0].high = half;
    if (last == first + 1.0)
      n = 2;
    else
      parts[0].low = -half;
  }
};

bool looks_everywhere(const Candidates& c) {
  const Reach& reach = c.nearby.reach;
  const Input read = c.sides.centre_is_target ? Input::source : Input::target;
  for (std::size_t k = 0; k < static_cast<std::size_t>(c.sides.dims); ++k) {
    if (!std::isinf(reach.low[k]) || !std::isinf(reach.high[k]) || !std::isinf(reach.half[k])) return false;
    if (c.program.reads(read, static_cast<int>(k)) && c.sides.other_at[k].data() != c.sides.folded[k].data()) return false;
  }
  return !c.nearby.strips.wraps && c.sides.n_images == 1;
}

/// Whether some groups, evenly chosen, need less than two thirds of the time without bounds.
bool pays(const Candidates& c, const CellSides& in) {
  constexpr std::size_t tried = 16;
  Cover cover(c, in);
  double with = 0.0, without = 0.0;
  for (std::size_t i = 0; i < tried; ++i) {
    const Cell& group = in.centres.cells[in.groups[i * in.groups.size() / tried]];
    double candidates = 0.0;
    for (const Stretch& s : cover.of(group.box, 1.0)) candidates += mean_candidates(s);
    with += cell_cost * static_cast<double>(cover.visits()) + candidate_cost * candidates * group.size();
    without += pair_cost * static_cast<double>(group.size()) * static_cast<double>(c.sides.order.size());
  }
  return 1.5 * with < without;
}

}  // namespace

Bounder::Bounder(const Sides& sides, const Program& program) : sides_(sides), program_(program) {
  std::fill_n(inputs_, input_count, Interval{0.0, 0.0});
}

Interval Bounder::between(const Box& centres, const Box& others) {
  const auto input = [&](Input what, std::size_t k) -> Interval& { return inputs_[static_cast<std::size_t>(what) + k]; };
  const auto turned = [](const Interval& i, bool turn) { return turn ? Interval{-i.high, -i.low} : i; };
  for (std::size_t k = 0; k < static_cast<std::size_t>(sides_.dims); ++k) {
    const Interval from_centre{others.low[k] - centres.high[k], others.high[k] - centres.low[k]};
    input(Input::in_mask, k) = turned(from_centre, !sides_.mask_around_centre);
    input(Input::move, k) = turned(from_centre, sides_.centre_is_target);
    input(sides_.centre_is_target ? Input::target : Input::source, k) = {centres.low[k], centres.high[k]};
    input(sides_.centre_is_target ? Input::source : Input::target, k) = {others.low[k], others.high[k]};
  }
  return from_dimension(0);
}

/// Bounds over all combinations of the folded displacements along dimension k and those behind it.
Interval Bounder::from_dimension(int k) {
  if (k == sides_.dims) return bounds(program_, inputs_, work_);
  if (!folds(k)) return from_dimension(k + 1);
  Interval& move = inputs_[static_cast<std::size_t>(Input::move) + static_cast<std::size_t>(k)];
  const Interval whole = move;
  const Folded folded(whole, sides_.period[static_cast<std::size_t>(k)]);
  move = folded.parts[0];
  Interval found = from_dimension(k + 1);
  if (folded.n == 2) {
    move = folded.parts[1];
    const Interval more = from_dimension(k + 1);
    found = {std::min(found.low, more.low), std::max(found.high, more.high), found.maybe_nan || more.maybe_nan};
  }
  move = whole;
  return found;
}

CellSides divided_sides(const Candidates& c) {
  CellSides made;
  const Sides& sides = c.sides;
  const std::size_t centres = sides.centre_at[0].size(), others = sides.order.size();
  const bool equal = c.program.constant().has_value();                                           // then one cell is as good as many
  const std::size_t in_group = std::clamp<std::size_t>(in_cell * centres / others, 1, in_cell);  // groups are about as wide as cells
  made.centres = make_cells(sides.dims, sides.centre_at, centres, equal ? at_once : in_group);
  made.others = make_cells(sides.dims, sides.folded, others, equal ? others : in_cell);
  for (std::uint32_t cell = 0; cell < made.centres.cells.size(); ++cell)
    if (made.centres.cells[cell].first_half == 0) made.groups.push_back(cell);
  for (std::size_t k = 0; k < static_cast<std::size_t>(sides.dims); ++k)
    for (const std::uint32_t i : made.others.nodes) made.other_at[k].push_back(sides.folded[k][i]);
  return made;
}

const std::vector<Stretch>& Cover::of(const Box& centres, double most) {
  found_.clear();
  visits_ = 0;
  open_.assign(1, 0);
  while (!open_.empty()) {
    const Cell& cell = in_.others.cells[open_.back()];
    open_.pop_back();
    ++visits_;
    const Interval value = bounder_.between(centres, cell.box);
    const double high = std::min(value.high, most), low = value.maybe_nan ? 0.0 : std::clamp(value.low, 0.0, high);
    if (!(high > 0.0)) continue;
    if (cell.first_half == 0 || 2.0 * low >= high || cell.size() * (high - low) <= slack) {
      found_.push_back({cell.begin, cell.end, high});
    } else {
      open_.insert(open_.end(), {cell.first_half + 1, cell.first_half});
    }
  }
  return found_;
}

Cover::Bounded Cover::bounded(const Box& centres, std::uint32_t cell) {
  ++visits_;
  const Interval value = bounder_.between(centres, in_.others.cells[cell].box);
  const double high = std::max(value.high, 0.0), low = value.maybe_nan ? 0.0 : std::clamp(value.low, 0.0, high);
  return {high == low ? 0.0 : in_.others.cells[cell].size() * (high - low), low, high, cell};
}

const std::vector<Stretch>& Cover::close(const Box& centres) {
  constexpr std::size_t most_visits = 1024;
  constexpr double tolerated = 2.0;  // waste that dividing may remove, of the other bounds
  found_.clear();
  visits_ = 0;
  heap_.assign(1, bounded(centres, 0));
  double removable = heap_[0].waste, low = heap_[0].low * in_.others.cells[0].size(), fixed = 0.0;
  for (; !heap_.empty() && !(removable <= tolerated * (low + fixed)) && visits_ < most_visits;) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Bounded worst = heap_.back();
    const Cell& cell = in_.others.cells[worst.cell];
    heap_.pop_back();
    removable -= worst.waste;
    if (cell.first_half == 0) {
      fixed += worst.waste;
      keep(worst);
    } else {
      low -= worst.low * cell.size();
      for (const std::uint32_t half : {cell.first_half, cell.first_half + 1}) {
        heap_.push_back(bounded(centres, half));
        low += heap_.back().low * in_.others.cells[half].size();
        removable += heap_.back().waste;
        std::push_heap(heap_.begin(), heap_.end());
      }
    }
    if (!std::isfinite(removable)) removable = sum_of_waste();
  }
  for (const Bounded& b : heap_) keep(b);
  const double all = low + fixed + removable;
  low_share_ = all > 0.0 ? low / all : 1.0;
  if (!std::isfinite(all)) found_.clear();
  std::sort(found_.begin(), found_.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  return found_;
}

double Cover::sum_of_waste() const {
  double sum = 0.0;
  for (const Bounded& b : heap_) sum += b.waste;
  return sum;
}

void Cover::keep(const Bounded& b) {
  const Cell& cell = in_.others.cells[b.cell];
  if (b.high > 0.0) found_.push_back({cell.begin, cell.end, b.high});
}

std::shared_ptr<const CellSides> cell_sides(const Candidates& c) {
  const std::size_t centres = c.sides.centre_at[0].size(), others = c.sides.order.size();
  if (others < few_others || centres == 0 || (centres | others) >> 32 || !looks_everywhere(c)) return nullptr;
  auto made = std::make_shared<CellSides>(divided_sides(c));
  made->skips = pays(c, *made);
  return made;
}

}  // namespace npl::connect::space
