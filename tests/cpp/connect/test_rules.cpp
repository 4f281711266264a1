// SPDX-License-Identifier: Apache-2.0
/// Properties of all rules, and degrees and probabilities of each.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "../levels.hpp"
#include "../rng/statistics.hpp"
#include "rule_tester.hpp"

namespace npl::connect::test_rules {
namespace {

using statistics::chi_square;
using statistics::chi_square_uniform;

struct Case {
  std::string name, rule;
  Ingredients context;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

RuleParams listed() {
  std::vector<std::int64_t> sources, targets;
  for (std::int64_t i = 0; i < 900; ++i) sources.push_back(i * 7 % 200), targets.push_back(i * i % 300);
  return listing(sources, targets);
}

RuleParams as_list() {
  auto list = std::make_shared<EdgeList>();
  for (std::int64_t t = 0; t < 300; t += 2)
    for (std::int64_t k = 0; k < t; ++k) list->add(t, k * 7 % 200);
  return {{"list", list}};
}

/// 200 sources and 300 targets of which 120 are the same nodes, the targets in an odd order.
std::vector<Case> cases() {
  const NodeSet pre = nodes(1, 200), post({{400, 100, 2}, {81, 120, 1}, {401, 80, 2}});
  std::vector<Case> all{{"explicit", "explicit", context(pre, post, listed())},
                        {"explicit_list", "explicit", context(pre, post, as_list())},
                        {"one_to_one", "one_to_one", context(nodes(1, 200), nodes(51, 200), params())},
                        {"one_to_one_a", "one_to_one", context(nodes(1, 200), NodeSet({{1, 50, 1}, {101, 150, 1}}), params(-1, false))}};
  for (const bool autapses : {true, false}) {
    const std::string a = autapses ? "" : "_a";
    all.push_back({"all_to_all" + a, "all_to_all", context(pre, post, params(-1, autapses))});
    all.push_back({"bernoulli" + a, "pairwise_bernoulli", context(pre, post, probability(0.1, autapses))});
    for (const bool multapses : {true, false}) {
      const std::string m = a + (multapses ? "" : "_m");
      all.push_back({"indegree" + m, "fixed_indegree", context(pre, post, params(70, autapses, multapses))});
      all.push_back({"outdegree" + m, "fixed_outdegree", context(pre, post, params(90, autapses, multapses))});
      all.push_back({"total" + m, "fixed_total_number", context(pre, post, params(17777, autapses, multapses))});
    }
  }
  for (const RuleInfo* rule : rules()) {  // those that are not above: between the nodes of one set
    if (std::any_of(all.begin(), all.end(), [&](const Case& c) { return c.rule == rule->name; })) continue;
    all.push_back({rule->name, rule->name, context(pre, pre, Params{12, true, true, 0.3})});
  }
  return all;
}

class AnyRule : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Rules, AnyRule, testing::ValuesIn(cases()), [](const auto& info) { return info.param.name; });

TEST_P(AnyRule, SameEdgesInAnyOrderAndTwice) {
  const auto& [name, id, c] = GetParam();
  const auto rule = make(id, c);
  const auto forward = edges_of(*rule, first_positions(c.post.size()));
  std::vector<std::int64_t> order = first_positions(c.post.size());
  std::sort(order.begin(), order.end(), [](auto a, auto b) { return std::pair(a % 17, -a) < std::pair(b % 17, -b); });
  const auto other = make(id, c);
  auto mixed = edges_of(*other, order);
  std::stable_sort(mixed.begin(), mixed.end(), [](const MadeEdge& a, const MadeEdge& b) { return a.target < b.target; });
  EXPECT_EQ(mixed, forward);
  EXPECT_EQ(edges_of(*rule, first_positions(c.post.size())), forward);
}

TEST_P(AnyRule, SameEdgesAtEveryLevel) {
  const Case& given = GetParam();
  const auto expected = all_edges(given.rule, given.context);
  at_every_level([&](Isa level) { EXPECT_EQ(all_edges(given.rule, given.context), expected) << isa_name(level); });
}

TEST_P(AnyRule, SameEdgesInSeveralThreads) {
  const Ingredients& c = GetParam().context;
  const auto expected = all_edges(GetParam().rule, c);
  const auto rule = make(GetParam().rule, c);
  std::vector<std::vector<MadeEdge>> parts(4);
  std::vector<std::thread> threads;
  for (std::int64_t k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      std::vector<std::int64_t> mine;
      for (std::int64_t t = k; t < c.post.size(); t += 4) mine.push_back(t);
      parts[static_cast<std::size_t>(k)] = edges_of(*rule, mine);
    });
  for (auto& t : threads) t.join();
  std::vector<MadeEdge> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::stable_sort(all.begin(), all.end(), [](const MadeEdge& a, const MadeEdge& b) { return a.target < b.target; });
  EXPECT_EQ(all, expected);
}

/// Edges of a batch with the gid of their target as position.
class CollectJoined final : public EdgeSink {
 public:
  void take(const EdgeBatch& b) override {
    largest = std::max(largest, b.n);
    for (std::size_t i = 0; i < b.n; ++i)
      edges.push_back({static_cast<std::int64_t>(b.source[i]), b.target[i], b.with_words ? b.weight_word[i] : 0,
                       b.with_words ? b.delay_word[i] : 0, b.wants_index ? b.value_index[i] : 0});
  }
  std::vector<MadeEdge> edges;
  std::size_t largest = 0;
};

/// @param targets ascending positions; the local index of a target is its position
std::vector<MadeEdge> joined_edges(const Rule& rule, const NodeSet& post, const std::vector<std::int64_t>& targets, bool words, bool index,
                                   const std::uint8_t* in_degrees = nullptr, std::size_t at_once = TargetBatch::capacity) {
  auto batches = std::make_unique<EdgeBatches>();
  auto some = std::make_unique<TargetBatch>();
  batches->joined.with_words = batches->single.with_words = words;
  batches->joined.wants_index = batches->single.wants_index = index;
  batches->in_degrees = in_degrees;
  CollectJoined sink;
  for (std::size_t i = 0; i < targets.size(); i += at_once) {
    some->n = std::min(at_once, targets.size() - i);
    for (std::size_t k = 0; k < some->n; ++k) {
      some->position[k] = targets[i + k], some->gid[k] = post[targets[i + k]];
      some->local[k] = static_cast<Local>(targets[i + k]);
    }
    rule.edges_of(*some, *batches, sink);
  }
  EXPECT_LE(sink.largest, batch_capacity);
  return sink.edges;
}

void expect_joined_like_single(const std::string& name, const Ingredients& c, bool with_index) {
  const auto rule = make(name, c);
  std::vector<std::int64_t> odd, all = first_positions(c.post.size());
  for (std::int64_t p = 1; p < c.post.size(); p += 2) odd.push_back(p);
  for (const auto& targets : {all, odd})
    for (const bool words : {true, false})
      for (const std::size_t at_once : {TargetBatch::capacity, std::size_t{3}})
        EXPECT_EQ(joined_edges(*rule, c.post, targets, words, with_index, nullptr, at_once), edges_of(*rule, targets, words, with_index));
}

TEST_P(AnyRule, JoinedTargetsGetTheSameEdges) {
  expect_joined_like_single(GetParam().rule, GetParam().context, make(GetParam().rule, GetParam().context)->array_length() >= 0);
}

/// Few edges per target, which rules draw together: counts of 0, 1, 2, some far above, ranges of all kinds.
TEST(Rules, FewEdgesPerTargetAreTheSameJoined) {
  const NodeSet pre = nodes(1, 200), post({{400, 100, 2}, {81, 120, 1}, {401, 80, 2}});
  for (const bool autapses : {true, false}) {
    for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 17, 64})
      expect_joined_like_single("fixed_indegree", context(pre, post, params(n, autapses)), true);
    for (const std::int64_t n : {0, 1, 150, 600, 1500, 18000})
      expect_joined_like_single("fixed_total_number", context(pre, post, params(n, autapses)), false);
    expect_joined_like_single("fixed_outdegree", context(pre, post, params(3, autapses)), true);
    expect_joined_like_single("pairwise_bernoulli", context(pre, post, probability(0.01, autapses)), false);
  }
  expect_joined_like_single("fixed_total_number", context(pre, nodes(300, 1), params(40)), false);
  expect_joined_like_single("fixed_indegree", context(nodes(1, 1), nodes(1, 300), params(2)), true);
}

