// SPDX-License-Identifier: Apache-2.0
/// Distance-dependent connections, see cpp/connect/space; python/src/neuropil/space prepares the arguments.
#include <algorithm>
#include <cmath>

#include "connect/space/cover.hpp"
#include "connect/space/formula.hpp"
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

int to_dims(nb::handle value) {
  const int dims = nb::cast<int>(value);
  if (dims != 2 && dims != 3) throw BadParameter("dims", dims, "2 or 3");
  return dims;
}

int checked_threads(int threads) {
  if (threads < 1 || threads > 1024) throw BadParameter("threads", threads, "from 1 to 1024");
  return threads;
}

/// Converts a list of one array per dimension. Throws BadLength.
void to_columns(const char* name, nb::handle given, int dims, space::Column to[3]) {
  const auto list = nb::cast<nb::list>(given);
  check_length(name, list.size(), static_cast<std::size_t>(dims));
  for (int k = 0; k < dims; ++k) to[k] = to_column(list[static_cast<std::size_t>(k)]);
}

/// The two sides as views of Python's arrays, which the caller keeps alive during the call. Throws BadLength, BadParameter.
space::Sides to_sides(const nb::dict& d) {
  space::Sides s;
  s.dims = to_dims(d["dims"]);
  s.centre_is_target = nb::cast<bool>(d["centre_is_target"]);
  s.mask_around_centre = nb::cast<bool>(d["mask_around_centre"]);
  s.period = nb::cast<std::vector<double>>(d["period"]);
  if (!s.period.empty()) check_length("period", s.period.size(), static_cast<std::size_t>(s.dims));
  s.order = to_numbers(d["order"]);
  s.other_gid = to_numbers(d["other_gid"]);
  s.centre_gid = to_numbers(d["centre_gid"]);
  s.n_sources = nb::cast<std::int64_t>(d["n_sources"]);
  s.n_images = nb::cast<std::int64_t>(d["n_images"]);
  to_columns("folded", d["folded"], s.dims, s.folded);
  to_columns("other_at", d["other_at"], s.dims, s.other_at);
  to_columns("centre_at", d["centre_at"], s.dims, s.centre_at);
  return s;
}

/// Entry `name`: one number per dimension. Throws BadLength.
template <class T>
std::array<T, 3> to_three(const nb::dict& d, const char* name, int dims) {
  std::array<T, 3> found{};
  const auto given = nb::cast<std::vector<T>>(d[name]);
  check_length(name, given.size(), static_cast<std::size_t>(dims));
  std::copy(given.begin(), given.end(), found.begin());
  return found;
}

/// Checks a cell list, so that coordinates can be converted to cells: counts and widths > 0; `start` [cells + 1] does not decrease.
/// Throws BadParameter, BadLength.
void check_strips(const space::Strips& s) {
  std::size_t cells = 1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(s.dims); ++k) {
    if (s.counts[k] < 1 || s.counts[k] > INT32_MAX) throw BadParameter("counts", static_cast<double>(s.counts[k]), "from 1 to 2^31 - 1");
    if (!(s.width[k] > 0.0)) throw BadParameter("width", s.width[k], "> 0");
    if (s.wraps && !(s.period[k] > 0.0)) throw BadParameter("period", s.period[k], "> 0 where space wraps");
    if (!std::isfinite(s.low[k])) throw BadParameter("low", s.low[k], "a finite number");
    cells *= static_cast<std::size_t>(s.counts[k]);
    if (cells > s.start.size()) break;  // the length is wrong, and another factor might overflow
  }
  check_length("start", s.start.size(), cells + 1);
  if (s.start.front() != 0) throw BadParameter("start[0]", static_cast<double>(s.start.front()), "0");
  const auto falls = std::is_sorted_until(s.start.begin(), s.start.end());
  if (falls != s.start.end()) throw BadParameter("start", static_cast<double>(*falls), "not below the entry before");
}

space::Strips to_strips(const nb::dict& d) {
  const int dims = to_dims(d["dims"]);
  const space::Strips s{dims,
                        to_three<double>(d, "low", dims),
                        to_three<double>(d, "width", dims),
                        to_three<double>(d, "margin", dims),
                        to_three<std::int64_t>(d, "counts", dims),
                        nb::cast<bool>(d["wraps"]),
                        to_three<double>(d, "period", dims),
                        to_numbers(d["start"])};
  check_strips(s);
  return s;
}

