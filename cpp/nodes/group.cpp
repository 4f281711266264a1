// SPDX-License-Identifier: Apache-2.0
#include "nodes/group.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/math.hpp"
#include "base/word_copy.hpp"
#include "nodes/input_rows.hpp"
#include "nodes/sampler.hpp"
#include "nodes/small_states.hpp"

namespace npl::nodes {

void Column::set(std::size_t i, double value, std::size_t n) {
  make_room(value, n);
  if (!is_uniform()) values_[i] = value;
}

void Column::make_room(double value, std::size_t n) {
  if (!is_uniform() || value == value_) return;
  values_ = Buffer<double>(n);
  std::fill(values_.begin(), values_.end(), value_);
}

Group::Group(const ModelInfo& model, Members nodes, Local first_local, double dt_ms)
    : model_(&model),
      nodes_(std::move(nodes)),
      first_local_(first_local),
      n_(static_cast<std::size_t>(nodes_.size())),
      dt_(dt_ms),
      changed_end_(n_) {
  for (const Field& f : model.parameters) parameters_.emplace_back(f.init);
  for (const Field& f : model.state) {
    state_.emplace_back(n_);
    std::fill(state_.back().begin(), state_.back().end(), f.init);
    state_pointers_.push_back(state_.back().data());
  }
}

void Group::note_change(std::size_t begin, std::size_t n) {
  const bool any = changed_begin_ < changed_end_;
  changed_end_ = any ? std::max(changed_end_, begin + n) : begin + n;
  changed_begin_ = any ? std::min(changed_begin_, begin) : begin;
}

void Group::set_parameter(std::size_t k, std::size_t i, double value) {
  parameters_[k].set(i, value, n_);
  note_change(i, 1);
}

void Group::set_parameters(std::size_t k, std::size_t begin, std::size_t n, double value) {
  Column& column = parameters_[k];
  if (n < n_)
    for (std::size_t i = begin; i < begin + n; ++i) column.set(i, value, n_);
  if (n == n_ || column.all_are(value)) column.set_all(value);
  note_change(begin, n);
}

void Group::settle(std::size_t begin, std::size_t n) {
  if (!model_->settle) return;
  make_room();
  double* const parameters = settling_.data();
  double* const state = parameters + parameters_.size();
  for (std::size_t i = begin; i < begin + n; ++i) {
    for (std::size_t k = 0; k < parameters_.size(); ++k) parameters[k] = parameters_[k][i];
    for (std::size_t k = 0; k < state_.size(); ++k) state[k] = state_[k][i];
    model_->settle(parameters, state);
    for (std::size_t k = 0; k < state_.size(); ++k) state_[k][i] = state[k];
  }
}

void Group::take(const Group& from, std::size_t begin) {
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    if (from.parameters_[k].is_uniform())
      set_parameters(k, begin, from.n_, from.parameters_[k][0]);
    else
      for (std::size_t i = 0; i < from.n_; ++i) set_parameter(k, begin + i, from.parameters_[k][i]);
  }
  for (std::size_t k = 0; k < state_.size(); ++k) std::copy_n(from.state_[k].begin(), from.n_, state_[k].begin() + begin);
  for (const std::size_t i : from.frozen_) freeze(begin + i, true);
}

void Group::copy(std::size_t i, const Group& from, std::size_t j) {
  for (std::size_t k = 0; k < parameters_.size(); ++k) set_parameter(k, i, from.parameter(k, j));
  for (std::size_t k = 0; k < state_.size(); ++k) state_[k][i] = from.state_[k][j];
  if (std::binary_search(from.frozen_.begin(), from.frozen_.end(), j)) freeze(i, true);
}

void Group::join_columns() {
  for (Column& c : parameters_)
    if (n_ > 0 && c.all_are(c[0])) c.set_all(double{c[0]});
}

void Group::inherit(const Group& from) {
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const int before = find_field(from.model_->parameters, model_->parameters[k].name);
    for (std::size_t i = 0; before >= 0 && i < n_; ++i) set_parameter(k, i, from.parameter(static_cast<std::size_t>(before), i));
  }
  join_columns();
  for (std::size_t k = 0; k < state_.size(); ++k) {
    const int before = find_field(from.model_->state, model_->state[k].name);
    if (before >= 0) std::copy_n(from.state_[static_cast<std::size_t>(before)].begin(), n_, state_[k].begin());
  }
  frozen_ = from.frozen_;
}

