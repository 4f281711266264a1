// SPDX-License-Identifier: Apache-2.0
/// What a model file says of its model: plain values and functions, without a type of the standard library that owns memory. A model that
/// was compiled by itself (loaded.hpp) gives the kernel the same.
#pragma once
#include <cstddef>
#include <span>

#include "nodes/model.hpp"

namespace npl::nodes {

/// The ports of a model, as their number may be chosen: its fields stand once for each port.
struct PortFacts {
  std::size_t parameters_at, state_at;  ///< place of the ports' fields among those of the model
  std::size_t count_at;                 ///< parameter of the model that says how many ports are in use
  std::span<const Field> parameters, state;
  std::size_t n_factors;  ///< derived values of a port
  /// [parameters] values of the first ports that differ from the default; empty: none.
  std::span<const std::span<const double>> first = {};
  /// @param own parameters of the model itself @param ports n of them, field by field @param derived out
  void (*derive)(const double* own, const double* ports, std::size_t n, double dt_ms, double* derived);
};

struct ModelFacts;
/// A shape that a model knows by name: "name[text]".
struct NamedShape {
  const char* text;
  ModelFacts (*facts)();
};

struct ModelFacts {
  const char *name, *doc;
  int receptors;
  SpikeInput input;
  std::span<const Field> parameters, state;
  std::size_t n_derived;
  bool integrated;  ///< by steps of an ODE solver: potentials have a sane range
  std::span<const SaneRange> sane;
  void (*derive)(const double* parameters, double dt_ms, double* derived);
  Forbidden (*check)(const double* parameters);  ///< or null
  void (*settle)(const double* parameters, double* state) = nullptr;
  void (*update)(const GroupView&) = nullptr;
  void (*walk)(const GroupView&) = nullptr;
  Step flush_interval = 1;
  bool in_pieces = false, repeats = false, precise = false;
  const HistoryInfo* history = nullptr;
  const ContinuousInfo* continuous = nullptr;
  int current_ports = 1;
  std::span<const char* const> receptor_names = {};  ///< none: those of `input`
  const PortFacts* ports = nullptr;
  std::span<const NamedShape> shapes = {};
  Face face = {};
};

/// The model as the kernel keeps it; one with ports has max_receptors of them.
ModelInfo info_of(const ModelFacts&);
/// The same with n ports.
ModelInfo info_with_ports(const ModelFacts&, std::size_t n);
/// What is made in another way.
inline ModelInfo info_of(ModelInfo info) { return info; }

}  // namespace npl::nodes
