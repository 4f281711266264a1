// SPDX-License-Identifier: Apache-2.0
#include "sim/report.hpp"

#include <array>
#include <numeric>

#include "comm/collect.hpp"

namespace npl::sim {

exchange::Counts Routes::counts() const {
  exchange::Counts sum = exchanger.counts();
  if (!levels.local()) return sum;
  const exchange::Counts& c = levels.local()->counts();
  sum.messages += c.messages, sum.rounds += c.rounds, sum.buffer_bytes += c.buffer_bytes;
  sum.bytes_sent += c.bytes_sent, sum.bytes_received += c.bytes_received;
  sum.words_sent += c.words_sent, sum.words_received += c.words_received;
  return sum;
}

std::map<std::string, std::uint64_t> Report::memory() const {
  std::map<std::string, std::uint64_t> m;
  for (const auto& s : slices_) {
    const Slice::Bytes b = s->bytes();
    m["neurons"] += b.neurons;
    m["synapses"] += b.synapses;
    m["index"] += b.index;
    m["traces"] += b.traces;
    m["in_flight"] += b.in_flight;
    m["devices"] += b.devices;
    m["recordings"] += b.recordings;
    m["input"] += b.input;
  }
  m["routing"] = routes_.bytes();
  m["total"] = std::accumulate(m.begin(), m.end(), std::uint64_t{0}, [](std::uint64_t sum, const auto& kv) { return sum + kv.second; });
  return m;
}

std::vector<double> Report::gather(const std::vector<double>& mine) const {
  agree("gather");
  return comm::gather(*comm_, mine);
}

std::uint64_t Report::own_spikes() const {
  std::uint64_t n = 0;
  for (const auto& s : slices_) n += s->spikes();
  return n;
}

std::map<std::string, std::uint64_t> Report::counters() const {
  agree("counters");
  using Columns = std::vector<std::pair<const char*, std::uint64_t>>;
  Columns sums{{"spikes", 0}, {"events", 0}};
  for (const auto& s : slices_) sums[0].second += s->spikes(), sums[1].second += s->events();
  const auto add = [&](const std::array<const char*, 5>& names, const exchange::Counts& c, std::uint64_t routes) {
    const std::uint64_t values[] = {c.messages, c.bytes_sent, c.words_sent, c.rounds, routes};
    for (std::size_t k = 0; k < names.size(); ++k) sums.emplace_back(names[k], values[k]);
  };
  const Router* local = routes_.levels.local();
  const std::uint64_t local_routes = local ? local->n_routes() : 0;
  add({"messages", "bytes_sent", "words_sent", "rounds", "routes"}, routes_.counts(), routes_.exchanger.n_routes() + local_routes);
  add({"local_messages", "local_bytes_sent", "local_words_sent", "local_rounds", "local_routes"},
      local ? local->counts() : exchange::Counts{}, local_routes);
  Columns most{{"exchanges", routes_.exchanger.exchanges()}, {"local_exchanges", local ? local->exchanges() : 0}};
  const auto reduce = [&](Columns& columns, comm::Op op) {
    std::vector<std::int64_t> n;
    for (const auto& c : columns) n.push_back(static_cast<std::int64_t>(c.second));
    if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(n), op);
    for (std::size_t k = 0; k < n.size(); ++k) columns[k].second = static_cast<std::uint64_t>(n[k]);
  };
  reduce(sums, comm::Op::sum);
  reduce(most, comm::Op::max);
  std::map<std::string, std::uint64_t> all{{"steps", static_cast<std::uint64_t>(step_)}, {"synapses", connections_.n_synapses()}};
  all.insert(sums.begin(), sums.end());
  all.insert(most.begin(), most.end());
  return all;
}

std::map<std::string, double> Report::load() const {
  std::map<std::string, double> load{{"neurons", 0}, {"synapses", 0}, {"spikes", 0}, {"events", 0}};
  for (const auto& s : slices_) {
    for (const auto& g : s->groups()) load["neurons"] += static_cast<double>(g->size());
    for (const auto& p : s->pathways()) load["synapses"] += static_cast<double>(p->table().n_synapses());
    load["spikes"] += static_cast<double>(s->spikes());
    load["events"] += static_cast<double>(s->events());
  }
  const auto seconds = [&](std::initializer_list<const char*> names) {
    double sum = 0;
    for (const char* name : names)
      if (const auto found = timers_.find(name); found != timers_.end()) sum += found->second;
    return sum;
  };
  load["compute"] = seconds({"run_deliver", "run_devices", "run_update", "run_record", "run_schedule", "run_collocate"});
  load["exchange"] = seconds({"run_exchange"});
  load["wait"] = seconds({"run_wait"});
  load["bytes_sent"] = static_cast<double>(routes_.counts().bytes_sent);
  load["memory"] = static_cast<double>(memory().at("total"));
  return load;
}

}  // namespace npl::sim