std::vector<double> Group::parameters_of(std::size_t i) const {
  std::vector<double> values;
  values.reserve(parameters_.size());
  for (const Column& c : parameters_) values.push_back(c[i]);
  return values;
}

void Group::prepare() {
  held_.forget();
  ports_.forget();
  if (changed_begin_ >= changed_end_ || n_ == 0) return;
  derive();
  list_fast();
  changed_begin_ = changed_end_ = 0;
}

void Group::derive() {
  if (!all_alike()) return derive_columns();
  uniform_ = true;
  derived_.assign(model_->n_derived, 0.0);
  model_->derive(parameters_of(0).data(), dt_, derived_.data());
  derived_columns_.clear();
  derived_pointers_.clear();
  if (model_->repeats) repeat();
}

void Group::repeat() {
  const std::size_t length = std::min(repeated_block, padded(n_));
  double* column = derived_columns_.emplace_back(length * model_->n_derived).data();
  for (std::size_t k = 0; k < model_->n_derived; ++k, column += length) {
    std::fill_n(column, length, derived_[k]);
    derived_pointers_.push_back(column);
  }
}

void Group::derive_columns() {
  if (uniform_) {
    derived_columns_.clear();
    derived_pointers_.clear();
    for (std::size_t k = 0; k < model_->n_derived; ++k) derived_pointers_.push_back(derived_columns_.emplace_back(n_).data());
    uniform_ = false;
    changed_begin_ = 0, changed_end_ = n_;
  }
  derived_.assign(model_->n_derived, 0.0);
  std::vector<double> parameters(parameters_.size());
  for (std::size_t i = changed_begin_; i < changed_end_; ++i) {
    for (std::size_t k = 0; k < parameters.size(); ++k) parameters[k] = parameters_[k][i];
    model_->derive(parameters.data(), dt_, derived_.data());
    for (std::size_t k = 0; k < model_->n_derived; ++k) derived_columns_[k][i] = derived_[k];
  }
}

void Group::list_fast() {
  if (model_->flush_interval == 1) return;  // all neurons are flushed in every step anyway
  const auto neuron_is_fast = [&](std::size_t i) {
    return std::any_of(derived_columns_.begin(), derived_columns_.end(), [&](const auto& c) { return is_fast(c[i]); });
  };
  std::vector<std::size_t> found;
  if (uniform_) {
    fast_.clear();
    if (std::any_of(derived_.begin(), derived_.end(), is_fast)) found.resize(n_);
    std::iota(found.begin(), found.end(), std::size_t{0});
  } else {
    for (std::size_t i = changed_begin_; i < changed_end_; ++i)
      if (neuron_is_fast(i)) found.push_back(i);
  }
  const auto first = std::lower_bound(fast_.begin(), fast_.end(), changed_begin_),
             last = std::lower_bound(first, fast_.end(), changed_end_);
  fast_.insert(fast_.erase(first, last), found.begin(), found.end());
}

void Group::advance(const GroupView& view) {
  model_->update(view);
  for (std::size_t k = 0; k < state_.size() && !fast_.empty(); ++k) {
    if (!decays(model_->state[k])) continue;
    for (const std::size_t i : fast_) state_[k][i] = flushed(state_[k][i]);
  }
}

void Group::update(const GroupInput& in, std::size_t begin, std::size_t n) {
  if (in.steps > 1 && !(in_pieces() && n <= chunk)) return update_one_by_one(in, begin, n);
  GroupView view{
      {},     n,       state_pointers_.data(), uniform_ ? derived_.data() : nullptr, derived_pointers_.data(), &nodes_, first_local_, begin,
      &held_, &ports_, model_->shape.get()};
  copy_by_words<GroupInput>(view, in);
  frozen_.empty() ? advance(view) : update_others(view);
}

const double* Group::derived_of(std::size_t i, double* out) const {
  if (uniform()) return derived_.data();
  for (std::size_t k = 0; k < derived_columns_.size(); ++k) out[k] = derived_columns_[k][i];
  return out;
}

GroupView Group::view_of_all() const {
  GroupView view{};
  view.n = n_, view.state = state_pointers_.data();
  view.derived = uniform_ ? derived_.data() : nullptr, view.derived_columns = derived_pointers_.data();
  return view;
}

/// Frozen neurons record nothing.
void Group::record(const double* const* waited, double* contributions, double* levels) const {
  model_->history->record(view_of_all(), waited, contributions, levels);
  for (const std::size_t i : frozen_) {
    contributions[i] = 0.0;
    for (std::size_t r = 0; r < model_->history->rows; ++r) levels[r * n_ + i] = 0.0;
  }
}