/// In-degrees that were drawn before give the same edges, also where some are too large to be kept, and whatever the batches are.
TEST(Rules, InDegreesDrawnBeforeGiveTheSameEdges) {
  const NodeSet pre = nodes(1, 50), post = nodes(1, 300), few = nodes(400, 4);
  const auto all = first_positions(300), four = first_positions(4);
  const auto rule = make("fixed_total_number", context(pre, post, params(700))),
             large = make("fixed_total_number", context(pre, few, params(64 * 4))),
             larger = make("fixed_total_number", context(pre, few, params(65 * 4)));
  std::vector<std::uint8_t> kept(300, 7);
  ASSERT_TRUE(rule->in_degrees(all, kept.data()));
  EXPECT_EQ(std::accumulate(kept.begin(), kept.end(), 0), 700);
  EXPECT_EQ(joined_edges(*rule, post, all, true, false, kept.data(), 7), edges_of(*rule, all, true, false));
  kept[20] = Rule::many;
  EXPECT_EQ(joined_edges(*rule, post, all, true, false, kept.data()), edges_of(*rule, all, true, false));
  std::vector<std::uint8_t> odd(300, 7);
  ASSERT_TRUE(rule->in_degrees(std::vector<std::int64_t>{1, 5, 299}, odd.data()));
  EXPECT_EQ((std::vector{odd[0], odd[1], odd[5], odd[299]}), (std::vector{std::uint8_t{7}, kept[1], kept[5], kept[299]}));
  EXPECT_TRUE(large->in_degrees(four, odd.data()));
  EXPECT_EQ(odd[0] + odd[1] + odd[2] + odd[3], 256);
  EXPECT_FALSE(larger->in_degrees(four, odd.data()));
  EXPECT_FALSE(make("fixed_indegree", context(pre, post, params(3)))->in_degrees(all, odd.data()));
}