space::Reach to_reach(const nb::dict& d, int dims) {
  const space::Reach r{to_three<double>(d, "low", dims), to_three<double>(d, "high", dims), to_three<double>(d, "middle", dims),
                       to_three<double>(d, "half", dims), to_three<std::int64_t>(d, "images", dims)};
  for (std::int64_t images : r.images)
    if (images < 0 || images > INT32_MAX) throw BadParameter("images", static_cast<double>(images), "from 0 to 2^31 - 1");
  return r;
}

/// Checks that the columns have equal lengths and finite values. Throws BadLength, BadParameter.
void check_coordinates(const char* name, const space::Column* at, int dims) {
  for (int k = 0; k < dims; ++k) {
    check_length(name, at[k].size(), at[0].size());
    for (double x : at[k])
      if (!std::isfinite(x)) throw BadParameter(name, x, "a finite number");
  }
}

/// Runs around centres at these coordinates: (centre, start, length, image, base of each dimension); see space::Runs.
nb::tuple runs_near(const nb::dict& strips, const nb::dict& reach, const nb::list& coordinates) {
  const space::Strips s = to_strips(strips);
  const space::Reach r = to_reach(reach, s.dims);
  space::Column at[3];
  to_columns("coordinates", coordinates, s.dims, at);
  check_coordinates("coordinates", at, s.dims);
  space::Runs found;
  space::Search search(s, r, at);
  for (std::size_t i = 0; i < at[0].size(); ++i) search.around(static_cast<std::int64_t>(i), found);
  nb::list base;
  for (int k = 0; k < s.dims; ++k) base.append(to_numpy(std::move(found.base[k])));
  return nb::make_tuple(to_numpy(std::move(found.centre)), to_numpy(std::move(found.start)), to_numpy(std::move(found.length)),
                        to_numpy(std::move(found.image)), base);
}

space::Program to_program(const nb::list& code, std::int32_t n_drawn = 0) {
  std::vector<space::Instruction> found;
  for (nb::handle entry : code) {
    const auto t = nb::cast<nb::tuple>(entry);
    check_length("instruction (operation, a, b, c, value)", t.size(), 5);
    found.push_back({static_cast<space::Op>(nb::cast<std::int32_t>(t[0])), nb::cast<std::int32_t>(t[1]), nb::cast<std::int32_t>(t[2]),
                     nb::cast<std::int32_t>(t[3]), nb::cast<double>(t[4])});
  }
  return space::Program(std::move(found), n_drawn);
}

/// Edges as columns [edges]: centre, other, key.
nb::tuple to_arrays(space::Edges edges) {
  const connect::EdgeList& list = edges.list;
  std::vector<std::int64_t> centre, other(list.source.begin(), list.source.end());
  centre.reserve(list.size());
  for (std::size_t i = 0; i < list.target.size(); ++i) centre.insert(centre.end(), list.begin[i + 1] - list.begin[i], list.target[i]);
  return nb::make_tuple(to_numpy(std::move(centre)), to_numpy(std::move(other)), to_numpy(std::move(edges.key)));
}

rng::Key key_of(std::uint64_t seed, std::uint64_t stream) { return rng::Key::of(seed, rng::Purpose::connect, stream); }
space::ChoiceKeys choice_keys(std::uint64_t seed, std::uint64_t stream) { return {key_of(seed, stream), key_of(seed, stream + 1)}; }

/// Checks that each column of a side has one entry per node. Columns of other_at may be empty if the formula does not read them; gids are
/// given on both sides or on none. Throws BadLength, BadParameter.
void check_sides(const space::Sides& s, const space::Program& program) {
  const std::size_t others = s.order.size(), centres = s.centre_at[0].size();
  const space::Input read = s.centre_is_target ? space::Input::source : space::Input::target;
  for (int k = 0; k < s.dims; ++k) {
    check_length("folded", s.folded[k].size(), others);
    if (!s.other_at[k].empty() || program.reads(read, k)) check_length("other_at", s.other_at[k].size(), others);
  }
  check_coordinates("centre_at", s.centre_at, s.dims);
  if (s.other_gid.empty() && s.centre_gid.empty()) return;
  check_length("other_gid", s.other_gid.size(), others);
  check_length("centre_gid", s.centre_gid.size(), centres);
}

/// Checks that the cell list holds the others. Throws BadParameter.
void check_nearby(const space::Nearby& n, const space::Sides& s) {
  if (n.strips.dims != s.dims) throw BadParameter("dims", n.strips.dims, "that of the sides");
  if (n.strips.start.back() != static_cast<std::int64_t>(s.order.size()))
    throw BadParameter("start", static_cast<double>(n.strips.start.back()), "the number of the others at its end");
}

