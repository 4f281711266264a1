// SPDX-License-Identifier: Apache-2.0
/// Kernel: creation of nodes, their parameters and state.
#include "kernel.hpp"

namespace npl::bindings {
namespace {

/// Draws of node values from tuples (name, distribution, stream). Throws BadLength, UnknownName.
std::vector<sim::NodeDraw> to_draws(const nb::list& given) {
  std::vector<sim::NodeDraw> draws;
  for (nb::handle h : given) {
    const auto t = nb::cast<nb::tuple>(h);
    check_length("draw (name, distribution, stream)", t.size(), 3);
    draws.push_back({nb::cast<std::string>(t[0]), to_spec(nb::cast<nb::tuple>(t[1])), nb::cast<std::uint64_t>(t[2])});
  }
  return draws;
}

/// Values and places of nodes.
void bind_values(nb::class_<Network>& kernel) {
  kernel
      .def(
          "get",
          [](const Network& n, const In<std::int64_t>& gids, const std::string& name) {
            const auto nodes = to_vector(gids);
            return to_numpy(unlocked([&] { return n.get(nodes, name); }));
          },
          "gids"_a, "name"_a)
      .def(
          "get_all",
          [](const Network& n, const In<std::int64_t>& gids, const std::vector<std::string>& names) {
            const auto nodes = to_vector(gids);
            return unlocked([&] {
              std::vector<std::vector<double>> columns;
              for (const std::string& name : names) columns.push_back(n.get(nodes, name));
              return columns;
            });
          },
          "gids"_a, "names"_a)
      .def(
          "get_vector", [](const Network& n, Gid gid, const std::string& name) { return to_numpy(n.get_vector(gid, name)); }, "gid"_a,
          "name"_a)
      .def("model_of", &Network::model_of, "gid"_a)
      .def(
          "freeze",
          [](Network& n, const In<std::int64_t>& gids, bool frozen) {
            const auto nodes = to_vector(gids);
            unlocked([&] { n.freeze(nodes, frozen); });
          },
          "gids"_a, "frozen"_a)
      .def("rank_of", &Network::rank_of, "gid"_a)
      .def(
          "ranks_of",
          [](const Network& n, const In<std::int64_t>& gids) {
            std::vector<std::int32_t> ranks;
            for (Gid gid : to_vector(gids)) ranks.push_back(n.rank_of(gid));
            return to_numpy(std::move(ranks));
          },
          "gids"_a);
}

}  // namespace

void bind_nodes(nb::class_<Network>& kernel) {
  kernel
      .def(
          "create",
          [](Network& n, const std::string& model, std::int64_t count, const nb::dict& params, const nb::list& draws,
             const std::string& area) {
            const auto values = to_values(params);
            const auto drawn = to_draws(draws);
            return unlocked([&] { return n.create(model, count, values, drawn, area); });
          },
          "model"_a, "n"_a, "params"_a = nb::dict(), "draws"_a = nb::list(), "area"_a = "")
      .def("reshape", &Network::reshape, "first_gid"_a, "model"_a)
      .def("undo_create", &Network::undo_create, "first_gid"_a)
      .def(
          "set",
          [](Network& n, const In<std::int64_t>& gids, const nb::dict& params, const nb::dict& vectors) {
            const auto nodes = to_vector(gids);
            const auto values = to_values(params), arrays = to_values(vectors);
            unlocked([&] { n.set(nodes, values, arrays); });
          },
          "gids"_a, "params"_a, "vectors"_a = nb::dict())
      .def(
          "set_each",
          [](Network& n, const Rows& nodes, const nb::dict& params, const nb::list& draws) {
            const auto set = to_node_set(nodes);
            const auto values = to_values(params);
            const auto drawn = to_draws(draws);
            unlocked([&] { n.set_each(set, values, drawn); });
          },
          "nodes"_a, "params"_a, "draws"_a)
      .def(
          "set_value",
          [](Network& n, const Rows& nodes, std::string name, double value) {
            const auto set = to_node_set(nodes);
            const sim::Values values{{std::move(name), {value}}};
            unlocked([&] { n.set_each(set, values, {}); });
          },
          "nodes"_a, "name"_a, "value"_a);
  bind_values(kernel);
}

}  // namespace npl::bindings
