// SPDX-License-Identifier: Apache-2.0
// Identity of projections: layers against brute force, queries by number, edits, undoing.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "sim/projection_book.hpp"
#include "small.hpp"

namespace npl::sim::test_projections {
namespace {

ProjectionKind kind_of(const char* synapse) { return {&synapses::find_synapse(synapse), 0, 0}; }

/// Nodes of a random set: a range with a stride, or single ones.
connect::NodeSet some_nodes(std::mt19937& draw) {
  const auto upto = [&](int n) { return static_cast<std::int64_t>(draw() % static_cast<unsigned>(n)); };
  if (upto(2)) return connect::NodeSet({{1 + upto(200), 1 + upto(20), 1 + upto(3)}});
  std::set<Gid> gids;
  for (std::int64_t n = 1 + upto(6); n > 0; --n) gids.insert(1 + upto(300));
  std::vector<connect::Range> ranges;
  for (const Gid gid : gids) ranges.push_back({gid, 1, 1});
  return connect::NodeSet(std::move(ranges));
}

bool meet(const connect::NodeSet& a, const connect::NodeSet& b) {
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (b.position(a[i]) >= 0) return true;
  return false;
}

TEST(ProjectionBook, HasTheFirstLayerWithoutOverlap) {
  std::mt19937 draw(3);
  ProjectionBook book;
  std::vector<ProjectionEntry> known;
  for (std::int64_t number = 0; number < 600; ++number) {
    ProjectionEntry e{number, kind_of(draw() % 4 ? "static_synapse" : "stdp_synapse"), 0, some_nodes(draw), some_nodes(draw), false};
    const auto taken = [&] {
      return std::any_of(known.begin(), known.end(), [&](const ProjectionEntry& o) {
        return o.kind == e.kind && o.layer == e.layer && meet(o.sources, e.sources) && meet(o.targets, e.targets);
      });
    };
    while (taken()) ++e.layer;
    if (number % 7 == 6) {  // a call that fails
      book.add(e);
      book.restore(known.size());
      continue;
    }
    ASSERT_EQ(book.add(e), e.layer) << number;
    known.push_back(e);
  }
  for (const ProjectionEntry& e : known) {
    EXPECT_EQ(book.at(e.number).layer, e.layer);
    EXPECT_EQ(book.alike(e.number), -1);
  }
  EXPECT_THROW(book.at(6), BadParameter);
}

TEST(ProjectionBook, TellsWhichAreNoMoreToldApart) {
  ProjectionBook book;
  const ProjectionKind kind = kind_of("static_synapse");
  for (int k = 0; k < ProjectionBook::most_layers; ++k) EXPECT_EQ(book.add({k, kind, 0, nodes(1, 5), nodes(1, 5), false}), k);
  const std::int64_t next = ProjectionBook::most_layers;
  EXPECT_EQ(book.add({next, kind, 0, nodes(5, 5), nodes(5, 1), false}), 0);
  EXPECT_EQ(book.add({next + 1, kind, 0, nodes(50, 5), nodes(5, 1), false}), 0);
  EXPECT_EQ(book.alike(0), next);
  EXPECT_EQ(book.alike(next), 0);
  EXPECT_EQ(book.alike(1), -1);
  EXPECT_EQ(book.alike(next + 1), -1);
}

// All shifts of a ring: their products overlap, their pairs do not.
TEST(ProjectionBook, TellsPairsApart) {
  ProjectionBook book;
  const ProjectionKind kind = kind_of("static_synapse");
  std::int64_t number = 0;
  for (std::int64_t shift = 1; shift < 30; ++shift) {
    EXPECT_EQ(book.add({number++, kind, 0, nodes(1, 30 - shift), nodes(1 + shift, 30 - shift), true}), 0);
    EXPECT_EQ(book.add({number++, kind, 0, nodes(31 - shift, shift), nodes(1, shift), true}), 0);
  }
  EXPECT_EQ(book.add({number++, kind, 0, nodes(7, 1), nodes(7, 1), false}), 0) << "an autapse";
  EXPECT_EQ(book.add({number++, kind, 0, nodes(7, 2), nodes(7, 1), false}), 1);
  EXPECT_EQ(book.add({number++, kind, 0, nodes(3, 4), nodes(4, 4), true}), 1) << "again";
  EXPECT_EQ(book.add({number++, kind, 0, nodes(3, 4), nodes(4, 4), true}), 2);
  EXPECT_EQ(book.add({number++, kind, 0, connect::NodeSet({{1, 5, 2}}), nodes(40, 5), true}), 0);
}

ConnectCall identified(ConnectCall call) {
  call.identity.kept = true;
  return call;
}

std::size_t count(const Network& net, std::int64_t number) {
  return net.connections(Connections::Query{.projection = number}).source.size();
}

TEST(Projections, AreFoundByTheirNumbers) {
  Network net(Settings{.threads = 2, .slices = 3});
  net.create("iaf_psc_exp", 40, {});
  const ConnectCall all = identified(call(nodes(1, 40), nodes(1, 40), "all_to_all", 2.0, 1.0));
  const ConnectCall one = identified(call(nodes(1, 40), nodes(1, 40), "one_to_one", 2.0, 1.0));
  const ConnectCall few = identified(call(nodes(3, 2), nodes(7, 3), "all_to_all", -2.0, 1.0));
  const std::int64_t a = net.connect(all), b = net.connect(one), c = net.connect(few);
  net.build({});
  EXPECT_EQ(count(net, a), 1600u);
  EXPECT_EQ(count(net, b), 40u);
  EXPECT_EQ(count(net, c), 6u);
  EXPECT_THROW(count(net, 17), BadParameter);
  EXPECT_EQ(net.projections().at(c).layer, 1) << "3 and 4 do not connect to themselves here, only to others";
  const std::int64_t d = net.connect(identified(call(nodes(1, 20), nodes(21, 20), "all_to_all", 3.0, 1.0)));
  net.build({});
  EXPECT_EQ(count(net, d), 400u);
  EXPECT_EQ(count(net, a), 1600u);
  EXPECT_EQ(net.projections().at(d).layer, 1) << "it overlaps neither one nor few";
}

using Found = std::multiset<std::pair<Gid, Gid>>;

/// Ends of the connections of each projection, by the column of numbers.
std::map<std::int64_t, Found> by_number(const Network& net) {
  std::map<std::int64_t, Found> found;
  const ConnectionColumns c = net.connections({.numbers = true});
  for (std::size_t k = 0; k < c.source.size(); ++k) found[c.projection[k]].insert({c.source[k], c.target[k]});
  return found;
}

Found ends_of(const Network& net, std::int64_t number) {
  Found found;
  const ConnectionColumns c = net.connections({.projection = number});
  for (std::size_t k = 0; k < c.source.size(); ++k) found.insert({c.source[k], c.target[k]});
  return found;
}

TEST(Projections, AreToldByTheColumnOfNumbers) {
  std::mt19937 draw(5);
  Network net(Settings{.threads = 2, .slices = 3});
  net.create("iaf_psc_exp", 400, {});
  std::vector<std::int64_t> numbers;
  for (int k = 0; k < 60; ++k) {
    ConnectCall made = call(some_nodes(draw), some_nodes(draw), "all_to_all", draw() % 3 ? 2.0 : -2.0, 1.0 + draw() % 3);
    made.label = draw() % 4 == 0;
    numbers.push_back(net.connect(identified(std::move(made))));
  }
  net.build({});
  const auto found = by_number(net);
  EXPECT_EQ(found.size(), numbers.size());
  for (const std::int64_t number : numbers) EXPECT_EQ(found.at(number), ends_of(net, number)) << number;
  EXPECT_TRUE(net.connections({}).projection.empty()) << "nobody asked for it";
}

TEST(Projections, WithoutIdentityHaveNoNumber) {
  Network net(Settings{.threads = 1});
  net.create("iaf_psc_exp", 5, {});
  net.connect(call(nodes(1, 5), nodes(1, 5), "all_to_all", 2.0, 1.0));
  net.build({});
  EXPECT_EQ(by_number(net).begin()->first, -1);
}

// More calls between two nodes than there are layers: the k-th connection is said to be of the k-th call that has these layers.
TEST(Projections, OfACrowdTakeTurns) {
  Network net(Settings{.threads = 1});
  net.create("iaf_psc_exp", 2, {});
  const int n = ProjectionBook::most_layers + 3;
  for (int k = 0; k < n; ++k) net.connect(identified(call(nodes(1, 1), nodes(2, 1), "all_to_all", 1.0 + k, 1.0)));
  net.build({});
  const ConnectionColumns c = net.connections({.numbers = true});
  ASSERT_EQ(c.source.size(), static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < c.source.size(); ++k) EXPECT_EQ(c.weight[k], 1.0 + static_cast<double>(c.projection[k]));
}

// Delays tell some of a crowd: connections of a source and a target are listed by delay, calls are made in any order.
TEST(Projections, OfACrowdAreToldByTheirDelays) {
  Network net(Settings{.threads = 1});
  net.create("iaf_psc_exp", 2, {});
  for (int k = 0; k < 60; ++k) {
    ConnectCall made = identified(call(nodes(1, 1), nodes(2, 1), "all_to_all", 1.0, 1.0 + k % 3));
    made.identity.one_of_many = true;
    made.weight = {.a = 1.0 + k};
    net.connect(std::move(made));
  }
  net.build({});
  const ConnectionColumns c = net.connections({.numbers = true});
  std::set<std::int64_t> numbers;
  for (std::size_t k = 0; k < c.source.size(); ++k) {
    numbers.insert(c.projection[k]);
    EXPECT_EQ(c.delay[k], 10 * (1 + c.projection[k] % 3));
    EXPECT_EQ(c.weight[k], 1.0 + static_cast<double>(c.projection[k]));
  }
  EXPECT_EQ(numbers.size(), 60u);
}

TEST(Projections, TellWhichNodesTheyJoin) {
  Network net(Settings{.threads = 1});
  net.create("iaf_psc_exp", 20, {});
  net.connect(identified(call(nodes(1, 2), nodes(5, 2), "all_to_all", 1.0, 1.0)));
  ConnectCall plastic = call(nodes(3, 1), nodes(9, 1), "all_to_all", 1.0, 1.0);
  plastic.synapse = "stdp_synapse";
  net.connect(identified(std::move(plastic)));
  const ProjectionBook& book = net.projections();
  for (const Gid gid : {1, 2, 5, 6, 3, 9}) EXPECT_TRUE(book.joins(nodes(gid, 1))) << gid;
  EXPECT_FALSE(book.joins(nodes(10, 5)));
  EXPECT_TRUE(book.reaches(nodes(8, 5), "tau_minus"));
  EXPECT_FALSE(book.reaches(nodes(1, 6), "tau_minus"));
}

TEST(Projections, KeepTheirSynapsesThroughEdits) {
  Network net(Settings{.threads = 2, .slices = 3});
  net.create("iaf_psc_exp", 20, {});
  const ConnectCall all = identified(call(nodes(1, 20), nodes(1, 20), "all_to_all", 2.0, 1.0));
  const std::int64_t a = net.connect(all), b = net.connect(all);
  net.build({});
  const ConnectionColumns found = net.connections(Connections::Query{.projection = b});
  ConnectionEdits e;
  static_cast<Handles&>(e) = found;
  e.weight = {-3.5}, e.delay = {12};
  net.edit(e);
  net.run(30, {});
  for (const auto& [number, weight, delay] : {std::tuple(a, 2.0, std::int64_t{10}), std::tuple(b, -3.5, std::int64_t{12})}) {
    const ConnectionColumns now = net.connections(Connections::Query{.projection = number});
    ASSERT_EQ(now.source.size(), 400u);
    EXPECT_EQ(now.weight, std::vector<double>(400, weight));
    EXPECT_EQ(now.delay, std::vector<std::int64_t>(400, delay));
  }
}

// Calls of one projection, and calls without identity, which take no layer.
TEST(Projections, MayBeOfSeveralCalls) {
  Network net(Settings{});
  net.create("iaf_psc_exp", 20, {});
  ConnectCall first = identified(call(nodes(1, 10), nodes(1, 20), "all_to_all", 2.0, 1.0)), second = first;
  first.identity.sources = nodes(1, 20), first.identity.targets = nodes(1, 20);
  const std::int64_t a = net.connect(first);
  second.pre = nodes(11, 10), second.identity.first = a;
  net.connect(second);
  const std::int64_t b = net.connect(identified(call(nodes(15, 1), nodes(3, 1), "all_to_all", 1.0, 1.0)));
  net.connect(call(nodes(1, 20), nodes(1, 20), "one_to_one", 5.0, 2.0));
  net.build({});
  EXPECT_EQ(count(net, a), 400u + 20u);  // what has no identity is taken for that of the first layer
  EXPECT_EQ(count(net, b), 1u);
  EXPECT_EQ(count(net, -1), 420u);
  second.identity.first = 99;
  EXPECT_THROW(net.connect(second), BadParameter);
  EXPECT_EQ(net.connection_count(), 421u);
}

TEST(Projections, OfDevicesShowTheirValues) {
  Network net(Settings{.threads = 2, .slices = 2});
  net.create("iaf_psc_exp", 6, {});
  const Gid noise = net.create("poisson_generator", 2, {{"rate", {100.0}}});
  ConnectCall drive = identified(call(nodes(noise, 2), nodes(2, 3), "all_to_all", 0.0, 1.5));
  drive.weight.kind = rng::Kind::array;
  drive.weight.values = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4, 5, 6});
  const std::int64_t a = net.connect(drive);
  const DriveColumns c = net.drives(a);
  EXPECT_EQ(c.source, (std::vector<Gid>{noise, noise, noise, noise + 1, noise + 1, noise + 1}));
  EXPECT_EQ(c.target, (std::vector<Gid>{2, 3, 4, 2, 3, 4}));
  EXPECT_EQ(c.weight, (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(c.index, (std::vector<std::int64_t>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(c.delay, std::vector<std::int64_t>(6, 15));
  EXPECT_THROW(count(net, a), BadParameter);
}

}  // namespace
}  // namespace npl::sim::test_projections
