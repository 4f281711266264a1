// SPDX-License-Identifier: Apache-2.0
/// Shared parts of the bindings of class Kernel (sim::Network). Each bind_*.cpp binds one component of the network.
#pragma once
#include <algorithm>
#include <set>

#include "convert.hpp"

namespace npl::bindings {

using sim::Network;

/// A checked name of a regime. Throws UnknownName.
std::string to_regime(const nb::handle& value);

/// Returns f(), called without the GIL. Required for collective calls: other ranks may be threads of this interpreter.
template <class F>
auto unlocked(F&& f) {
  nb::gil_scoped_release release;
  return f();
}

/// Keyword arguments of a call. Errors are TypeErrors that name the argument.
class Arguments {
 public:
  explicit Arguments(const nb::dict& given) : given_(given) {}

  /// A required argument.
  template <class T>
  T get(const char* name) {
    if (!given_.contains(name)) throw nb::type_error(("argument " + std::string(name) + " is missing").c_str());
    return cast<T>(name);
  }
  /// An optional argument with a default.
  template <class T>
  T get(const char* name, T otherwise) {
    known_.insert(name);
    return given_.contains(name) ? cast<T>(name) : otherwise;
  }
  /// An optional argument without default; None counts as absent.
  template <class T>
  std::optional<T> maybe(const char* name) {
    known_.insert(name);
    if (!given_.contains(name) || nb::object(given_[name]).is_none()) return std::nullopt;
    return cast<T>(name);
  }
  /// Throws TypeError for an argument that no get() or maybe() has read.
  void check_all_known() const {
    for (auto [key, value] : given_)
      if (const auto name = nb::cast<std::string>(key); !known_.contains(name))
        throw nb::type_error(("there is no argument " + name).c_str());
  }

 private:
  template <class T>
  T cast(const char* name) {
    known_.insert(name);
    try {
      return nb::cast<T>(nb::object(given_[name]));
    } catch (const nb::cast_error&) {
      throw nb::type_error(("argument " + std::string(name) + " has a wrong type").c_str());
    }
  }

  const nb::dict& given_;
  std::set<std::string> known_;
};

/// Optional set of nodes: get() is null for None.
struct Chosen {
  explicit Chosen(const std::optional<Rows>& rows) : some(rows.has_value()) {
    if (rows) nodes = to_node_set(*rows);
  }
  const connect::NodeSet* get() const { return some ? &nodes : nullptr; }
  connect::NodeSet nodes;
  bool some;
};

void bind_ranks(nb::module_& m);
void bind_nodes(nb::class_<Network>& kernel);
void bind_connect(nb::module_& m, nb::class_<Network>& kernel);
void bind_connections(nb::module_& m, nb::class_<Network>& kernel);
void bind_record(nb::class_<Network>& kernel);
void bind_growth(nb::class_<Network>& kernel);
void bind_run(nb::class_<Network>& kernel);
void bind_checkpoint(nb::module_& m, nb::class_<Network>& kernel);
/// Settings of a network by their names. Throws TypeError, UnknownName, BadParameter.
sim::Settings to_settings(const nb::dict& given);

}  // namespace npl::bindings
