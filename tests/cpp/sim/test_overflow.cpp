// SPDX-License-Identifier: Apache-2.0
// Sums of inputs that overflow end the run by name, after the same step on any ranks and threads.
#include <gtest/gtest.h>

#include "../every_case.hpp"
#include "areas.hpp"

namespace npl::sim::test_overflow {
namespace {

std::string error_of(Network& net, Step steps) {
  try {
    net.run(steps, nullptr);
  } catch (const InputOverflow& e) {
    return std::string("InputOverflow ") + e.what();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

/// A generator sends `n` million spikes at once, at 2 ms, to the last two of 20 neurons. A relay with `synapses` synapses of weight 1.5
/// meets them at 4 ms, too. The weight 1 is 2^42 in fixed point, so sums overflow from 2^20 on.
std::tuple<std::string, std::string, Step> outcome(Settings settings, std::size_t n, std::int64_t synapses) {
  Network net(std::move(settings));
  const Gid first = net.create("iaf_psc_exp", 20, {});
  const Gid relay = net.create("parrot_neuron", 1, {});
  const Gid burst = net.create("spike_generator", 1, {}), once = net.create("spike_generator", 1, {});
  net.set({burst}, {}, {{"spike_times", std::vector<double>(n, 1.0)}, {"spike_multiplicities", std::vector<double>(n, 1e6)}});
  net.set({once}, {}, {{"spike_times", {2.0}}});
  net.connect(call(nodes(burst, 1), nodes(first + 18, 2), "all_to_all", 1.0, 1.0));
  net.connect(call(nodes(once, 1), nodes(relay, 1), "all_to_all", 1.0, 1.0));
  ConnectCall many = call(nodes(relay, 1), nodes(first + 4, 1), "explicit", 1.5, 1.0);
  const std::vector<std::int64_t> zeros(static_cast<std::size_t>(synapses));
  many.rule_params = connect::listing(zeros, zeros);
  net.connect(many);
  const std::string error = error_of(net, 60), again = net.step() < 60 || !error.empty() ? error_of(net, 1) : "";
  return {error, again, error.empty() ? net.step() : 0};
}

std::vector<std::tuple<std::string, std::string, Step>> on_layouts(std::size_t n, std::int64_t synapses,
                                                                   const std::vector<int>& numbers_of_ranks = {2, 3}) {
  std::vector<std::tuple<std::string, std::string, Step>> found{outcome({0.1, 7, 1, 0}, n, synapses), outcome({0.1, 7, 3, 4}, n, synapses)};
  for (const int ranks : numbers_of_ranks) {
    std::vector<std::tuple<std::string, std::string, Step>> of(static_cast<std::size_t>(ranks));
    expect_no_errors(on_ranks(ranks, [&](auto comm) {
      Settings s{0.1, 7, 2, 0};
      s.comm = comm;
      of[static_cast<std::size_t>(comm->rank())] = outcome(s, n, synapses);
    }));
    found.insert(found.end(), of.begin(), of.end());
  }
  return found;
}

TEST(InputOverflow, OfManySpikesAtOnceIsTheSameForAnyLayout) {
  for (const std::size_t n : {2, 3, 7}) {
    const std::vector<int> few = n == 2   ? std::vector{2, 3}
                                 : n == 3 ? std::vector{2}
                                          : std::vector<int>{};  // n million spikes on each rank
    const auto found = on_layouts(n, 1, every_case() ? std::vector{2, 3} : few);
    const std::string& error = std::get<0>(found[0]);
    EXPECT_TRUE(error.starts_with("InputOverflow inputs of neuron 19 (iaf_psc_exp) to receptor 0 overflow at 2 ms")) << error;
    for (const auto& f : found) EXPECT_EQ(f, std::tuple(error, error, Step{0}));
  }
}

TEST(InputOverflow, OfManySynapses) {
  const auto found = on_layouts(1, 800000);
  const std::string& error = std::get<0>(found[0]);
  EXPECT_TRUE(error.starts_with("InputOverflow inputs of neuron 5 (iaf_psc_exp) to receptor 0 overflow at 4 ms")) << error;
  for (const auto& f : found) EXPECT_EQ(f, std::tuple(error, error, Step{0}));
}

TEST(InputOverflow, NotOfHalfAsMany) {
  for (const auto& f : on_layouts(1, 340000)) EXPECT_EQ(f, std::tuple(std::string(), std::string(), Step{60}));
}

/// Equal numbers of large inputs of either sign: what wraps on the way does no harm.
TEST(InputOverflow, NotOfInputsThatCancel) {
  Network net({0.1, 7, 1, 0});
  const Gid cell = net.create("iaf_psc_delta", 1, {}), generator = net.create("spike_generator", 1, {});
  net.set({generator}, {}, {{"spike_times", {1.0}}, {"spike_multiplicities", {250000.0}}});
  for (int k = 0; k < 20; ++k)
    for (const double sign : {1.0, -1.0}) {
      ConnectCall c = call(nodes(generator, 1), nodes(cell, 1), "all_to_all", sign, 1.0);
      net.connect(c);
    }
  EXPECT_EQ(error_of(net, 30), "");
}

}  // namespace
}  // namespace npl::sim::test_overflow
