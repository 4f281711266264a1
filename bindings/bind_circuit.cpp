// SPDX-License-Identifier: Apache-2.0
/// Module _core.circuit: touch detection with arrays.
#include "circuit/detector.hpp"
#include "convert.hpp"

namespace npl::bindings {
namespace {

using namespace circuit;

template <class T, std::int64_t columns>
using Table = nb::ndarray<const T, nb::shape<-1, columns>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto view(const Array& a) {
  return std::span(a.data(), a.size());
}

Morphologies* to_morphologies(const Table<double, 3>& points, const In<double>& radii, const In<std::int64_t>& point_begin,
                              const In<std::int64_t>& section_begin, const In<std::int32_t>& section_parent,
                              const In<std::uint8_t>& section_type, const Table<double, 3>& soma_centre, const In<double>& soma_radius) {
  return new Morphologies({view(points), view(radii), view(point_begin), view(section_begin), view(section_parent), view(section_type),
                           view(soma_centre), view(soma_radius)});
}

circuit::Settings to_settings(std::uint32_t pre_types, std::uint32_t post_types, bool autapses, const Spacing& spacing, std::int64_t seed,
                              const std::string& mode, std::int64_t threads, const std::string& exchange) {
  static const std::vector<std::string> modes{"tapered", "capsule"};
  if (std::find(modes.begin(), modes.end(), mode) == modes.end()) throw UnknownName("mode", mode, modes);
  if (seed < 0) throw BadParameter("seed", static_cast<double>(seed), "a whole number >= 0");
  if (threads < 1 || threads > 1024) throw BadParameter("threads", static_cast<double>(threads), "from 1 to 1024");
  return {pre_types,
          post_types,
          autapses,
          spacing,
          static_cast<std::uint64_t>(seed),
          mode == "capsule" ? Mode::capsule : Mode::tapered,
          static_cast<int>(threads),
          exchange};
}

/// Columns of touches, named as in SONATA.
nb::dict columns(const std::vector<Touch>& touches) {
  nb::dict d;
  const auto column = [&](const std::string& name, auto value) {
    std::vector<decltype(value(touches[0]))> values;
    values.reserve(touches.size());
    for (const Touch& t : touches) values.push_back(value(t));
    d[name.c_str()] = to_numpy(std::move(values));
  };
  const auto side = [&](const std::string& prefix, TouchSide Touch::* s) {
    column(prefix + "_section_id", [s](const Touch& t) { return (t.*s).section; });
    column(prefix + "_segment_id", [s](const Touch& t) { return (t.*s).segment; });
    column(prefix + "_segment_offset", [s](const Touch& t) { return (t.*s).offset; });
    column(prefix + "_section_pos", [s](const Touch& t) { return (t.*s).fraction; });
    column(prefix + "_section_type", [s](const Touch& t) { return static_cast<std::uint8_t>((t.*s).type); });
    column(prefix + "_distance_soma", [s](const Touch& t) { return (t.*s).distance_soma; });
    for (int k = 0; k < 3; ++k) {
      column(prefix + "_surface_" + "xyz"[k], [s, k](const Touch& t) { return (t.*s).surface[k]; });
      column(prefix + "_center_" + "xyz"[k], [s, k](const Touch& t) { return (t.*s).center[k]; });
    }
  };
  column("pre_gid", [](const Touch& t) { return t.pre.gid; });
  column("post_gid", [](const Touch& t) { return t.post.gid; });
  side("efferent", &Touch::pre);
  side("afferent", &Touch::post);
  column("spine_length", [](const Touch& t) { return t.spine_length; });
  return d;
}

using Gids = In<std::int64_t>;
using Numbers = In<std::int32_t>;

Cells to_cells(const Gids& gid, const Numbers& morphology, const Table<double, 3>& position, const Table<double, 4>& rotation,
               const In<double>& spine_length) {
  return {view(gid), view(morphology), view(position), view(rotation), view(spine_length)};
}

void index(TouchDetector& d, const Morphologies& m, const Gids& gid, const Numbers& morphology, const Table<double, 3>& position,
           const Table<double, 4>& rotation, const In<double>& spine_length) {
  const Cells cells = to_cells(gid, morphology, position, rotation, spine_length);
  nb::gil_scoped_release release;
  d.index(m, cells);
}

nb::dict detect(TouchDetector& d, const Morphologies& m, const Gids& gid, const Numbers& morphology, const Table<double, 3>& position,
                const Table<double, 4>& rotation, const In<double>& spine_length) {
  const Cells cells = to_cells(gid, morphology, position, rotation, spine_length);
  std::vector<Touch> touches;
  {
    nb::gil_scoped_release release;
    touches = d.detect(m, cells);
  }
  return columns(touches);
}

nb::dict overlaps(TouchDetector& d, const Morphologies& m, const Gids& gid, const Numbers& morphology, const Table<double, 3>& position,
                  const Table<double, 4>& rotation, const In<double>& spine_length) {
  const Cells cells = to_cells(gid, morphology, position, rotation, spine_length);
  std::vector<RawOverlap> found;
  {
    nb::gil_scoped_release release;
    found = d.overlaps(m, cells);
  }
  nb::dict columns;
  const auto column = [&](const char* name, auto member) {
    std::vector<std::remove_cvref_t<decltype(found[0].*member)>> values;
    for (const RawOverlap& o : found) values.push_back(o.*member);
    columns[name] = to_numpy(std::move(values));
  };
  column("pre_gid", &RawOverlap::pre_gid), column("post_gid", &RawOverlap::post_gid);
  column("pre_section", &RawOverlap::pre_section), column("pre_segment", &RawOverlap::pre_segment);
  column("post_section", &RawOverlap::post_section), column("post_segment", &RawOverlap::post_segment);
  column("pre_begin", &RawOverlap::pre_begin), column("pre_end", &RawOverlap::pre_end);
  column("post_begin", &RawOverlap::post_begin), column("post_end", &RawOverlap::post_end);
  return columns;
}

}  // namespace

void bind_circuit(nb::module_& parent) {
  auto m = parent.def_submodule("circuit", "Touch detection.");
  m.def("exchanges", &mail_strategies);
  nb::class_<Morphologies>(m, "Morphologies")
      .def(nb::new_(&to_morphologies), "points"_a, "radii"_a, "point_begin"_a, "section_begin"_a, "section_parent"_a, "section_type"_a,
           "soma_centre"_a, "soma_radius"_a)
      .def("__len__", &Morphologies::size);
  nb::class_<TouchDetector>(m, "TouchDetector")
      .def(
          "__init__",
          [](TouchDetector* self, std::shared_ptr<comm::Communicator> comm, std::uint32_t pre_types, std::uint32_t post_types,
             bool autapses, double min_distance, double max_distance, double region_gap, std::int64_t seed, const std::string& mode,
             std::int64_t threads, const std::string& exchange) {
            const auto settings =
                to_settings(pre_types, post_types, autapses, {min_distance, max_distance, region_gap}, seed, mode, threads, exchange);
            nb::gil_scoped_release release;
            new (self) TouchDetector(std::move(comm), settings);
          },
          "comm"_a.none(), "pre_types"_a = 1 << axon, "post_types"_a = 1 << soma | 1 << basal | 1 << apical, "autapses"_a = false,
          "min_distance"_a = 5.0, "max_distance"_a = 7.0, "region_gap"_a = 5.0, "seed"_a = 1, "mode"_a = "tapered", "threads"_a = 1,
          "exchange"_a = "alltoallv")
      .def("index", &index, "morphologies"_a, "gid"_a, "morphology"_a, "position"_a, "rotation"_a, "spine_length"_a)
      .def("detect", &detect, "morphologies"_a, "gid"_a, "morphology"_a, "position"_a, "rotation"_a, "spine_length"_a)
      .def("overlaps", &overlaps, "morphologies"_a, "gid"_a, "morphology"_a, "position"_a, "rotation"_a, "spine_length"_a)
      .def("counters", &TouchDetector::counters);
}

}  // namespace npl::bindings