TEST_P(AnyRule, WordsAndIndicesAreWrittenWhenAskedForOnly) {
  const auto& [name, id, c] = GetParam();
  const auto rule = make(id, c);
  auto bare = all_edges(id, c);
  for (MadeEdge& e : bare) e.weight_word = e.delay_word = 0, e.index = 0;
  EXPECT_EQ(edges_of(*rule, first_positions(c.post.size()), false, false), bare);
}

TEST_P(AnyRule, AnotherSeedGivesOtherWordsAndTheSameNumberWhereFixed) {
  auto [name, id, c] = GetParam();
  const auto first = all_edges(id, c);
  c.key = rng::Key::of(2, rng::Purpose::connect, 0);
  const auto second = all_edges(id, c);
  EXPECT_NE(first, second);
  if (id != "pairwise_bernoulli") {
    EXPECT_EQ(first.size(), second.size());
    EXPECT_EQ(make(id, c)->expected_edges(), static_cast<double>(first.size()));
  }
}

TEST_P(AnyRule, PositionsAreInRangeAndForbiddenEdgesAbsent) {
  const auto& [name, id, c] = GetParam();
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const MadeEdge& e : all_edges(id, c)) {
    ASSERT_TRUE(e.source >= 0 && e.source < c.pre.size());
    const bool fresh = seen.emplace(e.source, e.target).second;
    if (!c.params.allow_autapses) {
      EXPECT_NE(c.pre[e.source], c.post[e.target]);
    }
    if (!c.params.allow_multapses) {
      EXPECT_TRUE(fresh);
    }
  }
}

TEST_P(AnyRule, ValueIndicesAreAPermutationOfTheArray) {
  const auto& [name, id, c] = GetParam();
  const auto rule = make(id, c);
  const auto edges = all_edges(id, c);
  if (rule->array_length() < 0) {
    EXPECT_TRUE(id == "pairwise_bernoulli" || id == "fixed_total_number");
    return;
  }
  std::set<std::uint64_t> indices;
  for (const MadeEdge& e : edges) {
    EXPECT_LT(e.index, static_cast<std::uint64_t>(rule->array_length()));
    EXPECT_TRUE(indices.insert(e.index).second);
  }
  const bool holes = id == "all_to_all" || id == "one_to_one";  // places of left-out pairs are not used
  if (!holes || c.params.allow_autapses) {
    EXPECT_EQ(indices.size(), static_cast<std::size_t>(rule->array_length()));
  }
}

TEST_P(AnyRule, WordsOfDifferentEdgesDifferAndAreUniform) {
  const auto& [name, id, c] = GetParam();
  std::set<std::uint64_t> words;
  std::vector<double> weight(16), delay(16);
  const auto edges = all_edges(id, c);
  for (const MadeEdge& e : edges) {
    EXPECT_TRUE(words.insert(std::uint64_t{e.weight_word} << 32 | e.delay_word).second);
    ++weight[e.weight_word >> 28], ++delay[e.delay_word >> 28];
  }
  EXPECT_GT(chi_square_uniform(weight), 1e-4);
  EXPECT_GT(chi_square_uniform(delay), 1e-4);
}

std::map<std::int64_t, int> degrees(const std::vector<MadeEdge>& edges, std::int64_t MadeEdge::* end) {
  std::map<std::int64_t, int> count;
  for (const MadeEdge& e : edges) ++count[e.*end];
  return count;
}

