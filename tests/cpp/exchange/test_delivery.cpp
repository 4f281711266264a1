// SPDX-License-Identifier: Apache-2.0
/// Every strategy with every option it takes delivers what direct delivery would, over many exchanges with very different loads.
#include "harness.hpp"

namespace npl::exchange::test_delivery {
namespace {

struct Variant {
  std::string strategy;
  std::size_t buffer_bytes = 0;
  int phases = 1;
  Conservation conservation = Conservation::allreduce;
};

std::string name_of(const Variant& v) {
  return v.strategy + (v.buffer_bytes ? "_buffer" + std::to_string(v.buffer_bytes) : "") + (v.phases == 2 ? "_two_phase" : "") +
         (v.conservation == Conservation::reduce_scatter ? "_reduce_scatter" : "");
}

bool takes(const Variant& v) {
  try {
    const Options options{.buffer_bytes = v.buffer_bytes, .phases = v.phases, .conservation = v.conservation};
    find_strategy(v.strategy).make(*comm::single(), {}, options);
    return true;
  } catch (const BadParameter&) {
    return false;
  }
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const StrategyInfo* info : strategies())
    for (const std::size_t buffer : {0, 1, 24, 40})
      for (const int phases : {1, 2})
        for (const auto conservation : {Conservation::allreduce, Conservation::reduce_scatter}) {
          const Variant v{info->name, buffer, phases, conservation};
          if (takes(v)) all.push_back(v);
        }
  return all;
}

class Delivery : public testing::TestWithParam<Variant> {
 protected:
  const StrategyInfo& info() const { return find_strategy(GetParam().strategy); }

  Options options(std::size_t record_bytes) const {
    return {record_bytes, GetParam().buffer_bytes, GetParam().phases, GetParam().conservation};
  }

  // Sums over ranks of what was sent and received.
  Counts run(const Plan& plan, int per_node, const std::function<void(int)>& between = {}) const {
    std::vector<Counts> counts(plan.ranks);
    as_ranks(plan.ranks, per_node, [&](comm::Communicator& comm) {
      const auto strategy = info().make(comm, plan.partners(comm.rank()), options(plan.record_bytes));
      counts[comm.rank()] = play(comm, *strategy, plan, between);
    });
    Counts sum;
    for (const Counts& c : counts) {
      sum.messages += c.messages, sum.rounds += c.rounds;
      sum.bytes_sent += c.bytes_sent, sum.bytes_received += c.bytes_received;
      sum.words_sent += c.words_sent, sum.words_received += c.words_received;
    }
    return sum;
  }

  void run_and_compare(const Plan& plan, int per_node) const {
    SCOPED_TRACE(testing::Message() << plan.ranks << " ranks, " << per_node << " per node, records of " << plan.record_bytes << ", "
                                    << plan.percent << " %");
    const Counts sum = run(plan, per_node);
    const std::uint64_t copies = plan.directed ? 1 : plan.ranks - 1;
    EXPECT_EQ(sum.words_sent * copies, sum.words_received);
    if (plan.directed) {
      EXPECT_EQ(sum.bytes_sent, sum.bytes_received);
    }
    if (info().name != "shared" && info().name != "auto") {  // what goes by shared memory is not sent
      EXPECT_GE(sum.bytes_sent, sum.words_sent * plan.record_bytes * (plan.ranks > 1));
    }
  }

  // Only these look at nodes.
  std::vector<int> nodes() const { return info().name == "shared" || info().name == "auto" ? std::vector{1, 2, 3, 0} : std::vector{0}; }
};

TEST_P(Delivery, EqualsDirectDelivery) {
  for (const int ranks : {1, 2, 3, 4, 8})
    for (const std::size_t record_bytes : {2, 4, 8, 16})
      for (const int per_node : nodes())
        if (nodes().size() == 1 || std::size_t{2} << (ranks + per_node) % 4 == record_bytes)  // all sizes, but not all with all
          run_and_compare({.ranks = ranks, .record_bytes = record_bytes, .directed = info().is.directed, .seed = ranks * 10 + record_bytes},
                          per_node);
}

TEST_P(Delivery, SparseAndDensePartners) {
  for (const int percent : {0, 10, 100})
    run_and_compare({.ranks = 7, .record_bytes = 4, .directed = info().is.directed, .seed = 5, .exchanges = 8, .percent = percent}, 2);
}

TEST_P(Delivery, WorkBetweenStartAndFinish) {
  const Plan plan{.ranks = 4, .record_bytes = 4, .directed = info().is.directed, .seed = 77, .burst = 100};
  run(plan, 2, [](int exchange) {
    for (int i = 0; i < exchange % 4; ++i) std::this_thread::yield();
  });
}

TEST_P(Delivery, ManyExchangesWithRareBursts) {
  const Plan plan{.ranks = 3, .record_bytes = 2, .directed = info().is.directed, .seed = 99, .exchanges = 110, .burst = 200};
  run_and_compare(plan, 2);
}

INSTANTIATE_TEST_SUITE_P(All, Delivery, testing::ValuesIn(variants()), [](const auto& info) { return name_of(info.param); });

TEST(Strategies, InTurnsOnOneCommunicator) {
  as_ranks(4, 2, [](comm::Communicator& comm) {
    std::vector<std::unique_ptr<Strategy>> made;
    std::vector<Plan> plans;
    for (const StrategyInfo* info : strategies()) {
      plans.push_back({.ranks = 4, .record_bytes = 4, .directed = info->is.directed, .seed = plans.size(), .burst = 50});
      made.push_back(info->make(comm, plans.back().partners(comm.rank()), {}));
    }
    Incoming in;
    for (int e = 0; e < 20; ++e)
      for (std::size_t i = 0; i < made.size(); ++i) {
        made[i]->start(plans[i].outgoing(e, comm.rank()));
        made[i]->finish(in);
        expect_delivery(plans[i], e, comm.rank(), in);
      }
  });
}

}  // namespace
}  // namespace npl::exchange::test_delivery