/// Several steps in models that take one at a time.
void Group::update_one_by_one(GroupInput in, std::size_t begin, std::size_t n) {
  std::array<Fixed*, max_receptors> sums{};
  std::copy_n(in.input, model_->receptors, sums.begin());
  in.input = sums.data();
  Sampler* sampler = std::exchange(in.sampler, nullptr);
  for (std::size_t left = std::exchange(in.steps, 1); left > 0; --left, ++in.step) {
    update(in, begin, n);
    for (int r = 0; r < model_->receptors; ++r) sums[static_cast<std::size_t>(r)] += in.stride;
    if (in.current) in.current += in.stride;
    if (sampler) sampler->take(in.step + 1);
  }
}

void Group::freeze(std::size_t i, bool frozen) {
  held_.forget();
  const auto at = std::lower_bound(frozen_.begin(), frozen_.end(), i);
  const bool is = at != frozen_.end() && *at == i;
  if (frozen && !is) frozen_.insert(at, i);
  if (!frozen && is) frozen_.erase(at);
}

/// Frozen neurons take part in the vector loops; then they are put back.
void Group::update_others(const GroupView& view) {
  std::vector<double> kept;
  for (const std::size_t i : frozen_)
    for (const auto& c : state_) kept.push_back(c[i]);
  SourcedSpikes& out = *view.spikes;
  const std::size_t before = out.spikes.size(), offsets_before = view.offsets ? view.offsets->size() : 0;
  advance(view);
  std::size_t k = 0;
  for (const std::size_t i : frozen_)
    for (auto& c : state_) c[i] = kept[k++];
  const bool timed = view.offsets && view.offsets->size() > offsets_before;  // precise models: one offset per spike
  std::size_t left = before;
  for (std::size_t j = before; j < out.spikes.size(); ++j) {
    if (std::binary_search(frozen_.begin(), frozen_.end(), std::size_t{out.sources[j]} - first_local_)) continue;
    out.spikes[left] = out.spikes[j], out.sources[left] = out.sources[j];
    if (timed) (*view.offsets)[offsets_before + left - before] = (*view.offsets)[offsets_before + j - before];
    ++left;
  }
  out.spikes.resize(left), out.sources.resize(left);
  if (timed) view.offsets->resize(offsets_before + left - before);
}

namespace {

inline bool is_within(double x, Range r) { return (x >= r.low) & (x <= r.high); }  // false for NaN; bounds are finite

/// Is any of n values outside the range? Branch-free, so that the loop vectorises.
struct AnyInsane {
  NPL_INLINE static void run(const double* x, std::size_t n, Range r, bool* found) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < n; ++i) any |= math::detail::bits(math::choose((x[i] >= r.low) & (x[i] <= r.high), 0.0, 1.0));
    *found = any != 0;
  }
};

}  // namespace

std::optional<Divergence> Group::diverged() const {
  std::optional<Divergence> first;
  std::size_t end = n_;  // later columns only count where they diverge in an earlier neuron
  for (std::size_t k = 0; k < state_.size(); ++k) {
    const double* x = state_[k].data();
    const Range range = model_->sane[k];
    bool found = false;
    Dispatch<AnyInsane>::run(x, end, range, &found);
    if (!found) continue;
    const auto i = static_cast<std::size_t>(std::find_if(x, x + end, [&](double v) { return !is_within(v, range); }) - x);
    first = Divergence{i, model_->state[k].name, x[i]};
    end = i;
  }
  return first;
}

bool Group::is_sane(std::size_t i) const {
  for (std::size_t k = 0; k < state_.size(); ++k)
    if (!is_within(state_[k][i], model_->sane[k])) return false;
  return true;
}

std::vector<std::size_t> Group::freeze_diverged() {
  std::vector<std::size_t> fresh;
  for (std::size_t i = 0; i < n_; ++i)
    if (!is_sane(i) && !std::binary_search(frozen_.begin(), frozen_.end(), i)) fresh.push_back(i);
  for (const std::size_t i : fresh) freeze(i, true);
  return fresh;
}

std::size_t Group::bytes() const {
  std::size_t total = held_.bytes() + ports_.bytes();
  for (const auto& c : parameters_) total += c.bytes();
  for (const auto& c : state_) total += c.bytes();
  for (const auto& c : derived_columns_) total += c.bytes();
  return total;
}

}  // namespace npl::nodes