TEST(Rules, AllToAllHasEveryPairInRowMajorOrder) {
  const auto c = context(nodes(1, 300), nodes(11, 5), params());
  const auto edges = all_edges("all_to_all", c);
  ASSERT_EQ(edges.size(), 1500u);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    EXPECT_EQ(edges[i].source, static_cast<std::int64_t>(i % 300));
    EXPECT_EQ(edges[i].target, static_cast<std::int64_t>(i / 300));
    EXPECT_EQ(edges[i].index, i);
  }
  const auto without = context(nodes(1, 300), nodes(11, 5), params(-1, false));
  EXPECT_EQ(all_edges("all_to_all", without).size(), 1495u);
  EXPECT_EQ(make("all_to_all", without)->expected_edges(), 1495);
  EXPECT_EQ(make("all_to_all", without)->array_length(), 1500);
  for (const MadeEdge& e : all_edges("all_to_all", without)) EXPECT_EQ(e.index, static_cast<std::uint64_t>(e.target * 300 + e.source));
}

TEST(Rules, OneToOneJoinsEqualPositions) {
  for (const MadeEdge& e : all_edges("one_to_one", context(nodes(5, 40), nodes(100, 40, 3), params()))) {
    EXPECT_EQ(e.source, e.target);
    EXPECT_EQ(e.index, static_cast<std::uint64_t>(e.target));
  }
}

TEST(Rules, ExplicitKeepsTheList) {
  const std::vector<std::int64_t> sources{4, 0, 4, 2, 4}, targets{1, 2, 1, 0, 2};
  auto edges = all_edges("explicit", context(nodes(1, 5), nodes(1, 3), listing(sources, targets)));
  ASSERT_EQ(edges.size(), 5u);
  for (const MadeEdge& e : edges) {
    EXPECT_EQ(sources[e.index], e.source);
    EXPECT_EQ(targets[e.index], e.target);
  }
}

TEST(Rules, FixedDegreesAreExact) {
  for (const bool autapses : {true, false})
    for (const bool multapses : {true, false}) {
      const auto in = all_edges("fixed_indegree", context(nodes(1, 50), nodes(21, 400), params(49, autapses, multapses)));
      for (const auto& [target, n] : degrees(in, &MadeEdge::target)) EXPECT_EQ(n, 49);
      EXPECT_EQ(degrees(in, &MadeEdge::target).size(), 400u);
      const auto out = all_edges("fixed_outdegree", context(nodes(1, 400), nodes(21, 50), params(49, autapses, multapses)));
      for (const auto& [source, n] : degrees(out, &MadeEdge::source)) EXPECT_EQ(n, 49);
      EXPECT_EQ(degrees(out, &MadeEdge::source).size(), 400u);
      for (const MadeEdge& e : out) EXPECT_EQ(static_cast<std::int64_t>(e.index / 49), e.source);
      for (const MadeEdge& e : in) EXPECT_EQ(static_cast<std::int64_t>(e.index / 49), e.target);
    }
}

TEST(Rules, FullWithoutMultapsesIsAllToAll) {
  const NodeSet set = nodes(1, 30);
  for (const bool autapses : {true, false}) {
    const std::int64_t n = autapses ? 30 : 29;
    EXPECT_EQ(degrees(all_edges("fixed_indegree", context(set, set, params(n, autapses, false))), &MadeEdge::source).size(), 30u);
    for (const auto& [rule, count] : {std::pair{"fixed_indegree", n}, {"fixed_outdegree", n}, {"fixed_total_number", 30 * n}}) {
      const auto edges = all_edges(rule, context(set, set, params(count, autapses, false)));
      std::set<std::pair<std::int64_t, std::int64_t>> pairs;
      for (const MadeEdge& e : edges) pairs.emplace(e.source, e.target);
      EXPECT_EQ(pairs.size(), static_cast<std::size_t>(30 * n)) << rule;
    }
  }
  for (const bool autapses : {true, false})
    EXPECT_EQ(all_edges("pairwise_bernoulli", context(set, set, probability(1.0, autapses))).size(), autapses ? 900u : 870u);
}

TEST(Rules, NothingWhenNothingIsAskedFor) {
  const NodeSet set = nodes(1, 30);
  for (const bool multapses : {true, false})
    for (const char* rule : {"fixed_indegree", "fixed_outdegree", "fixed_total_number"})
      EXPECT_TRUE(all_edges(rule, context(set, set, params(0, false, multapses))).empty()) << rule;
  EXPECT_TRUE(all_edges("pairwise_bernoulli", context(set, set, probability(0.0))).empty());
  EXPECT_TRUE(all_edges("explicit", context(set, set, RuleParams())).empty());
}