/// Both sides and where to look for the others, converted and checked. Throws BadLength, BadParameter.
space::Candidates to_candidates(const nb::dict& sides, const nb::dict& nearby, const nb::list& code) {
  const space::Sides s = to_sides(sides);
  const space::Nearby n{to_strips(nb::cast<nb::dict>(nearby["strips"])), to_reach(nb::cast<nb::dict>(nearby["reach"]), s.dims)};
  const space::Program program = to_program(code);
  check_sides(s, program);
  check_nearby(n, s);
  space::Candidates made{s, n, program};
  made.cells = space::cell_sides(made);
  return made;
}

/// Random numbers of a call, and how many threads may help.
struct Drawing {
  std::uint64_t seed, stream;
  int threads;
};

/// Numbers of centres, ascending. Throws BadParameter for centres that do not exist.
space::Numbers to_centres(const space::Candidates& c, const In<std::int64_t>& given) {
  const space::Numbers centres{given.data(), given.shape(0)};
  for (const std::int64_t centre : centres)
    if (centre < 0 || centre >= static_cast<std::int64_t>(c.sides.centre_at[0].size()))
      throw BadParameter("centres", static_cast<double>(centre), "the number of a centre");
  return centres;
}

/// Draws the edges of pairs, as often as it is asked.
struct Pairs {
  const space::Candidates& candidates;
  const bool poisson;
  const space::Around around;
};

space::Edges drawn(const Pairs& p, bool keyed, const Drawing& d) {
  checked_threads(d.threads);
  nb::gil_scoped_release release;
  return space::pairwise(p.candidates, p.around, p.poisson ? space::Number::poisson : space::Number::bernoulli, key_of(d.seed, d.stream),
                         keyed, d.threads);
}

space::Choices choose(const space::Candidates& c, const In<std::int64_t>& given, const In<std::int64_t>& degree, bool repeats, bool keyed,
                      const Drawing& d) {
  const space::Numbers centres = to_centres(c, given);
  checked_threads(d.threads);
  check_length("degree", degree.shape(0), c.sides.centre_at[0].size());
  nb::gil_scoped_release release;
  return space::choose(c, centres, {degree.data(), degree.shape(0)}, repeats, choice_keys(d.seed, d.stream), keyed, d.threads);
}

/// Positions of sources and targets, copied: dims, period, source_at, target_at (one array per dimension). Throws BadLength, BadParameter.
std::shared_ptr<space::Places> to_places(int given, std::vector<double> period, const nb::list& source_at, const nb::list& target_at) {
  auto places = std::make_shared<space::Places>();
  places->dims = to_dims(nb::int_(given));
  if (!period.empty()) check_length("period", period.size(), static_cast<std::size_t>(places->dims));
  for (const double p : period)
    if (!(p > 0.0)) throw BadParameter("period", p, "> 0");
  places->period = std::move(period);
  space::Column source[3], target[3];
  to_columns("source_at", source_at, places->dims, source);
  to_columns("target_at", target_at, places->dims, target);
  check_coordinates("source_at", source, places->dims);
  check_coordinates("target_at", target, places->dims);
  for (std::size_t k = 0; k < static_cast<std::size_t>(places->dims); ++k)
    places->source[k].assign(source[k].begin(), source[k].end()), places->target[k].assign(target[k].begin(), target[k].end());
  return places;
}

/// A formula of positions (null: without) and of numbers (distribution, seed, stream) that are drawn for each edge. Throws BadParameter for
/// programs that read what positions do not have.
std::shared_ptr<rng::Formula> to_formula(const nb::list& code, std::shared_ptr<space::Places> places, const nb::list& drawn) {
  std::vector<space::Draw> draws;
  for (nb::handle entry : drawn) {
    const auto t = nb::cast<nb::tuple>(entry);
    check_length("draw (distribution, seed, stream)", t.size(), 3);
    draws.emplace_back(to_spec(nb::cast<nb::tuple>(t[0])), nb::cast<std::uint64_t>(t[1]), nb::cast<std::uint64_t>(t[2]));
  }
  space::Program program = to_program(code, static_cast<std::int32_t>(draws.size()));
  for (int k = 0; k < 3; ++k) {
    if (program.reads(space::Input::in_mask, k)) throw BadParameter("program", "a place in a mask", "without one: there is no mask");
    for (const space::Input what : {space::Input::move, space::Input::source, space::Input::target})
      if (k >= (places ? places->dims : 0) && program.reads(what, k))
        throw BadParameter("program", "coordinate 2", "one of those that positions have");
  }
  return std::make_shared<space::ProgramFormula>(std::move(program), std::move(places), std::move(draws));
}

