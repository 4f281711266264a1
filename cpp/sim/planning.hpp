// SPDX-License-Identifier: Apache-2.0
/// Memory model: predicts bytes per rank by term, and the work of building, of a described network on any number of ranks. After Kunkel et
/// al. (2012) and Jordan et al. (2018, sections 2.5 and 3.4), but with the sizes of the actual data structures.
///
/// Random quantities enter by their expectation: populations are distributed evenly to ranks and slices, and a source has a row in a slice
/// with the probability that at least one of its edges ends there. All numbers are doubles, so that 10^11 neurons and 10^15 synapses fit.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "connect/node_set.hpp"
#include "connect/spread.hpp"
#include "nodes/model.hpp"
#include "sim/joining.hpp"
#include "tables/edge_table.hpp"

namespace npl::sim {

/// Summary of the described network. Its size does not depend on the numbers of nodes and synapses.
struct Outline {
  struct Nodes {
    double n;
    const nodes::ModelInfo* model;     ///< null: devices
    std::vector<double> uniform = {};  ///< see Candidate
    std::vector<char> varied = {};
    std::size_t group = no_group;  ///< the group it has; no_group: not yet known
  };
  struct Edges {
    std::vector<connect::Range> sources;
    connect::Spread spread;
    int table, negative_table = -1;
    double negative = 0;  ///< share of the edges that go to negative_table
    Delay lowest_delay, highest_delay;
    std::vector<double> delays;  ///< [highest - lowest + 1] share of the edges
    double copies = 1;           ///< number of independent projections like this one, with the same sources
  };
  struct Link {
    double devices, targets;  ///< numbers; equal with pairs
    bool pairs, current;
    double parts;  ///< parts per device and slice: one per delay and receptor
    double part_bytes, target_bytes;
  };
  struct Sampled {
    double values;    ///< per sample: nodes x quantities
    double interval;  ///< [steps]
  };
  std::vector<Nodes> nodes;
  std::vector<tables::TableSpec> tables;
  std::vector<std::uint8_t> drawn = {};  ///< [tables] 1: checkpoints need not store the synapses, which connect() draws again
  std::vector<Edges> edges;
  std::vector<Link> links;
  std::vector<double> spike_recorders;  ///< number of recorded nodes of each
  std::vector<Sampled> state_recorders;
  std::vector<double> binned_recorders;                 ///< width of the bins of each [steps]
  std::vector<std::pair<bool, bool>> weight_recorders;  ///< selected by source, by target
  bool by_rank = true;                                  ///< the distribution permits sorting rows by the ranks of their sources
  double resolution = 0.1;                              ///< [ms]
  Delay min_delay = 0, max_delay = 0;                   ///< [steps], 0: no connection

  /// True when spikes carry sub-step offsets.
  bool precise() const {
    return std::any_of(nodes.begin(), nodes.end(), [](const Nodes& p) { return p.model && p.model->precise; }) ||
           std::any_of(tables.begin(), tables.end(), [](const tables::TableSpec& t) { return t.keeps_offsets(); });
  }
};

/// Machine and options to plan for.
struct Machine {
  double ranks = 1;
  int threads = 1;          ///< per rank
  int slices = 0;           ///< per rank; 0: as a network would have
  bool few_slices = false;  ///< networks with little to do in a step have fewer slices than threads
  double scale = 1;         ///< factor of the sizes of all populations; in-degrees stay
  double rate = 0;          ///< mean firing rate of the neurons [spikes/s]
  double time = 0;          ///< time to be simulated [ms], for recordings
  std::int64_t block_size = 0;
  std::string strategy = "alltoallv", regime = "auto";
  bool keep_sources = true, halves = false;
};

/// Result of the memory model.
struct Forecast {
  /// Per rank by the terms of Network::memory, and "buffers"; "total": their sum; "construction": additional while building; "peak": both.
  std::map<std::string, double> bytes;
  /// Per rank: nodes, synapses, rows, plastic_rows, runs, slices, routes, partners, words (per interval)
  std::map<std::string, double> counts;
  /// Amount of work of building per rank: nodes, links (device targets), edges, sorted (edges), routes or (dense) rows.
  std::map<std::string, double> work;
  std::vector<std::string> limits;  ///< limits of this program that the network exceeds; empty: none
};

Forecast forecast(const Outline& outline, const Machine& machine);

}  // namespace npl::sim
