// SPDX-License-Identifier: Apache-2.0
/// Conversions between numpy arrays and the kernel's types.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "rng/formula.hpp"
#include "sim/network.hpp"

namespace npl::bindings {

namespace nb = nanobind;
using namespace nb::literals;

/// One-dimensional contiguous array argument.
template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Node set argument: rows (first gid, count, stride).
using Rows = nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> to_vector(const In<T>& a) {
  std::vector<T> values;
  reserve_pages(values, a.shape(0));
  values.assign(a.data(), a.data() + a.shape(0));
  return values;
}

/// Throws BadLength naming the argument unless length == wanted. Needed before the entries of a tuple or list are read, because nanobind
/// does not check indices.
inline void check_length(const char* name, std::size_t length, std::size_t wanted) {
  if (length != wanted) throw BadLength(name, length, wanted);
}

/// A numpy array that takes over the memory of the vector. @param shape default: one-dimensional
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (shape.empty()) shape = {owned->size()};
  return {owned->data(), shape.size(), shape.data(), owner};
}

/// Throws BadParameter for gids and strides out of range.
inline connect::NodeSet to_node_set(const Rows& rows) {
  std::vector<connect::Range> ranges;
  constexpr std::int64_t most = std::int64_t{1} << 40;  // more nodes cannot be created
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    const connect::Range r{rows(i, 0), rows(i, 1), rows(i, 2)};
    if (r.first < 1 || r.first > most) throw BadParameter("first gid of a range", static_cast<double>(r.first), "from 1 to 2^40");
    if (r.count < 0 || r.count > most) throw BadParameter("count of a range", static_cast<double>(r.count), "from 0 to 2^40");
    if (r.count > 1 && (r.stride < 1 || r.stride > most / r.count))
      throw BadParameter("stride of a range", static_cast<double>(r.stride), "positive, with gids up to 2^40");
    if (r.count > 0) ranges.push_back(r);
  }
  return connect::NodeSet(std::move(ranges));
}

/// A distribution from (kind, a, b, limit, min, max, values, shift, factor, bits). Throws BadLength, UnknownName; the kernel checks the
/// numbers.
inline rng::ValueSpec to_spec(const nb::tuple& t) {
  check_length("distribution (kind, a, b, limit, min, max, values, shift, factor, bits)", t.size(), 10);
  static const std::vector<std::string> kinds{"constant",  "array",       "uniform",     "normal",
                                              "lognormal", "exponential", "uniform_int", "formula"},
      limits{"none", "clip", "redraw"};
  const auto index = [](const std::vector<std::string>& names, const std::string& name, const char* what) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return i;
    throw UnknownName(what, name, names);
  };
  rng::ValueSpec s;
  s.kind = static_cast<rng::Kind>(index(kinds, nb::cast<std::string>(t[0]), "distribution"));
  s.a = nb::cast<double>(t[1]);
  s.b = nb::cast<double>(t[2]);
  s.limit = static_cast<rng::Limit>(index(limits, nb::cast<std::string>(t[3]), "limit"));
  s.min = nb::cast<double>(t[4]);
  s.max = nb::cast<double>(t[5]);
  s.shift = nb::cast<double>(t[7]);
  s.factor = nb::cast<double>(t[8]);
  if (s.kind == rng::Kind::formula)
    s.formula = nb::cast<std::shared_ptr<rng::Formula>>(t[6]);
  else if (!t[6].is_none())
    s.values = std::make_shared<const std::vector<double>>(to_vector(nb::cast<In<double>>(t[6])));
  s.bits = nb::cast<int>(t[9]);
  return s;
}

/// Arrays by name.
inline sim::Values to_values(const nb::dict& d) {
  sim::Values values;
  for (auto [name, value] : d) values.emplace_back(nb::cast<std::string>(name), to_vector(nb::cast<In<double>>(value)));
  return values;
}

/// Tuples (name, unit, default, documentation, bound) for Python.
inline nb::list field_list(const std::vector<Field>& fields) {
  static constexpr const char* bounds[] = {"any", "positive", "non_negative", "not_nan"};
  nb::list out;
  for (const Field& f : fields) {
    nb::list marks;
    for (std::size_t k = 0; k < std::size(mark_names); ++k)
      if (f.marks >> k & 1) marks.append(mark_names[k]);
    out.append(nb::make_tuple(f.name, f.unit, f.init, f.doc, bounds[static_cast<int>(f.bound)], nb::tuple(marks), f.nest_name, f.choices));
  }
  return out;
}

void bind_info(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_comm(nb::module_& m);
void bind_kernel(nb::module_& m);
void bind_circuit(nb::module_& m);
void bind_text(nb::module_& m);
void bind_reference(nb::module_& m);
void bind_space(nb::module_& m);

}  // namespace npl::bindings