/// Frequency of each pair over many seeds: the same for all allowed pairs. pre: 1..6; post: 4..10.
void expect_uniform_pairs(const std::string& rule, const Params& p) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> count;
  const NodeSet pre = nodes(1, 6), post = nodes(4, 7);
  for (std::int64_t s = 0; s < 6; ++s)
    for (std::int64_t t = 0; t < 7; ++t)
      if (p.allow_autapses || pre[s] != post[t]) count[{s, t}] = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed)
    for (const MadeEdge& e : all_edges(rule, context(pre, post, p, seed))) {
      ASSERT_TRUE(count.contains({e.source, e.target})) << rule;
      ++count[{e.source, e.target}];
    }
  // Pairs that compete have expectations of their own: those of a target (or source) with fewer choices are likelier.
  std::vector<double> observed, expected;
  double total = 0, weights = 0;
  const auto weight = [&](std::pair<std::int64_t, std::int64_t> pair) {
    const bool own_target = !p.allow_autapses && pre.position(post[pair.second]) >= 0,
               own_source = !p.allow_autapses && post.position(pre[pair.first]) >= 0;
    if (rule == "fixed_indegree") return 1.0 / (6 - own_target);
    if (rule == "fixed_outdegree") return 1.0 / (7 - own_source);
    return 1.0;
  };
  for (const auto& [pair, n] : count) total += n, weights += weight(pair);
  for (const auto& [pair, n] : count) observed.push_back(n), expected.push_back(total * weight(pair) / weights);
  // Without multapses the counts vary less than Poisson, so this is a conservative test; WithoutReplacementEverySetIsAsLikely is sharp.
  EXPECT_GT(chi_square(observed, expected), 1e-4) << rule << " " << p.allow_autapses << p.allow_multapses;
}

TEST(Rules, EveryAllowedPairIsAsLikely) {
  for (const bool autapses : {true, false}) {
    expect_uniform_pairs("pairwise_bernoulli", probability(0.3, autapses));
    for (const bool multapses : {true, false})
      for (const char* rule : {"fixed_indegree", "fixed_outdegree", "fixed_total_number"})
        expect_uniform_pairs(rule, params(3, autapses, multapses));
  }
}

/// Sets at the documented limit: positions beyond 2^32 are drawn from 64 bits and are not truncated.
TEST(Rules, ServeTheLargestSets) {
  const std::int64_t n = std::int64_t{1} << 44;
  const NodeSet pre = nodes(1, n), post = nodes(1, n);
  for (const bool multapses : {true, false}) {
    const auto c = context(pre, post, params(500, false, multapses));
    const auto rule = make("fixed_indegree", c);
    EXPECT_EQ(rule->array_length(), 500 * n);
    const auto edges = edges_of(*rule, {n - 1});
    ASSERT_EQ(edges.size(), 500u);
    std::set<std::int64_t> high;
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const rng::Words w = rng::draw(c.key, static_cast<std::uint64_t>(n), k);
      const std::uint64_t range = static_cast<std::uint64_t>(n) - 1 - (multapses ? 0 : 499 - k);
      EXPECT_EQ(static_cast<std::uint64_t>(edges[k].source),
                static_cast<std::uint64_t>((static_cast<unsigned __int128>(std::uint64_t{w[0]} << 32 | w[3]) * range) >> 64));
      EXPECT_EQ(edges[k].index, static_cast<std::uint64_t>(n - 1) * 500 + k);
      high.insert(edges[k].source >> 40);
    }
    EXPECT_EQ(high.size(), 16u);  // of 16
  }
  const RuleParams listed_far = listing({n - 1, 0}, {n - 2, n - 2});
  EXPECT_EQ(edges_of(*make("explicit", context(pre, post, listed_far)), {n - 2})[0].source, n - 1);
  EXPECT_EQ(edges_of(*make("one_to_one", context(pre, post, params())), {n - 1})[0].source, n - 1);
  EXPECT_EQ(make("one_to_one", context(pre, post, params(-1, false)))->expected_edges(), 0.0);
  EXPECT_EQ(make("all_to_all", context(pre, post, params()))->array_length(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(make("all_to_all", context(nodes(1, n), nodes(1, 4), params()))->array_length(), 4 * n);
}

/// Few edges among very many candidates: the number is Poisson and places are uniform, also past the 2^40-th.
TEST(Rules, BernoulliWithTinyProbabilities) {
  const std::int64_t n = std::int64_t{1} << 44;
  const double p = 0x1p-42;  // 4 edges per target
  const auto edges = edges_of(*make("pairwise_bernoulli", context(nodes(1, n), nodes(1, n), probability(p))), first_positions(4000), false);
  EXPECT_GT(statistics::normal_p((static_cast<double>(edges.size()) - 16000) / std::sqrt(16000.0)), 1e-4);
  std::vector<double> place(64);
  for (const MadeEdge& e : edges) ++place[static_cast<std::size_t>(e.source >> 38)];
  EXPECT_GT(chi_square_uniform(place), 1e-4);
  EXPECT_TRUE(edges_of(*make("pairwise_bernoulli", context(nodes(1, n), nodes(1, n), probability(0x1p-52))), {1, 2, 3}).empty());
}

/// Frequency of each combination of chosen nodes.
template <class Group>
double p_of_sets(const std::string& rule, const NodeSet& pre, const NodeSet& post, const Params& p, std::size_t combinations, Group group) {
  std::map<std::set<std::int64_t>, double> count;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    std::set<std::int64_t> chosen;
    for (const MadeEdge& e : all_edges(rule, context(pre, post, p, seed))) group(e, chosen);
    ++count[chosen];
  }
  EXPECT_EQ(count.size(), combinations) << rule;
  std::vector<double> observed;
  for (const auto& [set, n] : count) observed.push_back(n);
  return chi_square_uniform(observed);
}

