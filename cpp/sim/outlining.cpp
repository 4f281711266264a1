// SPDX-License-Identifier: Apache-2.0
/// What was described, as the memory model takes it; refusal of what will not fit.
#include <algorithm>
#include <map>

#include "base/memory.hpp"
#include "sim/node_values.hpp"

namespace npl::sim {
namespace {

constexpr std::size_t samples = 4096;  ///< of a distribution, at evenly spaced words

std::vector<std::uint32_t> even_words() {
  std::vector<std::uint32_t> words(samples);
  for (std::size_t i = 0; i < samples; ++i) words[i] = static_cast<std::uint32_t>((i << 20) + (1u << 19));
  return words;
}

/// Share of the edges per delay, from the lowest to the highest one.
std::vector<double> delay_shares(const connect::EdgeValues& v) {
  std::vector<double> shares(static_cast<std::size_t>(v.highest_delay - v.lowest_delay) + 1);
  if (shares.size() == 1) return {1.0};
  std::vector<Delay> drawn(v.delay_values);
  if (v.delays) drawn.resize(samples), v.delays->draw(even_words(), drawn.data());
  for (Delay d : drawn) shares[static_cast<std::size_t>(d - v.lowest_delay)] += 1.0 / static_cast<double>(drawn.size());
  return shares;
}

double negative_share(const connect::Projection& p) {
  if (!p.sign_varies()) return 0;
  std::vector<double> drawn(samples);
  if (p.weight.kind == rng::Kind::array)
    drawn = *p.weight.values;
  else
    p.weights->draw(even_words(), drawn.data());
  return static_cast<double>(std::count_if(drawn.begin(), drawn.end(), [](double w) { return w < 0; })) / static_cast<double>(drawn.size());
}

Outline::Edges edges_of(const connect::Projection& p) {
  connect::Spread spread = p.rule->spread();
  spread.sources = static_cast<double>(p.pre.size()), spread.targets = static_cast<double>(p.post.size()), spread.edges = p.rule->expected_edges();
  const std::vector<connect::Range> sources(p.pre.ranges().begin(), p.pre.ranges().end());
  return {sources, std::move(spread), p.table, p.negative_table, negative_share(p), p.lowest_delay, p.highest_delay, delay_shares(p)};
}

/// A part tells its own size.
double probe(const devices::Device& device, std::size_t n, bool one_weight) {
  devices::Targets t;
  for (std::size_t i = 0; i < n; ++i) t.local.push_back(static_cast<Local>(i)), t.gid.push_back(static_cast<Gid>(i + 1));
  t.weight.assign(one_weight ? 1 : n, 1.0);
  return static_cast<double>(device.info->make_part(device, std::move(t))->bytes());
}

}  // namespace

/// Which parameters get a column, as Column decides it.
void Network::note_columns(Population& p, bool everyone, const Values& values, const std::vector<NodeDraw>& draws) {
  for (const NodeDraw& d : draws)
    if (const int k = find_field(p.model->parameters, d.name); k >= 0) p.varied[static_cast<std::size_t>(k)] = 1;
  for (const auto& [name, v] : values) {
    const int found = find_field(p.model->parameters, name);
    if (found < 0) continue;
    const auto k = static_cast<std::size_t>(found);
    if (everyone && v.size() == 1)
      p.uniform[k] = v[0], p.varied[k] = 0;
    else if (std::any_of(v.begin(), v.end(), [&](double x) { return x != p.uniform[k]; }))
      p.varied[k] = 1;
  }
}

/// Where nothing is kept per node: what is equal for the population; of what differs, what it was before.
double Network::counted_value(const Population& p, const std::string& name) {
  const int k = find_field(p.model->parameters, name);
  return k >= 0 ? p.uniform[static_cast<std::size_t>(k)] : field_of(*p.model, name).init;
}

Outline Network::outline() const {
  Outline o;
  for (const auto& p : populations_) o.nodes.push_back({static_cast<double>(p->n), p->model, p->columns()});
  for (const auto& s : specs_) o.tables.push_back(*s);
  for (const auto& p : projections_) o.edges.push_back(edges_of(*p));
  for (const auto& l : links_) {
    const devices::Device& device = *l->devices.front();
    const bool one_weight = l->values.weight.is_constant();
    const double small = probe(device, 1024, one_weight), large = probe(device, 2048, one_weight), each = (large - small) / 1024;
    o.links.push_back({static_cast<double>(l->devices.size()), static_cast<double>(l->targets.size()), l->pairs, device.info->effect == devices::Effect::current,
                       l->values.highest_delay - l->values.lowest_delay + 1.0, small - 1024 * each, each});
  }
  for (const auto& r : spike_recorders_) o.spike_recorders.push_back(static_cast<double>(r.nodes.size()));
  for (const auto& r : state_recorders_)
    o.state_recorders.push_back({static_cast<double>(r.gids.size() * r.names.size()), static_cast<double>(r.sampling.interval)});
  for (const auto& r : weight_recorders_) o.weight_recorders.emplace_back(r.sources.has_value(), r.targets.has_value());
  o.by_rank = distribution_->stride(2) == 2;
  o.resolution = settings_.resolution;
  o.min_delay = min_delay_, o.max_delay = max_delay_;
  return o;
}

Machine Network::machine() const {
  const ExchangeSettings& e = settings_.exchange;
  Machine m;
  m.ranks = ranks();
  m.threads = settings_.threads;
  m.slices = settings_.counting ? 0 : static_cast<int>(n_slices());
  m.block_size = settings_.block_size;
  m.strategy = e.strategy, m.regime = e.regime;
  m.keep_sources = settings_.keep_sources, m.halves = e.halves;
  return m;
}

std::vector<Forecast> Network::plan(const std::vector<Machine>& machines) const {
  const Outline o = outline();
  std::vector<Forecast> all;
  for (const Machine& m : machines) all.push_back(forecast(o, m));
  return all;
}

/// What is there already stays: tables are added to, everything else is as large as for the whole network.
Forecast Network::plan() const {
  Forecast f = forecast(outline(), machine());
  if (settings_.counting) return f;
  double total = 0, built = 0;
  for (const auto& [term, bytes] : memory()) {
    if (term == "total") continue;
    double& here = f.bytes[term];
    const auto now = static_cast<double>(bytes);
    here = term == "synapses" || term == "index" ? here + now : std::max(here, now);
    built += now;
  }
  for (const auto& [term, bytes] : f.bytes)
    if (term != "total" && term != "construction" && term != "peak") total += bytes;
  f.bytes["total"] = total, f.bytes["built"] = built;
  f.bytes["peak"] = total + f.bytes["construction"];
  return f;
}

/// At the door: the least that a call needs, besides what was described before.
void Network::check_memory(double new_bytes, const std::string& what) const {
  constexpr double small = 1 << 20;  // asking the system takes longer than such a call: build checks them all together
  if (settings_.counting || settings_.force || new_bytes < small) return;
  double pending = 0;
  for (const auto& p : projections_) pending += p->rule->expected_edges() / ranks() * deliver::payload_per_synapse(specs_[static_cast<std::size_t>(p->table)]->weights, deliver::Layout::runs);
  const int here = comm_->ranks_on_node();  // all make the same call, for about as many synapses each
  const double needed = (pending + new_bytes) * here, available = available_memory();
  if (needed > available) throw TooLarge(here > 1 ? what + " on the " + std::to_string(here) + " ranks of this machine" : what, needed, available);
  check_limit(what, pending + new_bytes);
}

void Network::check_limit(const std::string& what, double needed) const {
  const double limit = settings_.memory_limit;
  if (limit <= 0 || needed <= 0) return;
  const double left = std::max(0.0, limit - static_cast<double>(memory().at("total")));
  if (needed > left) throw TooLarge(what + " (memory_limit " + size_text(limit) + ")", needed, left);
}

/// Bytes that the next build will take at its peak, of this rank, by the model; 0 when nothing is to be checked.
double Network::build_needs() const {
  if (settings_.force || (projections_.empty() && prepared_)) return 0;
  const Forecast f = plan();
  return std::max(0.0, f.bytes.at("peak") - f.bytes.at("built"));
}

/// Before anything is allocated: everything, of all ranks of this machine together. Collective, where routes are to be made.
void Network::check_build() const {
  double needed = 0, available = 0;
  together("build", [&] { needed = build_needs(), available = available_memory(); });
  double all = 0;
  or_abort("build", [&] { all = comm_->sum_on_node(needed); });
  const int here = comm_->ranks_on_node();
  together("build", [&] {
    if (needed > 0 && all > available) throw TooLarge(here > 1 ? "build on the " + std::to_string(here) + " ranks of this machine" : "build", all, available);
    check_limit("build", needed);
  });
}

}  // namespace npl::sim
