// SPDX-License-Identifier: Apache-2.0
/// What the bindings of class Kernel (sim::Network with arrays) share. Each file binds what one component of the network does.
#pragma once
#include <algorithm>
#include <set>

#include "convert.hpp"

namespace npl::bindings {

using sim::Network;

/// The name of a regime. Throws UnknownName.
std::string to_regime(const nb::handle& value);

/// Other ranks may be threads of this interpreter: whoever waits for them must not hold the GIL.
template <class F>
auto unlocked(F&& f) {
  nb::gil_scoped_release release;
  return f();
}

/// Named arguments of a call. Errors are TypeErrors that name the argument.
class Arguments {
 public:
  explicit Arguments(const nb::dict& given) : given_(given) {}

  /// One that must be there.
  template <class T>
  T get(const char* name) {
    if (!given_.contains(name)) throw nb::type_error(("argument " + std::string(name) + " is missing").c_str());
    return cast<T>(name);
  }
  /// One that may be left out.
  template <class T>
  T get(const char* name, T otherwise) {
    known_.insert(name);
    return given_.contains(name) ? cast<T>(name) : otherwise;
  }
  /// None, or left out: no value.
  template <class T>
  std::optional<T> maybe(const char* name) {
    known_.insert(name);
    if (!given_.contains(name) || nb::object(given_[name]).is_none()) return std::nullopt;
    return cast<T>(name);
  }
  /// Throws TypeError when there are others than those that were asked for.
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

/// Nodes of a choice, and whether there is one.
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
void bind_connect(nb::class_<Network>& kernel);
void bind_connections(nb::class_<Network>& kernel);
void bind_record(nb::class_<Network>& kernel);
void bind_run(nb::class_<Network>& kernel);
/// Settings of a network by their names, checked: the network starts its threads at once.
sim::Settings to_settings(const nb::dict& given);

}  // namespace npl::bindings
