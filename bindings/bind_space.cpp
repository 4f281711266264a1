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

space::Runs to_runs(const nb::dict& d, int dims) {
  space::Runs r{to_numbers(d["centre"]), to_numbers(d["start"]), to_numbers(d["length"]), to_numbers(d["image"]), {}};
  for (int k = 0; k < dims; ++k) r.base[k] = to_column(nb::cast<nb::list>(d["base"])[static_cast<std::size_t>(k)]);
  return r;
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

nb::tuple to_arrays(space::Edges edges) {
  return nb::make_tuple(to_numpy(std::move(edges.centre)), to_numpy(std::move(edges.other)), to_numpy(std::move(edges.key)));
}

rng::Key key_of(std::uint64_t seed, std::uint64_t stream) { return rng::Key::of(seed, rng::Purpose::connect, stream); }

/// What every call takes from Python.
struct Given {
  space::Sides sides;
  space::Runs runs;
  space::Program program;
  Given(const nb::dict& s, const nb::dict& r, const nb::list& code)
      : sides(to_sides(s)), runs(to_runs(r, sides.dims)), program(to_program(code)) {}
};

template <class Out>
Out pairwise(const Given& g, bool poisson, std::uint64_t seed, std::uint64_t stream, int threads) {
  nb::gil_scoped_release release;
  return space::pairwise<Out>(g.sides, g.runs, g.program, poisson ? space::Number::poisson : space::Number::bernoulli, key_of(seed, stream),
                              threads);
}

template <class Out>
Out choose(const Given& g, const In<std::int64_t>& degree, bool repeats, std::uint64_t seed, std::uint64_t stream, int threads,
           std::int64_t& short_of) {
  const space::ChoiceKeys keys{key_of(seed, stream), key_of(seed, stream + 1)};
  nb::gil_scoped_release release;
  return space::choose<Out>(g.sides, g.runs, g.program, {degree.data(), degree.shape(0)}, repeats, keys, threads, short_of);
}

using connect::EdgeList;

}  // namespace

void bind_space(nb::module_& m) {
  nb::class_<EdgeList>(m, "EdgeList").def(nb::init<>()).def("__len__", &EdgeList::size);
  m.def(
      "pairwise_in_space",
      [](const nb::dict& sides, const nb::dict& runs, const nb::list& code, bool poisson, std::uint64_t seed, std::uint64_t stream,
         int threads) { return to_arrays(pairwise<space::Edges>({sides, runs, code}, poisson, seed, stream, threads)); },
      "sides"_a, "runs"_a, "code"_a, "poisson"_a, "seed"_a, "stream"_a, "threads"_a);
  m.def(
      "pairwise_into",
      [](EdgeList& list, const nb::dict& sides, const nb::dict& runs, const nb::list& code, bool poisson, std::uint64_t seed,
         std::uint64_t stream,
         int threads) { list.join(pairwise<space::ListedEdges>({sides, runs, code}, poisson, seed, stream, threads).list); },
      "list"_a, "sides"_a, "runs"_a, "code"_a, "poisson"_a, "seed"_a, "stream"_a, "threads"_a);
  m.def(
      "choose_in_space",
      [](const nb::dict& sides, const nb::dict& runs, const nb::list& code, const In<std::int64_t>& degree, bool repeats,
         std::uint64_t seed, std::uint64_t stream, int threads) {
        std::int64_t short_of = -1;
        space::Edges found = choose<space::Edges>({sides, runs, code}, degree, repeats, seed, stream, threads, short_of);
        return nb::make_tuple(to_arrays(std::move(found)), short_of);
      },
      "sides"_a, "runs"_a, "code"_a, "degree"_a, "repeats"_a, "seed"_a, "stream"_a, "threads"_a);
  m.def(
      "choose_into",
      [](EdgeList& list, const nb::dict& sides, const nb::dict& runs, const nb::list& code, const In<std::int64_t>& degree, bool repeats,
         std::uint64_t seed, std::uint64_t stream, int threads) {
        std::int64_t short_of = -1;
        list.join(choose<space::ListedEdges>({sides, runs, code}, degree, repeats, seed, stream, threads, short_of).list);
        return short_of;
      },
      "list"_a, "sides"_a, "runs"_a, "code"_a, "degree"_a, "repeats"_a, "seed"_a, "stream"_a, "threads"_a);
}

}  // namespace npl::bindings
