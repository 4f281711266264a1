// SPDX-License-Identifier: Apache-2.0
#include "circuit/morphologies.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace npl::circuit {
namespace {

void expect_length(const char* name, std::size_t length, std::size_t wanted) {
  if (length != wanted) throw BadLength(name, length, wanted);
}

std::string element(const char* name, std::size_t i) { return std::string(name) + "[" + std::to_string(i) + "]"; }

void check_finite(const char* name, std::span<const double> values, bool negative_allowed) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || std::fabs(values[i]) > 1e9 || (!negative_allowed && values[i] < 0))
      throw BadParameter(element(name, i), values[i], negative_allowed ? "a number from -1e9 to 1e9" : "a number from 0 to 1e9");
}

/// [0, .., last], never falling.
void check_begins(const char* name, std::span<const std::int64_t> begin, std::size_t last) {
  if (begin.empty()) throw BadLength(name, 0, 1);
  if (begin.front() != 0) throw BadParameter(element(name, 0), static_cast<double>(begin.front()), "0");
  for (std::size_t i = 1; i < begin.size(); ++i)
    if (begin[i] < begin[i - 1]) throw BadParameter(element(name, i), static_cast<double>(begin[i]), "not below the one before");
  if (begin.back() != static_cast<std::int64_t>(last))
    throw BadParameter(element(name, begin.size() - 1), static_cast<double>(begin.back()), std::to_string(last));
}

void check_parents(const MorphologyArrays& a) {
  for (std::size_t m = 0; m + 1 < a.section_begin.size(); ++m)
    for (std::int64_t k = a.section_begin[m]; k < a.section_begin[m + 1]; ++k)
      if (a.section_parent[k] < -1 || a.section_parent[k] >= k - a.section_begin[m])
        throw BadParameter(element("section_parent", k), a.section_parent[k], "-1 or the index of an earlier section of the morphology");
}

}  // namespace

void Morphologies::check(const MorphologyArrays& a) const {
  const std::size_t n_sections = a.section_type.size(), n_morphologies = a.soma_radius.size();
  expect_length("points", a.points.size(), 3 * a.radii.size());
  expect_length("point_begin", a.point_begin.size(), n_sections + 1);
  expect_length("section_begin", a.section_begin.size(), n_morphologies + 1);
  expect_length("section_parent", a.section_parent.size(), n_sections);
  expect_length("soma_centre", a.soma_centre.size(), 3 * n_morphologies);
  check_begins("point_begin", a.point_begin, a.radii.size());
  check_begins("section_begin", a.section_begin, n_sections);
  check_parents(a);
  for (std::size_t k = 0; k < n_sections; ++k)
    if (a.section_type[k] >= most_types) throw BadParameter(element("section_type", k), a.section_type[k], "from 0 to 31");
  check_finite("points", a.points, true);
  check_finite("radii", a.radii, false);
  check_finite("soma_centre", a.soma_centre, true);
  check_finite("soma_radius", a.soma_radius, false);
}

Morphologies::Morphologies(const MorphologyArrays& a) {
  check(a);
  const auto point = [](std::span<const double> at, std::size_t i, double radius) {
    return Point{{at[3 * i], at[3 * i + 1], at[3 * i + 2]}, radius};
  };
  for (std::size_t i = 0; i < a.radii.size(); ++i) points_.push_back(point(a.points, i, a.radii[i]));
  for (std::size_t i = 0; i < a.soma_radius.size(); ++i) soma_.push_back(point(a.soma_centre, i, a.soma_radius[i]));
  point_begin_.assign(a.point_begin.begin(), a.point_begin.end());
  section_begin_.assign(a.section_begin.begin(), a.section_begin.end());
  type_.assign(a.section_type.begin(), a.section_type.end());
  measure(a.section_parent);
}

void Morphologies::measure(std::span<const std::int32_t> parent) {
  arc_.resize(points_.size());
  path_.resize(type_.size());
  for (std::size_t m = 0; m < size(); ++m)
    for (std::size_t k = section_begin_[m]; k < section_begin_[m + 1]; ++k) {
      for (std::size_t i = point_begin_[k] + 1; i < point_begin_[k + 1]; ++i)
        arc_[i] = arc_[i - 1] + norm(points_[i].at - points_[i - 1].at);
      if (parent[k] < 0) continue;
      const std::size_t before = section_begin_[m] + static_cast<std::size_t>(parent[k]);
      const bool some = point_begin_[before + 1] > point_begin_[before];
      path_[k] = path_[before] + (some ? arc_[point_begin_[before + 1] - 1] : 0);
    }
}

Morphologies::Section Morphologies::section(std::size_t morphology, std::size_t k) const {
  const std::size_t s = section_begin_[morphology] + k, n = point_begin_[s + 1] - point_begin_[s];
  return {{points_.data() + point_begin_[s], n}, {arc_.data() + point_begin_[s], n}, type_[s], path_[s]};
}

void check(const Cells& cells, const Morphologies& morphologies) {
  expect_length("morphology", cells.morphology.size(), cells.size());
  expect_length("position", cells.position.size(), 3 * cells.size());
  expect_length("rotation", cells.rotation.size(), 4 * cells.size());
  expect_length("spine_length", cells.spine_length.size(), cells.size());
  check_finite("position", cells.position, true);
  check_finite("rotation", cells.rotation, true);
  check_finite("spine_length", cells.spine_length, false);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells.gid[i] < 0 || cells.gid[i] == std::numeric_limits<Gid>::max())
      throw BadParameter(element("gid", i), static_cast<double>(cells.gid[i]), "from 0 to 2^63 - 2");
    if (cells.morphology[i] < 0 || static_cast<std::size_t>(cells.morphology[i]) >= morphologies.size())
      throw BadParameter(element("morphology", i), cells.morphology[i], "an index below " + std::to_string(morphologies.size()));
    const auto q = cells.rotation.subspan(4 * i, 4);
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-24))
      throw BadParameter(element("rotation", i), 0.0, "a quaternion w, x, y, z that is not zero");
  }
}

}  // namespace npl::circuit