/// Values for edges from source[i] to target[i], indices into the positions, with key[i].
nb::ndarray<nb::numpy, double> values_of(const rng::Formula& formula, const In<std::int64_t>& source, const In<std::int64_t>& target,
                                         const In<std::int64_t>& key, int threads) {
  check_length("target", target.shape(0), source.shape(0));
  check_length("key", key.shape(0), source.shape(0));
  auto values = zeros_in_pages<double>(source.shape(0));
  const int n_threads = checked_threads(threads);
  {
    const nb::gil_scoped_release release;
    const auto* keys = reinterpret_cast<const std::uint64_t*>(key.data());
    space::evaluate(formula, {{source.data(), source.shape(0)}, {target.data(), target.shape(0)}, {keys, key.shape(0)}}, n_threads,
                    values.data());
  }
  return to_numpy(std::move(values));
}

using connect::EdgeList;

}  // namespace

void bind_space(nb::module_& m) {
  nb::class_<EdgeList>(m, "EdgeList")
      .def(nb::init<>())
      .def("__len__", &EdgeList::size)
      .def_static(
          "ascending",
          [](const In<std::int64_t>& sources, const In<std::int64_t>& targets) {
            check_length("targets", targets.shape(0), sources.shape(0));
            const nb::gil_scoped_release release;
            return connect::ascending_edges({sources.data(), sources.shape(0)}, {targets.data(), targets.shape(0)});
          },
          "sources"_a, "targets"_a);
  nb::class_<space::Places>(m, "Places").def(nb::new_(&to_places), "dims"_a, "period"_a, "source_at"_a, "target_at"_a);
  nb::class_<rng::Formula>(m, "Formula")
      .def(nb::new_(&to_formula), "code"_a, "places"_a.none(), "draws"_a)
      .def("values", &values_of, "source"_a, "target"_a, "key"_a, "threads"_a);
  m.def("runs_near", &runs_near, "strips"_a, "reach"_a, "coordinates"_a);
  // Views of the arrays in `sides` and `nearby`, which live as long; argument 1 of keep_alive is the class.
  nb::class_<space::Candidates>(m, "Candidates")
      .def(nb::new_(&to_candidates), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), "sides"_a, "nearby"_a, "code"_a)
      .def_prop_ro("skips", [](const space::Candidates& c) { return c.cells && c.cells->skips; })
      .def(
          "pairs",
          [](const space::Candidates& c, bool poisson, const In<std::int64_t>& centres) {
            return Pairs{c, poisson, space::around(c, to_centres(c, centres))};
          },
          nb::keep_alive<0, 1>(), "poisson"_a, "centres"_a)
      .def(
          "choices",
          [](const space::Candidates& c, const In<std::int64_t>& degree, bool repeats, const In<std::int64_t>& centres, std::uint64_t seed,
             std::uint64_t stream, int threads) {
            space::Choices found = choose(c, centres, degree, repeats, true, {seed, stream, threads});
            return nb::make_tuple(to_arrays(std::move(found.edges)), found.short_of);
          },
          "degree"_a, "repeats"_a, "centres"_a, "seed"_a, "stream"_a, "threads"_a)
      .def(
          "list_choices",
          [](const space::Candidates& c, const In<std::int64_t>& degree, bool repeats, const In<std::int64_t>& centres, std::uint64_t seed,
             std::uint64_t stream, int threads) {
            space::Choices found = choose(c, centres, degree, repeats, false, {seed, stream, threads});
            return nb::make_tuple(std::move(found.edges.list), found.short_of);
          },
          "degree"_a, "repeats"_a, "centres"_a, "seed"_a, "stream"_a, "threads"_a);
  nb::class_<Pairs>(m, "Pairs")
      .def(
          "edges",
          [](const Pairs& p, std::uint64_t seed, std::uint64_t stream, int threads) {
            return to_arrays(drawn(p, true, {seed, stream, threads}));
          },
          "seed"_a, "stream"_a, "threads"_a)
      .def(
          "list",
          [](const Pairs& p, std::uint64_t seed, std::uint64_t stream, int threads) {
            return drawn(p, false, {seed, stream, threads}).list;
          },
          "seed"_a, "stream"_a, "threads"_a);
}

}  // namespace npl::bindings
