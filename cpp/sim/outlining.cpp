// SPDX-License-Identifier: Apache-2.0
/// What was described, as the memory model takes it; refusal of what will not fit.
#include <algorithm>
#include <map>

#include "base/memory.hpp"
#include "sim/planner.hpp"

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
  spread.sources = static_cast<double>(p.pre.size()), spread.targets = static_cast<double>(p.post.size()),
  spread.edges = p.rule->expected_edges();
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

Outline Planner::outline() const {
  Outline o;
  for (const auto& p : populations_) o.nodes.push_back({static_cast<double>(p->n), p->model, p->columns()});
  for (const auto& s : description_.specs().all) o.tables.push_back(*s);
  for (const auto& p : description_.projections()) o.edges.push_back(edges_of(*p));
  for (const auto& l : description_.links()) {
    const devices::Device& device = *l->devices.front();
    const bool one_weight = l->values.weight.is_constant();
    const double small = probe(device, 1024, one_weight), large = probe(device, 2048, one_weight), each = (large - small) / 1024;
    const double parts = device.info->signed_factors && l->receptor < 0 ? 2.0 : 1.0;  // one per receptor
    o.links.push_back({static_cast<double>(l->devices.size()), static_cast<double>(l->targets.size()), l->pairs,
                       device.info->effect == devices::Effect::current, l->values.highest_delay - l->values.lowest_delay + 1.0,
                       parts * (small - 1024 * each), parts * each});
  }
  for (const auto& r : recorders_.of_spikes()) o.spike_recorders.push_back(static_cast<double>(r.nodes.size()));
  for (const auto& r : recorders_.of_state())
    o.state_recorders.push_back({static_cast<double>(r.gids.size() * r.names.size()), static_cast<double>(r.sampling.interval)});
  for (const auto& r : recorders_.of_weights()) o.weight_recorders.emplace_back(r.sources.has_value(), r.targets.has_value());
  o.by_rank = distribution_->stride(2) == 2;
  o.resolution = settings_.resolution;
  o.min_delay = description_.min_delay(), o.max_delay = description_.max_delay();
  return o;
}

Machine Planner::machine() const {
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

std::vector<Forecast> Planner::plan(const std::vector<Machine>& machines) const {
  const Outline o = outline();
  std::vector<Forecast> all;
  for (const Machine& m : machines) all.push_back(forecast(o, m));
  return all;
}

/// What is there already stays: tables are added to, everything else is as large as for the whole network.
Forecast Planner::plan() const {
  Forecast f = forecast(outline(), machine());
  if (settings_.counting) return f;
  double total = 0, built = 0;
  for (const auto& [term, bytes] : report_.memory()) {
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

/// Bytes that the next build will take at its peak, of this rank, by the model; 0 when nothing is to be checked.
double Planner::build_needs() const {
  if (settings_.force || (description_.projections().empty() && prepared_)) return 0;
  const Forecast f = plan();
  return std::max(0.0, f.bytes.at("peak") - f.bytes.at("built"));
}

/// All ranks of this machine together.
void Planner::check_build() const {
  double needed = 0, available = 0, all = 0;
  together("build", [&] { needed = build_needs(), available = available_memory(); });
  or_abort("build", [&] { all = comm_->sum_on_node(needed); });
  const int here = comm_->ranks_on_node();
  together("build", [&] {
    if (needed > 0 && all > available)
      throw TooLarge(here > 1 ? "build on the " + std::to_string(here) + " ranks of this machine" : "build", all, available);
    check_limit("build", needed);
  });
}

}  // namespace npl::sim
