// SPDX-License-Identifier: Apache-2.0
/// Small circuits for tests, and ranks as threads.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <random>
#include <thread>

#include "circuit/detector.hpp"

namespace npl::circuit {

inline std::array<double, 3> as_array(Vec v) { return {v.x, v.y, v.z}; }

/// Morphologies as they are put together, section by section.
struct Drawing {
  std::vector<double> points, radii, soma_centre, soma_radius;
  std::vector<std::int64_t> point_begin{0}, section_begin{0};
  std::vector<std::int32_t> parent;
  std::vector<std::uint8_t> type;

  void section(std::uint8_t of_type, std::int32_t of_parent, const std::vector<Point>& line) {
    for (const Point& p : line) {
      for (double x : as_array(p.at)) points.push_back(x);
      radii.push_back(p.radius);
    }
    point_begin.push_back(static_cast<std::int64_t>(radii.size()));
    parent.push_back(of_parent);
    type.push_back(of_type);
  }
  void finish(Vec centre, double radius) {
    for (double x : as_array(centre)) soma_centre.push_back(x);
    soma_radius.push_back(radius);
    section_begin.push_back(static_cast<std::int64_t>(type.size()));
  }
  MorphologyArrays arrays() const { return {points, radii, point_begin, section_begin, parent, type, soma_centre, soma_radius}; }
};

struct Placed {
  std::vector<Gid> gid;
  std::vector<std::int32_t> morphology;
  std::vector<double> position, rotation, spine;

  void add(Gid g, std::int32_t m, Vec at, const std::array<double, 4>& q = {1, 0, 0, 0}, double spine_length = 0) {
    gid.push_back(g);
    morphology.push_back(m);
    for (double x : as_array(at)) position.push_back(x);
    rotation.insert(rotation.end(), q.begin(), q.end());
    spine.push_back(spine_length);
  }
  Cells cells() const { return {gid, morphology, position, rotation, spine}; }
  /// Cells k of these.
  Placed pick(const std::vector<std::size_t>& which) const {
    Placed some;
    for (std::size_t k : which)
      some.add(gid[k], morphology[k], {position[3 * k], position[3 * k + 1], position[3 * k + 2]},
               {rotation[4 * k], rotation[4 * k + 1], rotation[4 * k + 2], rotation[4 * k + 3]}, spine[k]);
    return some;
  }
};

struct Circuit {
  Drawing drawing;
  Placed pre, post;
  Morphologies morphologies() const { return Morphologies(drawing.arrays()); }
};

struct Random {
  std::mt19937 engine;
  double operator()(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine); }
  Vec vec(double size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  std::array<double, 4> quaternion() { return {(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), (*this)(0.1, 1)}; }
};

/// A random walk from `from`, some steps long, some of length 0, some radii 0.
inline std::vector<Point> walk(Random& random, Point from, std::size_t steps) {
  std::vector<Point> line{from};
  Vec heading = random.vec(1);
  for (std::size_t k = 0; k < steps; ++k) {
    heading = heading + random.vec(0.5);
    const double kind = random(0, 1), length = kind < 0.05 ? 0 : kind < 0.1 ? 12 : random(0.5, 3);
    line.push_back({line.back().at + length / std::max(1e-3, norm(heading)) * heading, random(0, 1) < 0.05 ? 0 : random(0.05, 0.6)});
  }
  return line;
}

/// Cells with axons and dendrites that branch, in a box about as large as a cell. One draw a statement: compilers evaluate arguments in
/// different orders.
inline Circuit random_circuit(unsigned seed, std::size_t n_cells = 9) {
  Random random{std::mt19937(seed)};
  Circuit c;
  for (int m = 0; m < 3; ++m) {
    for (std::uint8_t type : {axon, basal, apical}) {
      const auto first = static_cast<std::int32_t>(c.drawing.type.size() - static_cast<std::size_t>(c.drawing.section_begin.back()));
      const auto steps = 8 + static_cast<std::size_t>(random(0, 20));
      const auto stem = walk(random, {random.vec(2), 0.5}, steps);
      c.drawing.section(type, -1, stem);
      for (int k = 0; k < 2; ++k) c.drawing.section(type, first, walk(random, stem.back(), 1 + static_cast<std::size_t>(random(0, 30))));
    }
    const double radius = random(2, 5);
    c.drawing.finish(random.vec(1), radius);
  }
  for (std::size_t i = 0; i < n_cells; ++i) {
    const double spine = random(0, 1) < 0.3 ? 0 : random(0.5, 2.5);
    const std::array<double, 4> rotation = random.quaternion();
    const Vec at = random.vec(5);
    c.post.add(static_cast<Gid>(3 * i), static_cast<std::int32_t>(random(0, 3)), at, rotation, spine);
    c.pre = c.post;
  }
  return c;
}

/// All touches of a circuit on one rank, in one batch.
inline std::vector<Touch> touches_of(const Circuit& c, const Settings& settings) {
  const Morphologies m = c.morphologies();
  TouchDetector detector(nullptr, settings);
  detector.index(m, c.post.cells());
  return detector.detect(m, c.pre.cells());
}

/// Runs `body` as every rank. What a rank throws ends the program: the others would wait for it for ever.
inline void as_ranks(int ranks, const std::function<void(const std::shared_ptr<comm::Communicator>&)>& body) {
  auto group = comm::threads(ranks);
  std::vector<std::thread> threads;
  for (const auto& comm : group)
    threads.emplace_back([&body, &comm] {
      try {
        body(comm);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "rank %d: %s\n", comm->rank(), e.what());
        std::abort();
      }
    });
  for (auto& t : threads) t.join();
}

}  // namespace npl::circuit