TEST(Rules, WithoutReplacementEverySetIsAsLikely) {
  const auto sources = [](const MadeEdge& e, std::set<std::int64_t>& chosen) { chosen.insert(e.source); };
  const auto targets = [](const MadeEdge& e, std::set<std::int64_t>& chosen) { chosen.insert(e.target); };
  const auto pairs = [](const MadeEdge& e, std::set<std::int64_t>& chosen) { chosen.insert(e.source * 3 + e.target); };
  const auto some = params(4, true, false);
  EXPECT_GT(p_of_sets("fixed_indegree", nodes(1, 7), nodes(9, 1), some, 35, sources), 1e-4);
  EXPECT_GT(p_of_sets("fixed_indegree", nodes(1, 8), nodes(3, 1), params(4, false, false), 35, sources), 1e-4);
  EXPECT_GT(p_of_sets("fixed_outdegree", nodes(9, 1), nodes(1, 7), some, 35, targets), 1e-4);
  EXPECT_GT(p_of_sets("fixed_outdegree", nodes(3, 1), nodes(1, 8), params(4, false, false), 35, targets), 1e-4);
  EXPECT_GT(p_of_sets("fixed_total_number", nodes(1, 3), nodes(1, 3), some, 126, pairs), 1e-4);
  EXPECT_GT(p_of_sets("fixed_total_number", nodes(1, 3), nodes(1, 3), params(3, false, false), 20, pairs), 1e-4);
  EXPECT_GT(p_of_sets("pairwise_bernoulli", nodes(1, 3), nodes(1, 2), probability(0.5), 64,
                      [](const MadeEdge& e, auto& chosen) { chosen.insert(e.source * 2 + e.target); }),
            1e-4);
}

/// Degrees on the side that is not fixed are binomial.
double p_of_degrees(const std::vector<MadeEdge>& edges, std::int64_t MadeEdge::* end, std::int64_t nodes, double trials, double p) {
  std::vector<double> observed(200), expected(200);
  const auto counted = degrees(edges, end);
  for (std::int64_t i = 0; i < nodes; ++i) ++observed[static_cast<std::size_t>(counted.contains(i) ? std::min(counted.at(i), 199) : 0)];
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto x = static_cast<double>(k);
    if (x <= trials)
      expected[k] = static_cast<double>(nodes) * std::exp(std::lgamma(trials + 1) - std::lgamma(x + 1) - std::lgamma(trials - x + 1) +
                                                          x * std::log(p) + (trials - x) * std::log1p(-p));
  }
  return chi_square(observed, expected);
}

