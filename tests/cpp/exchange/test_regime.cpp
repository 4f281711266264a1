// SPDX-License-Identifier: Apache-2.0
/// The choice between dense and sparse, names of settings, and what strategies say about themselves.
#include "exchange/regime.hpp"
#include "harness.hpp"

namespace npl::exchange::test_regime {
namespace {

TEST(Regime, AllRanksChooseTheSame) {
  // The rank that would pay most decides, whichever it is.
  for (int busiest = 0; busiest < 3; ++busiest)
    as_ranks(3, 1, [&](comm::Communicator& comm) {
      const bool me = comm.rank() == busiest;
      const Audience shared{.sources = 1000, .rows = me ? 40000.0 : 100.0, .lookup = 4000};  // many rows per source
      EXPECT_TRUE(choose_dense(comm, Regime::automatic, shared));
      const Audience own{.sources = me ? 1000.0 : 1.0, .rows = 1000, .lookup = me ? 4000.0 : 4.0};  // a source per row: nothing is shared
      EXPECT_FALSE(choose_dense(comm, Regime::automatic, own));
      EXPECT_TRUE(choose_dense(comm, Regime::dense, own));
      EXPECT_FALSE(choose_dense(comm, Regime::sparse, shared));
    });
}

TEST(Regime, SourcesThatHaveNoNumberOf32BitsAreKeptByRow) {
  EXPECT_TRUE(choose_dense(*comm::single(), Regime::dense, {.sources = 0x1p31 - 1, .rows = 1e12, .lookup = 1}));
  EXPECT_FALSE(choose_dense(*comm::single(), Regime::dense, {.sources = 0x1p31, .rows = 1e12, .lookup = 1}));
}

TEST(Names, UnknownOnesAreRefusedWithTheNearest) {
  EXPECT_EQ(find_regime("sparse"), Regime::sparse);
  EXPECT_EQ(find_conservation("reduce_scatter"), Conservation::reduce_scatter);
  const auto message = [](auto&& find) -> std::string {
    try {
      find();
    } catch (const UnknownName& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message([] { find_regime("spars"); }).find("nearest: 'sparse'"), std::string::npos);
  EXPECT_NE(message([] { find_conservation("allreduc"); }).find("nearest: 'allreduce'"), std::string::npos);
  EXPECT_NE(message([] { find_strategy("alltoal"); }).find("'alltoall'"), std::string::npos);
}

TEST(Strategies, SayAllAboutThemselves) {
  for (const StrategyInfo* info : strategies()) {
    EXPECT_GT(info->doc.size(), 10u) << info->name;
    EXPECT_EQ(info->doc.find('\n'), std::string::npos) << info->name;
    ASSERT_NE(info->is.bytes, nullptr) << info->name;
    EXPECT_GT(info->is.bytes({8, 7, 100, 4, 20}), 0.0) << info->name;
    const auto takes = [&](const Options& o) {
      try {
        info->make(*comm::single(), {}, o);
        return true;
      } catch (const BadParameter&) {
        return false;
      }
    };
    EXPECT_EQ(takes({.buffer_bytes = 64}), info->is.knows.buffer) << info->name;
    EXPECT_EQ(takes({.phases = 2}), info->is.knows.phases) << info->name;
    EXPECT_EQ(takes({.conservation = Conservation::reduce_scatter}), info->is.knows.conservation) << info->name;
  }
}

/// Every rank sends the same few records to all others, so that nothing is left to chance: the formula is what is held, but for the
/// records.
TEST(Memory, OfEveryStrategyIsWhatItsFormulaSays) {
  constexpr int ranks = 8;
  for (const StrategyInfo* info : strategies())
    for (const std::size_t record_bytes : {2, 4})  // small enough for the first buffers
      as_ranks(ranks, 1, [&](comm::Communicator& comm) {
        const std::size_t each = 3, parts = info->is.directed ? ranks - 1 : 1;
        Partners all;
        for (int r = 0; r < ranks; ++r)
          if (r != comm.rank()) all.sources.push_back(r), all.destinations.push_back(r);
        const auto strategy = info->make(comm, all, {.record_bytes = record_bytes});
        Outgoing out{Bytes(parts * each * record_bytes), {}};
        for (std::size_t d = 0; d <= parts; ++d) out.begin.push_back(d * each * record_bytes);
        Incoming in;
        for (int e = 0; e < 12; ++e) strategy->start(out), strategy->finish(in);  // auto still tries
        const double records = static_cast<double>(parts * each), copy = records * static_cast<double>(record_bytes);
        const double modelled = info->is.bytes({ranks, ranks - 1, records, static_cast<double>(record_bytes), static_cast<double>(each)});
        const double held = static_cast<double>(strategy->counts().buffer_bytes);
        EXPECT_NEAR(held - (info->name == "shared" ? 0 : copy), modelled, 0.15 * modelled + 64) << info->name << " " << record_bytes;
      });
}

}  // namespace
}  // namespace npl::exchange::test_regime
