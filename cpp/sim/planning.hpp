// SPDX-License-Identifier: Apache-2.0
/// The memory model: bytes per rank by term, and the work of building, of a network that nobody has built, on any number of ranks. After
/// Kunkel et al. (2012) and Jordan et al. (2018, sections 2.5 and 3.4), but with the sizes of the structures themselves.
///
/// What is random comes in by its expectation: populations are dealt evenly to ranks and slices, and a source has a row in a slice with the
/// probability that some of its edges end there. All numbers are doubles: 10^11 neurons and 10^15 synapses are as good as ten.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "connect/node_set.hpp"
#include "connect/spread.hpp"
#include "nodes/model.hpp"
#include "tables/edge_table.hpp"

namespace npl::sim {

/// What was described. Nothing here grows with nodes or synapses.
struct Outline {
  struct Nodes {
    double n;
    const nodes::ModelInfo* model;  ///< null: devices
    std::size_t columns;            ///< parameters that are not one value for all
  };
  struct Edges {
    std::vector<connect::Range> sources;
    connect::Spread spread;
    int table, negative_table = -1;
    double negative = 0;  ///< share of the edges that go to negative_table
    Delay lowest_delay, highest_delay;
    std::vector<double> delays;  ///< [highest - lowest + 1] share of the edges
  };
  struct Link {
    double devices, targets;  ///< pairs: as many of each
    bool pairs, current;
    double parts;  ///< of a device in a slice: one per delay and receptor
    double part_bytes, target_bytes;
  };
  struct Sampled {
    double values;    ///< per sample: nodes x quantities
    double interval;  ///< [steps]
  };
  std::vector<Nodes> nodes;
  std::vector<tables::TableSpec> tables;
  std::vector<Edges> edges;
  std::vector<Link> links;
  std::vector<double> spike_recorders;  ///< nodes recorded
  std::vector<Sampled> state_recorders;
  std::vector<std::pair<bool, bool>> weight_recorders;  ///< are sources, targets chosen?
  bool by_rank = true;                 ///< the distribution deals nodes such that rows can be sorted by the ranks of their sources
  double resolution = 0.1;             ///< [ms]
  Delay min_delay = 0, max_delay = 0;  ///< [steps], 0: no connection

  /// Do spikes carry offsets?
  bool precise() const {
    return std::any_of(nodes.begin(), nodes.end(), [](const Nodes& p) { return p.model && p.model->precise; }) ||
           std::any_of(tables.begin(), tables.end(), [](const tables::TableSpec& t) { return t.keeps_offsets(); });
  }
  std::size_t spike_bytes() const { return sizeof(Spike) + (precise() ? sizeof(double) : 0); }
};

/// Where and how it is to be built and run.
struct Machine {
  double ranks = 1;
  int threads = 1;   ///< per rank
  int slices = 0;    ///< per rank; 0: as many as there are threads, or more when nodes are too many for them
  double scale = 1;  ///< all populations are so many times as large, with as many edges per target
  double rate = 0;   ///< of every neuron [spikes/s]
  double time = 0;   ///< that will be simulated [ms]: recordings grow with it
  std::int64_t block_size = 0;
  std::string strategy = "alltoallv", regime = "auto";
  bool keep_sources = true, halves = false;
};

struct Forecast {
  std::map<std::string, double>
      bytes;  ///< per rank by the terms of Network::memory, and "buffers"; "total": their sum; "construction": besides, while building; "peak"
  std::map<std::string, double>
      counts;  ///< per rank: nodes, synapses, rows, plastic_rows, runs, slices, routes, partners, words (per interval)
  std::map<std::string, double>
      work;  ///< per rank, what building takes time for: nodes, links (device targets), edges, sorted (edges), routes or (dense) rows
  std::vector<std::string> limits;  ///< what this version of the program cannot hold, if anything
};

Forecast forecast(const Outline& outline, const Machine& machine);

}  // namespace npl::sim