TEST(Rules, FreeDegreesAreBinomial) {
  const std::int64_t n = 3000, k = 40;
  const NodeSet pre = nodes(1, n), post = nodes(10001, n);
  const double p = 1.0 / n;
  EXPECT_GT(p_of_degrees(all_edges("fixed_indegree", context(pre, post, params(k))), &MadeEdge::source, n, n * k, p), 1e-4);
  EXPECT_GT(p_of_degrees(all_edges("fixed_indegree", context(pre, post, params(k, true, false))), &MadeEdge::source, n, n, k * p), 1e-4);
  EXPECT_GT(p_of_degrees(all_edges("fixed_outdegree", context(pre, post, params(k))), &MadeEdge::target, n, n * k, p), 1e-4);
  EXPECT_GT(p_of_degrees(all_edges("fixed_outdegree", context(pre, post, params(k, true, false))), &MadeEdge::target, n, n, k * p), 1e-4);
  for (const bool multapses : {true, false}) {
    const auto total = all_edges("fixed_total_number", context(pre, post, params(n * k, true, multapses)));
    EXPECT_GT(p_of_degrees(total, &MadeEdge::source, n, multapses ? n * k : n, multapses ? p : k * p), 1e-4);
    EXPECT_GT(p_of_degrees(total, &MadeEdge::target, n, multapses ? n * k : n, multapses ? p : k * p), 1e-4);
  }
  for (const double q : {0.3, 0.01, 0.9}) {
    const auto edges = all_edges("pairwise_bernoulli", context(nodes(1, 200), post, probability(q)));
    EXPECT_GT(p_of_degrees(edges, &MadeEdge::target, n, 200, q), 1e-4) << q;
    const auto other = all_edges("pairwise_bernoulli", context(pre, nodes(10001, 200), probability(q)));
    EXPECT_GT(p_of_degrees(other, &MadeEdge::source, n, 200, q), 1e-4) << q;
  }
}

/// Repeated pairs are as frequent as independent choices make them: sensitive to structure in the permutation behind fixed_outdegree.
TEST(Rules, MultapsesAreAsFrequentAsChance) {
  const std::int64_t n = 2000, k = 100;
  for (const char* rule : {"fixed_indegree", "fixed_outdegree", "fixed_total_number"}) {
    const auto edges = all_edges(rule, context(nodes(1, n), nodes(5001, n), params(rule[6] == 't' ? n * k : k)));
    std::map<std::pair<std::int64_t, std::int64_t>, int> count;
    for (const MadeEdge& e : edges) ++count[{e.source, e.target}];
    double pairs = 0;
    for (const auto& [pair, c] : count) pairs += 0.5 * c * (c - 1);
    const double per_node = 0.5 * k * (k - 1) / n, mean = rule[6] == 't' ? 0.5 * n * k * (n * k - 1.0) / (n * n) : per_node * n;
    EXPECT_GT(statistics::normal_p((pairs - mean) / std::sqrt(mean)), 1e-4) << rule << " " << pairs << " " << mean;
  }
}

std::string refusal(const std::string& rule, const Ingredients& c) {
  try {
    make(rule, c);
  } catch (const BadParameter& e) {
    return e.parameter;
  } catch (const BadLength& e) {
    return "length of " + e.parameter;
  }
  return "";
}

TEST(Rules, RefuseBadParameters) {
  const NodeSet a = nodes(1, 10), b = nodes(101, 20), none;
  const char* const names[][2] = {{"fixed_indegree", "indegree"}, {"fixed_outdegree", "outdegree"}, {"fixed_total_number", "N"}};
  for (const auto& [rule, parameter] : names) {
    EXPECT_EQ(refusal(rule, context(a, b, params(-1))), parameter);
    EXPECT_EQ(refusal(rule, context(nodes(1, 1), nodes(1, 1), params(1, false))), parameter);
    EXPECT_EQ(refusal(rule, context(none, b, params(1))), "pre");
    EXPECT_EQ(refusal(rule, context(a, none, params(1))), "post");
  }
  EXPECT_EQ(refusal("fixed_indegree", context(a, b, params(11, true, false))), "indegree");
  EXPECT_EQ(refusal("fixed_indegree", context(a, b, params(10, false, false))), "");
  EXPECT_EQ(refusal("fixed_indegree", context(a, a, params(10, false, false))), "indegree");
  EXPECT_EQ(refusal("fixed_indegree", context(a, a, params(9, false, false))), "");
  EXPECT_EQ(refusal("fixed_outdegree", context(a, b, params(21, true, false))), "outdegree");
  EXPECT_EQ(refusal("fixed_outdegree", context(a, a, params(10, false, false))), "outdegree");
  EXPECT_EQ(refusal("fixed_total_number", context(a, b, params(201, true, false))), "N");
  EXPECT_EQ(refusal("fixed_total_number", context(a, a, params(91, false, false))), "N");
  for (const double p : {-0.1, 1.1, std::nan(""), -1.0}) EXPECT_EQ(refusal("pairwise_bernoulli", context(a, b, probability(p))), "p");
  EXPECT_EQ(refusal("pairwise_bernoulli", context(a, b, probability(1e-17))), "p");
  const NodeSet past = nodes(1, (std::int64_t{1} << 44) + 1);
  for (const char* rule : {"all_to_all", "one_to_one", "explicit", "fixed_indegree", "fixed_outdegree", "fixed_total_number"}) {
    EXPECT_EQ(refusal(rule, context(past, b, params(1))), "pre") << rule;
    EXPECT_EQ(refusal(rule, context(a, past, params(1))), "post") << rule;
  }
  EXPECT_EQ(refusal("fixed_indegree", context(nodes(1, std::int64_t{1} << 40), a, params(std::int64_t{1} << 32))), "indegree");
  EXPECT_EQ(refusal("fixed_indegree", context(nodes(1, std::int64_t{1} << 40), a, params(std::int64_t{1} << 32, true, false))), "indegree");
  EXPECT_EQ(refusal("one_to_one", context(a, b, params())), "length of post");
  EXPECT_EQ(refusal("explicit", context(a, b, listing({0, 10}, {0, 1}))), "sources[1]");
  EXPECT_EQ(refusal("explicit", context(a, b, listing({0, 1}, {-1, 1}))), "targets[0]");
  EXPECT_EQ(refusal("explicit", context(a, b, listing({0, 1}, {1}))), "length of targets");
}

