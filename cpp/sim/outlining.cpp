// SPDX-License-Identifier: Apache-2.0
/// Converts the description to the input of the memory model; refuses networks that do not fit.
#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "base/memory.hpp"
#include "sim/planner.hpp"

namespace npl::sim {
namespace {

/// The same where delays are a formula; on several ranks all ranks have the same lowest and highest delay.
std::vector<double> shares_of(const connect::EdgeValues& v) {
  std::vector<double> shares(static_cast<std::size_t>(v.highest_delay - v.lowest_delay) + 1);
  const auto n = static_cast<double>(std::max<std::uint64_t>(v.range.edges, 1));
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const std::size_t steps = k + static_cast<std::size_t>(v.lowest_delay);
    if (steps < v.range.delays.size()) shares[k] = static_cast<double>(v.range.delays[steps]) / n;
  }
  return shares;
}

/// Share of the edges per delay, from the lowest to the highest delay.
std::vector<double> delay_shares(const connect::EdgeValues& v) {
  if (v.lowest_delay == v.highest_delay) return {1.0};
  if (v.delays) return v.delays->shares();
  if (v.delay.kind == rng::Kind::formula) return shares_of(v);
  std::vector<double> shares(static_cast<std::size_t>(v.highest_delay - v.lowest_delay) + 1);
  for (Delay d : v.delay_values) shares[static_cast<std::size_t>(d - v.lowest_delay)] += 1.0 / static_cast<double>(v.delay_values.size());
  return shares;
}

double negative_share(const connect::Projection& p) {
  if (!p.sign_varies()) return 0;
  if (p.weight.kind == rng::Kind::formula)
    return static_cast<double>(p.range.negative) / static_cast<double>(std::max<std::uint64_t>(p.range.edges, 1));
  if (p.weight.kind != rng::Kind::array) return p.weights->share_below_zero();
  const auto share = [](const auto& all) {
    return static_cast<double>(std::count_if(all.begin(), all.end(), [](double w) { return w < 0; })) / static_cast<double>(all.size());
  };
  return p.float_weights.empty() ? share(*p.weight.values) : share(p.float_weights);
}

/// What the model sees of a projection whose values are drawn: networks of many populations have thousands that look alike.
struct Looks {
  Gid first;
  std::int64_t count, stride, targets;
  double edges;
  connect::Spread::Kind spread;
  int table, negative_table;
  Delay lowest_delay, highest_delay;
  const void *weights, *delays;
  auto operator<=>(const Looks&) const = default;
};

std::optional<Looks> looks_of(const connect::Projection& p) {
  if (p.pre.ranges().size() != 1 || p.weight.kind == rng::Kind::array || p.has_formula() || !p.delay_values.empty()) return std::nullopt;
  const connect::Spread::Kind spread = p.rule->spread().kind;
  if (spread == connect::Spread::Kind::listed) return std::nullopt;
  const connect::Range& r = p.pre.ranges()[0];
  return Looks{r.first, r.count,          r.stride,       p.post.size(),   p.rule->expected_edges(), spread,
               p.table, p.negative_table, p.lowest_delay, p.highest_delay, p.weights.get(),          p.delays.get()};
}

Outline::Edges edges_of(const connect::Projection& p) {
  connect::Spread spread = p.rule->spread();
  spread.sources = static_cast<double>(p.pre.size()), spread.targets = static_cast<double>(p.post.size()),
  spread.edges = p.rule->expected_edges();
  const std::vector<connect::Range> sources(p.pre.ranges().begin(), p.pre.ranges().end());
  return {sources, std::move(spread), p.table, p.negative_table, negative_share(p), p.lowest_delay, p.highest_delay, delay_shares(p)};
}

/// Projections that look alike are counted, not repeated.
std::vector<Outline::Edges> edges_of(std::span<const std::unique_ptr<connect::Projection>> projections) {
  std::vector<Outline::Edges> all;
  std::map<Looks, std::size_t> known;
  for (const auto& p : projections) {
    if (const auto looks = looks_of(*p)) {
      const auto [at, fresh] = known.try_emplace(*looks, all.size());
      if (!fresh) {
        all[at->second].copies += 1;
        continue;
      }
    }
    all.push_back(edges_of(*p));
  }
  return all;
}

/// Bytes of a part of a device, measured with a temporary part.
double probe(const devices::Device& device, std::size_t n, bool one_weight) {
  devices::Targets t;
  for (std::size_t i = 0; i < n; ++i) t.local.push_back(static_cast<Local>(i)), t.gid.push_back(static_cast<Gid>(i + 1));
  t.weight.assign(one_weight ? 1 : n, 1.0);
  return static_cast<double>(device.info->make_part(device, std::move(t))->bytes());
}

}  // namespace

Outline Planner::outline() const {
  Outline o;
  for (const auto& p : populations_) {
    const bool grouped = p->model && p->block < populations_.grouped();
    o.nodes.push_back({static_cast<double>(p->n), p->model, p->uniform, p->varied, grouped ? p->group : no_group});
  }
  for (const auto& s : description_.specs().all) o.tables.push_back(*s);
  o.drawn = description_.drawn_again({});
  o.edges = edges_of(description_.projections());
  for (const auto& l : description_.links()) {
    const devices::Device& device = populations_.of(l->devices[0], "pre").devices->common();
    const bool one_weight = l->values.weight.is_constant();
    const double small = probe(device, 1024, one_weight), large = probe(device, 2048, one_weight), each = (large - small) / 1024;
    const double parts = device.info->signed_factors && l->receptor < 0 ? 2.0 : 1.0;  // one per receptor
    const auto n_devices = static_cast<double>(l->devices.size()), n_edges = static_cast<double>(l->n_edges());
    o.links.push_back({n_devices, l->pairs ? n_edges : n_edges / n_devices, l->pairs, device.info->effect == devices::Effect::current,
                       l->values.highest_delay - l->values.lowest_delay + 1.0, parts * (small - 1024 * each), parts * each});
  }
  for (const auto& r : recorders_.of_spikes()) o.spike_recorders.push_back(static_cast<double>(r.nodes.size()));
  for (const auto& r : recorders_.of_state())
    o.state_recorders.push_back({static_cast<double>(r.gids.size() * r.names.size()), static_cast<double>(r.sampling.interval)});
  for (const auto& r : recorders_.of_bins()) o.binned_recorders.push_back(static_cast<double>(r.width));
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
  m.slices = settings_.counting ? 0 : static_cast<int>(populations_.slices_for(description_.input_work(0)));
  m.few_slices = settings_.may_have_few_slices();
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

/// Adds the memory of the built network: tables grow by the new edges; everything else is predicted for the whole network.
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

/// Predicted peak bytes of the next build on this rank; 0: no check needed.
double Planner::build_needs() const {
  if (settings_.force || (description_.projections().empty() && prepared_)) return 0;
  const Forecast f = plan();
  return std::max(0.0, f.bytes.at("peak") - f.bytes.at("built"));
}

/// Checks the sum over all ranks of this machine.
void Planner::check_build() const {
  constexpr double small = 1 << 20;  // as in check_memory: the system call would dominate
  double needed = 0, all = 0;
  together("build", [&] { needed = build_needs(); });  // first: another rank may have ended
  agreement_.throughout("build", [&] { all = comm_->sum_on_node(needed); });
  const int here = comm_->ranks_on_node();
  together("build", [&] {
    const double available = all < small ? small : available_memory();
    if (needed > 0 && all > available)
      throw TooLarge(here > 1 ? "build on the " + std::to_string(here) + " ranks of this machine" : "build", all, available);
    check_limit("build", needed);
  });
}

}  // namespace npl::sim
