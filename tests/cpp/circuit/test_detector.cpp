// SPDX-License-Identifier: Apache-2.0
// Whole circuits: grids with known touches, all pairs of segments one by one, the same bits for any ranks, threads, batches, exchange and
// order.
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "../levels.hpp"
#include "base/error.hpp"
#include "circuits.hpp"

namespace npl::circuit::test_detector {
namespace {

/// Axons along x and dendrites along y, `n` each, 10 um apart; every axon crosses every dendrite once.
Circuit crossing_sticks(int n) {
  Circuit c;
  std::vector<Point> along_x, along_y;
  for (int k = 0; k <= 10 * n; ++k) {
    along_x.push_back({{static_cast<double>(k) - 5, 0, 0}, 0.5});
    along_y.push_back({{0, static_cast<double>(k) - 5, 0}, 0.5});
  }
  c.drawing.section(axon, -1, along_x);
  c.drawing.finish({0, 0, 0}, 1);
  c.drawing.section(basal, -1, along_y);
  c.drawing.finish({0, 0, 1000}, 1);
  for (int k = 0; k < n; ++k) {
    c.pre.add(k, 0, {0, 10.0 * k + 0.3, 0});
    c.post.add(100 + k, 1, {10.0 * k + 0.3, 0, 0.8});
  }
  return c;
}

TEST(Grid, EveryPairTouchesOnce) {
  for (Mode mode : {Mode::tapered, Mode::capsule}) {
    const auto touches = touches_of(crossing_sticks(10), {.mode = mode});
    ASSERT_EQ(touches.size(), 100u);
    std::size_t k = 0;
    for (Gid pre = 0; pre < 10; ++pre)
      for (Gid post = 100; post < 110; ++post, ++k) {
        const Touch& t = touches[k];
        EXPECT_EQ(std::pair(t.pre.gid, t.post.gid), std::pair(pre, post));
        // The middle of what overlaps is where they cross.
        const double x = 10.0 * static_cast<double>(post - 100) + 0.3, y = 10.0 * static_cast<double>(pre) + 0.3;
        const float center[3] = {static_cast<float>(x), static_cast<float>(y), 0};
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(t.pre.center[i], center[i], 1e-5);
        EXPECT_NEAR(t.post.center[2], 0.8, 1e-6);
        EXPECT_NEAR(t.pre.surface[2], 0.5, 1e-6);
        EXPECT_NEAR(t.post.surface[2], 0.3, 1e-6);
        EXPECT_EQ(t.spine_length, 0);
        EXPECT_EQ(t.pre.section, 1);
        EXPECT_EQ(t.pre.segment, static_cast<int>(x + 5));
        EXPECT_NEAR(t.pre.offset, 0.3, 1e-5);
        EXPECT_NEAR(t.pre.fraction, (x + 5) / 100, 1e-6);
        EXPECT_NEAR(t.post.distance_soma, y + 5, 1e-5);
      }
  }
}

TEST(Grid, SpinesBridgeWhatTheirLengthReaches) {
  Circuit c = crossing_sticks(3);
  for (double& z : c.post.position)
    if (z == 0.8) z = 3;
  EXPECT_EQ(touches_of(c, {}).size(), 0u);
  std::fill(c.post.spine.begin(), c.post.spine.end(), 2.1);
  const auto touches = touches_of(c, {});
  ASSERT_EQ(touches.size(), 9u);
  for (const Touch& t : touches) EXPECT_NEAR(t.spine_length, 2, 1e-5);
}

TEST(Sides, WhatMayTouchWhat) {
  const Circuit c = random_circuit(5);
  const std::uint32_t all = 1u << soma | 1u << axon | 1u << basal | 1u << apical;
  const auto everything = touches_of(c, {.pre_types = all, .post_types = all, .autapses = true});
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> of_types;
  std::size_t own = 0;
  for (const Touch& t : everything) ++of_types[{t.pre.type, t.post.type}], own += t.pre.gid == t.post.gid;
  EXPECT_GT(own, 0u);
  EXPECT_GE(of_types.size(), 12u);
  for (std::uint32_t pre : {soma, axon, basal, apical}) {
    for (const Touch& t : touches_of(c, {.pre_types = 1u << pre, .post_types = 1u << basal})) {
      EXPECT_EQ(t.pre.type, pre);
      EXPECT_EQ(t.post.type, basal);
      EXPECT_NE(t.pre.gid, t.post.gid);
    }
  }
}

// --- all pairs of segments, one by one

struct Loose {
  Gid gid;
  std::int32_t section, number;
  std::uint32_t type;
  Segment segment, bare;
  double arc, length, path, section_length;
};

Vec rotated(const double* q, Vec v) {  // q v q*
  const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const Vec u{q[1] / n, q[2] / n, q[3] / n};
  const auto cross = [](Vec a, Vec b) { return Vec{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; };
  const Vec t = 2.0 * cross(u, v);
  return v + (q[0] / n) * t + cross(u, t);
}

std::vector<Loose> loose_segments(const Circuit& c, const Placed& cells, std::uint32_t types, Mode mode) {
  std::vector<Loose> all;
  const auto& d = c.drawing;
  const auto point = [&](std::size_t cell, const double* at, double r) {
    const double* p = cells.position.data() + 3 * cell;
    return Point{rotated(cells.rotation.data() + 4 * cell, {at[0], at[1], at[2]}) + Vec{p[0], p[1], p[2]}, r};
  };
  for (std::size_t i = 0; i < cells.gid.size(); ++i) {
    const auto m = static_cast<std::size_t>(cells.morphology[i]);
    if (types >> soma & 1) {
      const Point p = point(i, d.soma_centre.data() + 3 * m, d.soma_radius[m]);
      all.push_back({cells.gid[i], 0, 0, soma, segment(p, p, 0, mode), segment(p, p, 0, mode), 0, 0, 0, 0});
    }
    std::vector<double> path_end;
    for (auto k = d.section_begin[m]; k < d.section_begin[m + 1]; ++k) {
      const auto s = static_cast<std::size_t>(k);
      const double path = d.parent[s] < 0 ? 0 : path_end[static_cast<std::size_t>(d.parent[s])];
      double arc = 0;
      const std::size_t first = all.size();
      for (auto j = d.point_begin[s]; j + 1 < d.point_begin[s + 1]; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const Point a = point(i, d.points.data() + 3 * at, d.radii[at]), b = point(i, d.points.data() + 3 * at + 3, d.radii[at + 1]);
        const double spine = has_spines(d.type[s]) ? cells.spine[i] : 0, length = norm(b.at - a.at);
        all.push_back({cells.gid[i], static_cast<std::int32_t>(k - d.section_begin[m] + 1), static_cast<std::int32_t>(j - d.point_begin[s]),
                       d.type[s], segment(a, b, spine, mode), segment(a, b, 0, mode), arc, length, path, 0});
        arc += length;
      }
      for (std::size_t j = first; j < all.size(); ++j) all[j].section_length = arc;
      path_end.push_back(path + arc);
      if (!(types >> d.type[s] & 1)) all.resize(first);
    }
  }
  return all;
}

struct Expected {
  const Loose *pre, *post;
  double place;
};

std::vector<Expected> expected_touches(const std::vector<Loose>& pre, const std::vector<Loose>& post, const Settings& s,
                                       std::uint64_t* n_overlaps) {
  std::vector<Expected> all;
  for (std::size_t first = 0, last; first < pre.size(); first = last) {
    for (last = first; last < pre.size() && pre[last].gid == pre[first].gid && pre[last].section == pre[first].section;) ++last;
    std::vector<Overlap> overlaps;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < post.size(); ++j) {
        if (!s.autapses && pre[i].gid == post[j].gid) continue;
        const Interval o = overlap(pre[i].segment, post[j].segment);
        if (o.empty()) continue;
        const double s_middle = 0.5 * (o.lo + o.hi), t = nearest(post[j].segment, pre[i].segment.at(s_middle));
        const double clearance =
            norm(pre[i].segment.at(s_middle) - post[j].segment.at(t)) - pre[i].segment.radius_at(s_middle) - post[j].segment.radius_at(t);
        overlaps.push_back({pre[i].arc + o.lo * pre[i].length, pre[i].arc + o.hi * pre[i].length, clearance, post[j].gid, post[j].section,
                            post[j].number, pre[i].number, 0, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
      }
    *n_overlaps += overlaps.size();
    std::vector<Bouton> boutons;
    place(overlaps, pre[first].gid, pre[first].section, s.seed, s.spacing, boutons);
    for (const Bouton& b : boutons) all.push_back({&pre[b.overlap->pre], &post[b.overlap->post], b.place});
  }
  std::sort(all.begin(), all.end(), [](const Expected& a, const Expected& b) {
    return std::tie(a.pre->gid, a.post->gid, a.pre->section, a.pre->number, a.place, a.post->section, a.post->number) <
           std::tie(b.pre->gid, b.post->gid, b.pre->section, b.pre->number, b.place, b.post->section, b.post->number);
  });
  return all;
}

void expect_side(const TouchSide& t, const Loose& l, Vec center, double offset) {
  EXPECT_EQ(std::tie(t.gid, t.section, t.segment, t.type), std::tie(l.gid, l.section, l.number, l.type));
  EXPECT_NEAR(t.offset, offset, 2e-4);
  EXPECT_NEAR(t.distance_soma, l.path + l.arc + offset, 4e-4);
  EXPECT_NEAR(t.fraction, l.section_length > 0 ? (l.arc + offset) / l.section_length : 0, 2e-4);
  EXPECT_NEAR(t.center[0], center.x, 2e-4);
  EXPECT_NEAR(t.center[1], center.y, 2e-4);
  EXPECT_NEAR(t.center[2], center.z, 2e-4);
}

void expect_touch(const Touch& t, const Expected& e) {
  const double s = e.pre->length > 0 ? (e.place - e.pre->arc) / e.pre->length : 0;
  const Vec from = e.pre->bare.at(s);
  const double u = nearest(e.post->bare, from);
  const Vec to = e.post->bare.at(u);
  expect_side(t.pre, *e.pre, from, s * e.pre->length);
  expect_side(t.post, *e.post, to, u * e.post->length);
  const double gap = norm(to - from) - e.pre->bare.radius_at(s) - e.post->bare.radius_at(u);
  EXPECT_NEAR(t.spine_length, std::max(0.0, gap), 2e-4);
  EXPECT_LE(t.spine_length, e.post->segment.radius - e.post->bare.radius + 1e-5);
  const Vec surfaces{t.post.surface[0] - t.pre.surface[0], t.post.surface[1] - t.pre.surface[1], t.post.surface[2] - t.pre.surface[2]};
  EXPECT_NEAR(norm(surfaces), std::fabs(gap), 1e-3);
}

TEST(AllPairs, OneByOneGiveTheSameTouches) {
  std::size_t total = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Settings s{.autapses = seed % 3 == 0, .seed = seed, .mode = seed % 2 ? Mode::tapered : Mode::capsule};
    if (seed % 4 == 0) s.pre_types = 1u << axon | 1u << soma, s.post_types = 1u << soma | 1u << axon | 1u << basal;
    const Circuit c = random_circuit(seed);
    const auto pre = loose_segments(c, c.pre, s.pre_types, s.mode), post = loose_segments(c, c.post, s.post_types, s.mode);
    std::uint64_t n_overlaps = 0;
    const auto expected = expected_touches(pre, post, s, &n_overlaps);
    const Morphologies m = c.morphologies();
    TouchDetector detector(nullptr, s);
    detector.index(m, c.post.cells());
    const auto found = detector.detect(m, c.pre.cells());
    EXPECT_EQ(detector.counters().at("overlaps"), static_cast<double>(n_overlaps));
    ASSERT_EQ(found.size(), expected.size()) << seed;
    for (std::size_t k = 0; k < found.size(); ++k) expect_touch(found[k], expected[k]);
    total += found.size();
  }
  EXPECT_GT(total, 500u);
}

TEST(AllPairs, RawOverlapsHaveTheirPartOfBothAxes) {
  const Circuit c = random_circuit(3);
  const auto pre = loose_segments(c, c.pre, 1u << axon, Mode::tapered), post = loose_segments(c, c.post, 1u << basal, Mode::tapered);
  std::map<std::array<std::int64_t, 6>, std::array<double, 4>> expected;
  for (const Loose& p : pre)
    for (const Loose& q : post) {
      const Interval s = overlap(p.segment, q.segment), t = overlap(q.segment, p.segment);
      ASSERT_EQ(s.empty(), t.empty());
      if (!s.empty() && p.gid != q.gid)
        expected[{p.gid, p.section, p.number, q.gid, q.section, q.number}] = {s.lo * p.length, s.hi * p.length, t.lo * q.length,
                                                                              t.hi * q.length};
    }
  const Morphologies m = c.morphologies();
  TouchDetector detector(nullptr, {.post_types = 1u << basal});
  detector.index(m, c.post.cells());
  const auto found = detector.overlaps(m, c.pre.cells());
  ASSERT_EQ(found.size(), expected.size());
  for (const RawOverlap& o : found) {
    const auto at = expected.find({o.pre_gid, o.pre_section, o.pre_segment, o.post_gid, o.post_section, o.post_segment});
    ASSERT_NE(at, expected.end());
    const double values[4] = {o.pre_begin, o.pre_end, o.post_begin, o.post_end};
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(values[k], at->second[k], 1e-6);
  }
}

// --- the same bits however it is done

std::vector<std::byte> bytes_of(const std::vector<Touch>& touches) {
  const auto bytes = std::as_bytes(std::span(touches));
  return {bytes.begin(), bytes.end()};
}

struct How {
  int ranks, threads;
  std::size_t batches;
  const char* exchange;
  unsigned shuffle;
};

/// Cells in any order, dealt to ranks at random; batches are ranges of gids.
std::vector<std::byte> touches_by(const Circuit& c, Settings settings, const How& how) {
  settings.threads = how.threads;
  settings.exchange = how.exchange;
  const Morphologies m = c.morphologies();
  const auto deal = [&](const Placed& cells, std::size_t first, std::size_t last, std::size_t rank) {
    std::vector<std::size_t> order(cells.gid.size()), mine;
    std::iota(order.begin(), order.end(), 0u);
    std::mt19937 random(how.shuffle);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t k : order)
      if (random() % static_cast<unsigned>(how.ranks) == rank && k >= first && k < last) mine.push_back(k);
    return cells.pick(mine);
  };
  std::vector<std::vector<std::vector<Touch>>> parts(how.batches, std::vector<std::vector<Touch>>(static_cast<std::size_t>(how.ranks)));
  as_ranks(how.ranks, [&](const std::shared_ptr<comm::Communicator>& comm) {
    const auto rank = static_cast<std::size_t>(comm->rank()), n = c.pre.gid.size();
    TouchDetector detector(comm, settings);
    detector.index(m, deal(c.post, 0, n, rank).cells());
    for (std::size_t b = 0; b < how.batches; ++b)
      parts[b][rank] = detector.detect(m, deal(c.pre, n * b / how.batches, n * (b + 1) / how.batches, rank).cells());
  });
  std::vector<Touch> all;
  for (const auto& batch : parts)
    for (const auto& part : batch) all.insert(all.end(), part.begin(), part.end());
  return bytes_of(all);
}

TEST(OneResult, AnyRanksThreadsBatchesExchangeAndOrder) {
  const Circuit c = random_circuit(17, 24);
  const Settings s{.seed = 3};
  const auto expected = bytes_of(touches_of(c, s));
  ASSERT_GT(expected.size(), 200 * sizeof(Touch));
  unsigned shuffle = 0;
  for (int ranks : {1, 2, 3, 4, 8})
    for (const char* exchange : {"alltoallv", "neighbor", "nbx"})
      for (std::size_t batches : {1u, 5u}) {
        const How how{ranks, 1 + static_cast<int>(shuffle % 3), batches, exchange, shuffle};
        EXPECT_EQ(touches_by(c, s, how), expected) << ranks << " " << exchange << " " << batches << " " << ++shuffle;
      }
}

TEST(OneResult, OnEverySimdLevel) {
  const Circuit c = random_circuit(18);
  const auto expected = bytes_of(touches_of(c, {}));
  at_every_level([&](Isa level) { EXPECT_EQ(bytes_of(touches_of(c, {})), expected) << isa_name(level); });
}

TEST(OneResult, EmptySharesAndMoreRanksThanCells) {
  const Circuit c = random_circuit(19, 2);
  const auto expected = bytes_of(touches_of(c, {}));
  EXPECT_GT(expected.size(), 0u);
  EXPECT_EQ(touches_by(c, {}, {8, 1, 2, "alltoallv", 1}), expected);
  EXPECT_EQ(touches_by(c, {}, {1, 1, 1, "alltoallv", 1}), expected);
  EXPECT_EQ(touches_by(c, {}, {1, 1, 2, "alltoallv", 1}), expected);
  Circuit none = c;
  none.post = {};
  EXPECT_EQ(touches_of(none, {}).size(), 0u);
  EXPECT_EQ(touches_by(none, {}, {3, 1, 1, "nbx", 1}).size(), 0u);
}

TEST(OneResult, SegmentsAreSpreadEvenly) {
  const Circuit c = random_circuit(20, 60);
  const Morphologies m = c.morphologies();
  as_ranks(4, [&](const std::shared_ptr<comm::Communicator>& comm) {
    TouchDetector detector(comm, {});
    detector.index(m, comm->rank() == 0 ? c.post.cells() : Cells{});
    EXPECT_LE(detector.counters().at("imbalance"), 1.02);
    detector.detect(m, comm->rank() == 0 ? c.pre.cells() : Cells{});
    EXPECT_GT(detector.counters().at("segments"), 0);
    const double partners = comm->rank() == 0 ? detector.counters().at("partners") : 1;
    EXPECT_GT(partners, 0);
  });
}

TEST(Motion, OfEverythingChangesNothingButPlaces) {
  const Circuit c = random_circuit(21);
  Circuit moved = c;
  const double half = std::sqrt(0.5);
  const double turn[4] = {half, 0, 0, half};  // a right angle around z
  for (Placed* cells : {&moved.pre, &moved.post})
    for (std::size_t i = 0; i < cells->gid.size(); ++i) {
      double* q = cells->rotation.data() + 4 * i;
      const double w = q[0], x = q[1], y = q[2], z = q[3];
      q[0] = half * (w - z), q[1] = half * (x - y), q[2] = half * (y + x), q[3] = half * (z + w);
      double* p = cells->position.data() + 3 * i;
      const Vec at = rotated(turn, {p[0], p[1], p[2]}) + Vec{300, -200, 1000};
      p[0] = at.x, p[1] = at.y, p[2] = at.z;
    }
  const auto before = touches_of(c, {}), after = touches_of(moved, {});
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Touch &a = before[k], &b = after[k];
    EXPECT_EQ(std::tie(a.pre.gid, a.pre.section, a.pre.segment, a.post.gid, a.post.section, a.post.segment),
              std::tie(b.pre.gid, b.pre.section, b.pre.segment, b.post.gid, b.post.section, b.post.segment));
    EXPECT_NEAR(a.place, b.place, 1e-6);
    EXPECT_NEAR(a.spine_length, b.spine_length, 1e-4);
    EXPECT_NEAR(-a.pre.center[1] + 300, b.pre.center[0], 1e-3);
    EXPECT_NEAR(a.pre.center[0] - 200, b.pre.center[1], 1e-3);
  }
}

// --- what is refused

template <class E, class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

TEST(Refused, SettingsAndArrays) {
  const Circuit c = random_circuit(22, 2);
  EXPECT_NE(refusal<BadParameter>([] { TouchDetector(nullptr, {.spacing = {.min = 0}}); }).find("min_distance"), std::string::npos);
  EXPECT_NE(refusal<BadParameter>([] { TouchDetector(nullptr, {.spacing = {.min = 5, .max = 4}}); }).find("max_distance"),
            std::string::npos);
  EXPECT_NE(refusal<BadParameter>([] { TouchDetector(nullptr, {.threads = 0}); }).find("threads"), std::string::npos);
  EXPECT_NE(refusal<UnknownName>([] { TouchDetector(nullptr, {.exchange = "alltoall"}); }).find("alltoallv"), std::string::npos);
  const auto broken = [&](const char* name, auto change) {
    Drawing d = c.drawing;
    change(d);
    EXPECT_NE(refusal<Error>([&] { Morphologies m(d.arrays()); }).find(name), std::string::npos) << name;
  };
  broken("points[7]", [](Drawing& d) { d.points[7] = std::nan(""); });
  broken("points", [](Drawing& d) { d.points.pop_back(); });
  broken("radii[3]", [](Drawing& d) { d.radii[3] = -1; });
  broken("section_parent[1]", [](Drawing& d) { d.parent[1] = 1; });
  broken("section_type[0]", [](Drawing& d) { d.type[0] = 32; });
  broken("point_begin[1]", [](Drawing& d) { d.point_begin[1] = -5; });
  broken("soma_radius", [](Drawing& d) { d.soma_radius[0] = std::numeric_limits<double>::infinity(); });
  const Morphologies m = c.morphologies();
  const auto bad_cells = [&](const char* name, auto change) {
    Placed cells = c.post;
    change(cells);
    TouchDetector detector(nullptr, {});
    EXPECT_NE(refusal<Error>([&] { detector.index(m, cells.cells()); }).find(name), std::string::npos) << name;
    detector.index(m, c.post.cells());  // nothing has changed
  };
  bad_cells("gid[1]", [](Placed& p) { p.gid[1] = -1; });
  bad_cells("morphology[0]", [](Placed& p) { p.morphology[0] = 3; });
  bad_cells("rotation[1]", [](Placed& p) { std::fill(p.rotation.begin() + 4, p.rotation.end(), 0.0); });
  bad_cells("spine_length[0]", [](Placed& p) { p.spine[0] = -0.5; });
  bad_cells("position", [](Placed& p) { p.position.pop_back(); });
}

TEST(Refused, CellsThatTwoRanksBring) {
  const Circuit c = random_circuit(4);
  for (int ranks : {1, 2, 5})
    as_ranks(ranks, [&](const auto& comm) {
      const Morphologies m = c.morphologies();
      // Cell 3 comes twice: from the last rank and the first, which are one where there is one.
      Placed mine;
      if (comm->rank() == 0) mine = c.post;
      if (comm->rank() == ranks - 1) mine.add(3, 0, {});
      TouchDetector detector(comm, {});
      const std::string told = refusal<BadParameter>([&] { detector.index(m, mine.cells()); });
      EXPECT_NE(told.find("gid = 3"), std::string::npos) << told;
      detector.index(m, (comm->rank() == 0 ? c.post : Placed()).cells());  // nothing has changed
    });
}

TEST(Refused, OnAllRanksWhereOneRankIsWrong) {
  const Circuit c = random_circuit(23, 3);
  const Morphologies m = c.morphologies();
  as_ranks(3, [&](const std::shared_ptr<comm::Communicator>& comm) {
    TouchDetector detector(comm, {});
    EXPECT_NE(refusal<Error>([&] { detector.detect(m, {}); }).find("before index"), std::string::npos);
    Placed mine = c.post.pick({static_cast<std::size_t>(comm->rank())});
    if (comm->rank() == 1) mine.spine[0] = std::nan("");
    EXPECT_NE(refusal<Error>([&] { detector.index(m, mine.cells()); }), "");
    detector.index(m, c.post.pick({static_cast<std::size_t>(comm->rank())}).cells());
    EXPECT_NE(refusal<BadParameter>([&] { detector.detect(m, c.pre.pick({0}).cells()); }).find("gid"),
              std::string::npos);  // every rank brings cell 0
    detector.detect(m, c.pre.pick({static_cast<std::size_t>(comm->rank())}).cells());
  });
}

}  // namespace
}  // namespace npl::circuit::test_detector
