// SPDX-License-Identifier: Apache-2.0
#include "sim/table_specs.hpp"

#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace npl::sim {
namespace {

using tables::TableSpec;
using tables::Weights;

constexpr int most_uniform_tables = 16;  ///< per synapse model and receptor; further constants share a table with a weight per synapse

bool same_but_weights(const TableSpec& a, const TableSpec& b) {
  return a.synapse == b.synapse && a.parameters == b.parameters && a.varied == b.varied && a.receptor == b.receptor && a.input == b.input &&
         a.recorder == b.recorder && a.off_grid == b.off_grid;
}

/// Of all that same_but_weights() compares, label and layer.
std::uint64_t hash_of(const TableSpec& s, int label, int layer) {
  Hash h;
  h.add(s.synapse).add(s.receptor).add(static_cast<int>(s.input)).add(s.recorder).add(s.off_grid).add(label).add(layer);
  for (const double x : s.parameters) h.add(x + 0.0);  // one zero
  for (const int k : s.varied) h.add(k);
  return h.value();
}

std::string number(double x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

/// The first n, each with a line end.
std::string names_of(const std::vector<Field>& fields, std::size_t n) {
  std::string names;
  for (std::size_t k = 0; k < std::min(n, fields.size()); ++k) names += fields[k].name + std::string("\n");
  return names;
}

/// A model may have more parameters than when the checkpoint was written, after those of then. @param names of those; none: first version
void complete_parameters(TableSpec& s, const std::string& names) {
  const auto& fields = s.synapse->parameters;
  const std::size_t n = s.parameters.size();
  if (n > fields.size() || (!names.empty() && names != names_of(fields, n))) throw BadCheckpoint("other parameters of " + s.synapse->name);
  for (std::size_t k = n; k < fields.size(); ++k) s.parameters.push_back(fields[k].init);
}

[[noreturn]] void refuse(double weight, double largest, double smallest) {
  throw BadParameter(
      "weight", weight,
      "less than 8.6e9 times the smallest weight of the same receptor: input is summed in steps that are a fixed fraction of the "
      "largest weight (here " +
          number(largest) + "), so weights up to " + number(smallest) + " would have no effect");
}

}  // namespace

void WeightRange::check(double weight, double margin) const {
  const double largest = std::max(largest_, margin * weight), smallest = weight > 0.0 ? std::min(smallest_, weight) : smallest_;
  if (largest > smallest * most_ratio) refuse(weight, largest, smallest);
}

void WeightRange::check_set(double weight) const {
  if (weight > smallest_ * most_ratio) refuse(weight, weight, smallest_);
}

void WeightRange::note(double weight, double margin) {
  largest_ = std::max(largest_, margin * weight);
  if (weight > 0.0) smallest_ = std::min(smallest_, weight);
  if (weight > 0.0 && margin == 1.0) smallest_static_ = std::min(smallest_static_, weight);
}

double WeightRange::scale() const {
  double scale = largest_;
  if (scale == 0.0 && !bounds_.empty()) scale = plastic_margin * *std::min_element(bounds_.begin(), bounds_.end());
  for (const double bound : bounds_)
    if (bound <= most_reach * largest_) scale = std::max(scale, plastic_margin * bound);
  return scale;
}

Largest TableSpecs::scales() const {
  Largest all(weights.size());
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = weights[r].scale();
  return all;
}

Largest TableSpecs::most() const {
  Largest all(weights.size());
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = weights[r].most();
  return all;
}

void check_plastic_weights(const synapses::WeightBounds& bounds, double low, double high, bool strict, bool several) {
  const auto check = [&](double w) {
    const bool negative = bounds.high == 0.0 && bounds.low < 0.0;  // both 0: as positive ones
    const bool beyond = w < bounds.low || w > bounds.high, wrong_sign = (w < 0.0 && bounds.low == 0.0) || (w > 0.0 && negative);
    if (!(strict ? beyond : wrong_sign)) return;
    const std::string least = number(bounds.low), most = number(bounds.high);
    const std::string hint = several ? "; .redraw(min=" + least + ", max=" + most + ") keeps a distribution there" : "";
    throw BadParameter("weight", w, "from " + least + " to " + most + ", the bounds of the plastic synapse (Wmax)" + hint);
  };
  check(low), check(high);
}

std::vector<continuous::Kind> TableSpecs::continuous_kinds() const {
  std::set<continuous::Kind> kinds;
  for (const auto& s : all)
    if (s->continuous()) kinds.insert({s->synapse->continuous->what, s->synapse->continuous->delayed});
  return {kinds.begin(), kinds.end()};
}

bool TableSpecs::has_no_delay() const {
  return std::any_of(all.begin(), all.end(), [](const auto& s) { return s->continuous() && !s->synapse->continuous->delayed; });
}

namespace {

/// Makes the rule of a spec.
void complete(TableSpec& s) {
  auto rule = s.off_grid && s.synapse->prepare_exact ? s.synapse->prepare_exact(s.parameters, s.varied, s.resolution)
              : s.varied.empty()                     ? s.synapse->rule(s.parameters.data(), s.resolution)
                                                     : s.synapse->prepare_varied(s.parameters, s.varied, s.resolution);
  if (const int at = find_field(s.synapse->parameters, synapses::Axonal::name); at >= 0) {
    const auto column = std::find(s.varied.begin(), s.varied.end(), at);
    rule->axonal = {synapses::Axonal::steps(s.parameters[static_cast<std::size_t>(at)], s.resolution),
                    column == s.varied.end() ? -1 : static_cast<int>(column - s.varied.begin()), s.resolution};
  }
  s.plasticity = std::move(rule);
  s.sub_step_delay = s.synapse->sub_step_delay ? s.synapse->sub_step_delay(s.parameters.data()) : 0.0;
}

void visit_book(tables::Codebook& book, checkpoint::Archive& a) {
  std::vector<std::uint64_t> lengths;
  std::vector<float> values(book.values(), book.values() + book.size());
  for (const auto& [begin, length] : book.parts()) lengths.push_back(length);
  a("lengths", lengths), a("values", values);
  for (std::size_t k = 0, begin = 0; a.loading() && k < lengths.size(); begin += lengths[k++]) {
    if (begin + lengths[k] > values.size()) throw BadCheckpoint("a book of weights that does not fit");
    book.add(std::span<const float>(values).subspan(begin, lengths[k]));
  }
}

}  // namespace

int TableSpecs::index_of(const TableSpec* spec) const {
  const auto same = [spec](const auto& s) { return s.get() == spec; };
  return static_cast<int>(std::find_if(all.begin(), all.end(), same) - all.begin());
}

const TableSpec& TableSpecs::at(int index) const {
  if (index < 0 || static_cast<std::size_t>(index) >= all.size()) throw BadCheckpoint("a table that is not described");
  return *all[static_cast<std::size_t>(index)];
}

void TableSpecs::visit(checkpoint::Archive& a) {
  a.in("book", [&] { visit_book(*book, a); });
  a.each("specs", all, [&](std::unique_ptr<TableSpec>& s) {
    if (a.loading()) s = std::make_unique<TableSpec>();
    std::string synapse = s->synapse ? s->synapse->name : "", names;
    if (s->synapse) names = names_of(s->synapse->parameters, s->parameters.size());
    if (a.has<std::uint64_t>("parameter_names#")) a("parameter_names", names);
    a("synapse", synapse), a("parameters", s->parameters), a("varied", s->varied), a("receptor", s->receptor), a("input", s->input);
    a("weights", s->weights), a("uniform", s->uniform), a("order", s->order), a("recorder", s->recorder), a("off_grid", s->off_grid);
    a("resolution", s->resolution);
    if (!a.loading()) return;
    s->synapse = &synapses::find_synapse(synapse);
    complete_parameters(*s, names);
    if (s->weights == Weights::coded) s->book = book;
    complete(*s);
  });
  a("labels", labels);
  layers.resize(labels.size());  // checkpoints of former versions have none
  if (a.has<std::uint64_t>("layers#")) a("layers", layers);
  if (layers.size() != labels.size()) throw BadCheckpoint("tables that do not fit");
  std::vector<int> from, to;
  for (const auto& [narrow, wide] : widened) from.push_back(index_of(narrow)), to.push_back(index_of(wide));
  a("widened_from", from), a("widened_to", to);
  if (from.size() != to.size()) throw BadCheckpoint("tables that do not fit");
  for (std::size_t k = 0; a.loading() && k < from.size(); ++k) widened[&at(from[k])] = &at(to[k]);
  std::uint64_t receptors = weights.size();
  if (a.has<std::uint64_t>("receptors")) a("receptors", receptors);
  if (receptors < max_receptors || receptors > most_receptors) throw BadCheckpoint("receptors that do not fit");
  weights.resize(receptors);
  a.in("ranges", [&] {
    for (WeightRange& range : weights) range.visit(a);
  });
}

void TableSpecs::restore(Kept& kept) noexcept {
  for (; all.size() > kept.specs; all.pop_back())
    std::erase_if(widened, [&](const auto& pair) { return pair.first == all.back().get() || pair.second == all.back().get(); });
  while (labels.size() > kept.specs) labels.pop_back();
  while (layers.size() > kept.specs) layers.pop_back();
  hashed = std::min(hashed, kept.specs);
  for (auto& [hash, numbers] : by_hash) std::erase_if(numbers, [&](int number) { return static_cast<std::size_t>(number) >= hashed; });
  book->forget_after(kept.book);
  weights.swap(kept.weights);
}

int TableSpecs::table_for(TableSpec wanted, int label, int layer) {
  int uniform = 0;
  for (; hashed < all.size(); ++hashed) {
    const TableSpec& known = *all[hashed];
    by_hash[hash_of(known, label_of(known), layer_of(known))].push_back(static_cast<int>(hashed));
  }
  for (const int t : by_hash[hash_of(wanted, label, layer)]) {
    const TableSpec& known = *all[static_cast<std::size_t>(t)];
    if (!same_but_weights(known, wanted) || label_of(known) != label || layer_of(known) != layer) continue;
    if (known.weights == wanted.weights && known.uniform == wanted.uniform) return t;
    uniform += known.weights == Weights::uniform;
  }
  if (wanted.weights == Weights::uniform && uniform >= most_uniform_tables) {
    const double weight = wanted.uniform;
    wanted.weights = static_cast<double>(static_cast<float>(weight)) == weight ? Weights::f32 : Weights::f64;
    wanted.uniform = 0.0;
    return table_for(std::move(wanted), label, layer);
  }
  complete(wanted);
  wanted.order = static_cast<int>(all.size());
  labels.resize(all.size() + 1), layers.resize(all.size() + 1);
  labels.back() = label, layers.back() = layer;
  all.push_back(std::make_unique<TableSpec>(std::move(wanted)));
  return static_cast<int>(all.size()) - 1;
}

}  // namespace npl::sim
