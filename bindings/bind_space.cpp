// SPDX-License-Identifier: Apache-2.0
/// Connections in space, see cpp/connect/space; python/src/neuropil/nest/spatial makes the arguments.
#include "connect/space/pairs.hpp"
#include "convert.hpp"

namespace npl::bindings {
namespace {

namespace space = connect::space;

space::Column to_column(nb::handle array) {
  const auto a = nb::cast<In<double>>(array);
  return {a.data(), a.shape(0)};
}

space::Numbers to_numbers(nb::handle array) {
  const auto a = nb::cast<In<std::int64_t>>(array);
  return {a.data(), a.shape(0)};
}

/// The arrays stay those of Python, which holds them during the call.
space::Sides to_sides(const nb::dict& d) {
  space::Sides s;
  s.dims = nb::cast<int>(d["dims"]);
  s.centre_is_target = nb::cast<bool>(d["centre_is_target"]);
  s.mask_around_centre = nb::cast<bool>(d["mask_around_centre"]);
  s.period = nb::cast<std::vector<double>>(d["period"]);
  s.order = to_numbers(d["order"]);
  s.other_gid = to_numbers(d["other_gid"]);
  s.centre_gid = to_numbers(d["centre_gid"]);
  s.n_sources = nb::cast<std::int64_t>(d["n_sources"]);
  s.n_images = nb::cast<std::int64_t>(d["n_images"]);
  for (int k = 0; k < s.dims; ++k) {
    s.folded[k] = to_column(nb::cast<nb::list>(d["folded"])[static_cast<std::size_t>(k)]);
    s.other_at[k] = to_column(nb::cast<nb::list>(d["other_at"])[static_cast<std::size_t>(k)]);
    s.centre_at[k] = to_column(nb::cast<nb::list>(d["centre_at"])[static_cast<std::size_t>(k)]);
  }
  return s;
}

template <class T>
std::array<T, 3> to_three(nb::handle list) {
  std::array<T, 3> found{};
  const auto given = nb::cast<std::vector<T>>(list);
  std::copy_n(given.begin(), std::min<std::size_t>(given.size(), 3), found.begin());
  return found;
}

space::Strips to_strips(const nb::dict& d) {
  return {nb::cast<int>(d["dims"]),
          to_three<double>(d["low"]),
          to_three<double>(d["width"]),
          to_three<double>(d["margin"]),
          to_three<std::int64_t>(d["counts"]),
          nb::cast<bool>(d["wraps"]),
          to_three<double>(d["period"]),
          to_numbers(d["start"])};
}

space::Reach to_reach(const nb::dict& d) {
  return {to_three<double>(d["low"]), to_three<double>(d["high"]), to_three<double>(d["middle"]), to_three<double>(d["half"]),
          to_three<std::int64_t>(d["images"])};
}

/// The runs around centres at these coordinates: (centre, start, length, image, base of each dimension).
nb::tuple runs_near(const nb::dict& strips, const nb::dict& reach, const nb::list& coordinates) {
  const space::Strips s = to_strips(strips);
  const space::Reach r = to_reach(reach);
  space::Column at[3];
  for (int k = 0; k < s.dims; ++k) at[k] = to_column(coordinates[static_cast<std::size_t>(k)]);
  space::Runs found;
  space::Search search(s, r, at);
  for (std::size_t i = 0; i < at[0].size(); ++i) search.around(static_cast<std::int64_t>(i), found);
  nb::list base;
  for (int k = 0; k < s.dims; ++k) base.append(to_numpy(std::move(found.base[k])));
  return nb::make_tuple(to_numpy(std::move(found.centre)), to_numpy(std::move(found.start)), to_numpy(std::move(found.length)),
                        to_numpy(std::move(found.image)), base);
}

space::Program to_program(const nb::list& code) {
  std::vector<space::Instruction> found;
  for (nb::handle entry : code) {
    const auto t = nb::cast<nb::tuple>(entry);
    found.push_back({static_cast<space::Op>(nb::cast<std::int32_t>(t[0])), nb::cast<std::int32_t>(t[1]), nb::cast<std::int32_t>(t[2]),
                     nb::cast<std::int32_t>(t[3]), nb::cast<double>(t[4])});
  }
  return space::Program(std::move(found));
}

/// Columns of edges: centre, other, key.
nb::tuple to_arrays(space::Edges edges) {
  const connect::EdgeList& list = edges.list;
  std::vector<std::int64_t> centre, other(list.source.begin(), list.source.end());
  centre.reserve(list.size());
  for (std::size_t i = 0; i < list.target.size(); ++i) centre.insert(centre.end(), list.begin[i + 1] - list.begin[i], list.target[i]);
  return nb::make_tuple(to_numpy(std::move(centre)), to_numpy(std::move(other)), to_numpy(std::move(edges.key)));
}

rng::Key key_of(std::uint64_t seed, std::uint64_t stream) { return rng::Key::of(seed, rng::Purpose::connect, stream); }

/// What every call takes from Python.
struct Given {
  space::Sides sides;
  space::Nearby nearby;
  space::Program program;
  Given(const nb::dict& s, const nb::dict& n, const nb::list& code)
      : sides(to_sides(s)),
        nearby{to_strips(nb::cast<nb::dict>(n["strips"])), to_reach(nb::cast<nb::dict>(n["reach"])), to_numbers(n["centres"])},
        program(to_program(code)) {}
};

space::Edges pairwise(const Given& g, bool poisson, std::uint64_t seed, std::uint64_t stream, bool keyed, int threads) {
  nb::gil_scoped_release release;
  const space::Number number = poisson ? space::Number::poisson : space::Number::bernoulli;
  return space::pairwise(g.sides, g.nearby, g.program, number, key_of(seed, stream), keyed, threads);
}

space::Edges choose(const Given& g, const In<std::int64_t>& degree, bool repeats, std::uint64_t seed, std::uint64_t stream, bool keyed,
                    int threads, std::int64_t& short_of) {
  const space::ChoiceKeys keys{key_of(seed, stream), key_of(seed, stream + 1)};
  nb::gil_scoped_release release;
  return space::choose(g.sides, g.nearby, g.program, {degree.data(), degree.shape(0)}, repeats, keys, keyed, threads, short_of);
}

using connect::EdgeList;

}  // namespace

void bind_space(nb::module_& m) {
  nb::class_<EdgeList>(m, "EdgeList").def(nb::init<>()).def("__len__", &EdgeList::size);
  m.def("runs_near", &runs_near, "strips"_a, "reach"_a, "coordinates"_a);
  m.def(
      "pairwise_in_space",
      [](const nb::dict& sides, const nb::dict& nearby, const nb::list& code, bool poisson, std::uint64_t seed, std::uint64_t stream,
         int threads) { return to_arrays(pairwise({sides, nearby, code}, poisson, seed, stream, true, threads)); },
      "sides"_a, "nearby"_a, "code"_a, "poisson"_a, "seed"_a, "stream"_a, "threads"_a);
  m.def(
      "pairwise_into",
      [](EdgeList& list, const nb::dict& sides, const nb::dict& nearby, const nb::list& code, bool poisson, std::uint64_t seed,
         std::uint64_t stream, int threads) { list = pairwise({sides, nearby, code}, poisson, seed, stream, false, threads).list; },
      "list"_a, "sides"_a, "nearby"_a, "code"_a, "poisson"_a, "seed"_a, "stream"_a, "threads"_a);
  m.def(
      "choose_in_space",
      [](const nb::dict& sides, const nb::dict& nearby, const nb::list& code, const In<std::int64_t>& degree, bool repeats,
         std::uint64_t seed, std::uint64_t stream, int threads) {
        std::int64_t short_of = -1;
        space::Edges found = choose({sides, nearby, code}, degree, repeats, seed, stream, true, threads, short_of);
        return nb::make_tuple(to_arrays(std::move(found)), short_of);
      },
      "sides"_a, "nearby"_a, "code"_a, "degree"_a, "repeats"_a, "seed"_a, "stream"_a, "threads"_a);
  m.def(
      "choose_into",
      [](EdgeList& list, const nb::dict& sides, const nb::dict& nearby, const nb::list& code, const In<std::int64_t>& degree, bool repeats,
         std::uint64_t seed, std::uint64_t stream, int threads) {
        std::int64_t short_of = -1;
        list = choose({sides, nearby, code}, degree, repeats, seed, stream, false, threads, short_of).list;
        return short_of;
      },
      "list"_a, "sides"_a, "nearby"_a, "code"_a, "degree"_a, "repeats"_a, "seed"_a, "stream"_a, "threads"_a);
}

}  // namespace npl::bindings