/// What is not declared, not given or of another type is refused by its name before a rule is made.
TEST(Rules, CheckWhatTheyDeclare) {
  const NodeSet a = nodes(1, 10);
  const auto refused = [&](const std::string& rule, const RuleParams& p) { return refusal(rule, context(a, a, p)); };
  const auto make_plain = [&](const RuleParams& p) { return find_rule("fixed_indegree").make({a, a, {}, p}); };
  for (const RuleParams& p : {RuleParams(), RuleParams{{"indegree", 2.0}}, RuleParams{{"indegree", true}}, RuleParams{{"indegree", -2}}})
    try {
      make_plain(p);
      ADD_FAILURE();
    } catch (const BadParameter& e) {
      EXPECT_EQ(e.parameter, "indegree");
      EXPECT_NE(e.allowed.find("whole number, 0 or more"), std::string::npos) << e.allowed;
    }
  try {
    make_plain({{"indegree", 2}, {"allow_autapse", false}});
    ADD_FAILURE();
  } catch (const UnknownName& e) {
    EXPECT_EQ(e.near.front(), "allow_autapses");
  }
  EXPECT_EQ(make_plain({{"indegree", 2}})->expected_edges(), 20);
  EXPECT_EQ(refused("explicit", {{"own_targets", 1}}), "own_targets");
}

/// A number has bounds of its own and a default; whole numbers are not taken for others.
TEST(Rules, CompleteDeclaredNumbers) {
  const std::vector<RuleParam> declared{param::number("width", "mm", 0.5, 0.25, 2.0, "width"), param::probability("p", "chance")};
  EXPECT_EQ(completed("rule", declared, {{"p", 1.0}}).number("width"), 0.5);
  EXPECT_EQ(completed("rule", declared, {{"p", 0.0}, {"width", 2.0}}).number("width"), 2.0);
  for (const double width : {0.2, 2.1, std::nan(""), std::numeric_limits<double>::infinity()}) try {
      completed("rule", declared, {{"p", 1.0}, {"width", width}});
      ADD_FAILURE() << width;
    } catch (const BadParameter& e) {
      EXPECT_EQ(e.allowed, "a number from 0.25 to 2");
    }
  EXPECT_THROW(completed("rule", declared, {{"p", 1.5}}), BadParameter);
  EXPECT_THROW(completed("rule", declared, {{"p", true}}), BadParameter);
  EXPECT_THROW(RuleParams().count("k"), std::out_of_range);
}

TEST(Rules, AreListedWithTheirParameters) {
  std::vector<std::string> names;
  for (const RuleInfo* r : rules()) {
    names.push_back(r->name);
    EXPECT_FALSE(r->doc.empty());
    for (const RuleParam& p : r->parameters) EXPECT_NE(std::string(p.doc), "") << r->name << " " << p.name;
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name :
       {"all_to_all", "explicit", "fixed_indegree", "fixed_outdegree", "fixed_total_number", "one_to_one", "pairwise_bernoulli"})
    EXPECT_EQ(find_rule(name).name, name);
  EXPECT_THROW(find_rule("fixed_indegre"), UnknownName);
}

}  // namespace
}  // namespace npl::connect::test_rules
