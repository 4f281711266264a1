// SPDX-License-Identifier: Apache-2.0
// A slice whose generators and neurons take turns piece by piece, against the same parts and groups one after the other.
#include <gtest/gtest.h>

#include "sim/slice.hpp"

namespace npl::sim::test_pieces {
namespace {

constexpr Gid neurons[] = {2500, 40, 3000};  // the last population is of another model and has frozen neurons
constexpr Step steps = 150;

devices::Device poisson(Gid gid, double rate) {
  return {&devices::find_device("poisson_generator"), gid, 0, 0.1, {{0, {0.0, 1e300, 0.0, rate}, {}}}};
}

devices::Targets targets(Local from, Local until, double weight) {
  devices::Targets t;
  for (Local i = from; i < until; ++i) t.local.push_back(i), t.gid.push_back(static_cast<Gid>(i) + 1);
  t.weight = {weight};
  t.seed = 9;
  return t;
}

std::vector<std::unique_ptr<nodes::Group>> groups() {
  std::vector<std::unique_ptr<nodes::Group>> all;
  Gid first = 1;
  for (std::size_t k = 0; k < 3; first += neurons[k++]) {
    const auto& model = nodes::find_model(k < 2 ? "iaf_psc_exp" : "iaf_psc_alpha");
    all.push_back(std::make_unique<nodes::Group>(model, Members(first, 1, neurons[k]), static_cast<Local>(first - 1), 0.1));
  }
  for (std::size_t i = 0; i < 3000; i += 7) all[2]->freeze(i, true);
  return all;
}

struct Given {
  devices::Device strong = poisson(10001, 9e4), weak = poisson(10002, 4e3), few = poisson(10003, 2e4), late = poisson(10004, 2e4);
  struct Link {
    const devices::Device* device;
    Local from, until;
    double weight;
  };
  /// One stretch across all populations, one that ends inside a piece, one too short for pieces, one that ends during the run.
  std::vector<Link> links{{&strong, 0, 5540, 60.0}, {&weak, 1500, 2531, 300.0}, {&few, 2490, 2560, 100.0}, {&late, 2000, 5000, 50.0}};
  static constexpr Step late_ends = 70;
};

std::vector<Spike> expected(const Given& given) {
  auto all = groups();
  std::vector<std::unique_ptr<devices::Part>> parts;
  for (const auto& l : given.links) parts.push_back(l.device->info->make_part(*l.device, targets(l.from, l.until, l.weight)));
  const FixedScale scale = FixedScale::for_largest(300.0);
  std::vector<Fixed> sums[2];
  for (auto& s : sums) s.resize(5540);
  SourcedSpikes spikes;
  for (auto& g : all) g->prepare();
  for (Step step = 0; step < steps; ++step) {
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (k < 3 || step < Given::late_ends) parts[k]->apply(step, {sums[0].data(), scale.to_fixed, nullptr});
    for (auto& g : all) {
      Fixed* in[] = {sums[0].data() + g->first_local(), sums[1].data() + g->first_local()};
      const double to_double[] = {scale.to_double, scale.to_double};
      g->update({in, to_double, nullptr, step, 9, &spikes});
    }
  }
  return spikes.spikes;
}

TEST(Pieces, OfGeneratorsAndNeuronsGiveTheSameSpikes) {
  const Given given;
  Slice slice(0, 0.1, 9);
  for (auto& g : groups()) slice.add_population(g->nodes()[0], g->nodes(), &g->model());
  for (std::size_t i = 0; i < 3000; i += 7) slice.groups()[2]->freeze(i, true);
  for (std::size_t k = 0; k < given.links.size(); ++k) {
    const auto& l = given.links[k];
    slice.add_part({l.device->info->make_part(*l.device, targets(l.from, l.until, l.weight)), 0, false, k, 1});
  }
  Largest largest(max_receptors);
  largest[0] = 300.0;
  slice.prepare(largest, largest, 1);
  std::vector<Spike> spikes;
  RunClock clock;
  for (Step step = 0; step < steps; ++step) {
    if (step == Given::late_ends - 1) slice.end_parts(3, step);  // a delay later nothing arrives
    slice.advance(step, step + 1, 0, step, clock);
    for (const Spike& s : slice.outbox(0).spikes) spikes.push_back(s);
  }
  const auto wanted = expected(given);
  ASSERT_EQ(spikes.size(), wanted.size());
  EXPECT_GT(wanted.size(), 1000u);
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_TRUE(spikes[i].gid == wanted[i].gid && spikes[i].step == wanted[i].step) << i;
}

}  // namespace
}  // namespace npl::sim::test_pieces
