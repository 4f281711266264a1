// SPDX-License-Identifier: Apache-2.0
/// Settings of a network, and types of the arguments of its calls.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "rng/distribution.hpp"
#include "sim/router.hpp"
#include "tables/edge_table.hpp"

namespace npl::sim {

/// Called about every 50 ms by the caller's thread; returns false to stop at the end of the interval. done/total in edges or steps.
using Poll = std::function<bool(const char* phase, std::uint64_t done, std::uint64_t total)>;
inline constexpr double poll_every = 0.05;  ///< [s]

struct Settings {
  double resolution = 0.1;  ///< [ms]
  std::uint64_t seed = 1;
  int threads = 1;
  int slices = 0;                                 ///< minimal number of slices of this rank; 0: one per thread, see few_slices
  std::int64_t block_size = 0;                    ///< maximal number of nodes per slice; 0: as many as fit
  std::optional<tables::Layout> layout = {};      ///< of all synapse tables, for tests; default: chosen per table
  std::optional<bool> sorted = {};                ///< construction method of all tables, for tests; default: chosen per table
  std::shared_ptr<comm::Communicator> comm = {};  ///< null: a single rank
  std::string distribution = "round_robin";
  std::vector<std::int32_t> rank_map = {};                 ///< for the distribution by_map
  std::vector<std::pair<std::string, double>> areas = {};  ///< for the distribution by_area: names, and their shares of the ranks
  ExchangeSettings exchange = {};
  bool count_intervals = false;   ///< record times and traffic of every interval
  bool keep_sources = true;       ///< false: drop the gids of sources on other ranks after the first run (directed exchange only);
                                  ///< queries and later connections are then refused
  bool force = false;             ///< do not refuse networks that exceed the memory of the machine
  double memory_limit = 0;        ///< upper bound of the bytes of the network on this rank; 0: memory of the machine
  bool strict_weights = true;     ///< refuse plastic weights beyond Wmax; false: clipped when first potentiated, as in NEST
  bool sources_on_grid = false;   ///< plasticity onto neurons that spike between grid points takes spikes of sources at the ends of their
                                  ///< steps, as in NEST; false: at their exact times
  bool adaptive_threads = false;  ///< as many threads take part as make it fastest; false: all, for tests
  bool few_slices = false;  ///< a network with little to do in a step has fewer slices than threads, unless `slices` or `block_size` are
                            ///< given; false: for tests
  int counting = 0;         ///< > 0: only plan for this number of ranks: calls are checked, nothing is built

  bool may_have_few_slices() const { return few_slices && slices == 0 && block_size == 0; }
};

/// Named values of a call: one value for all nodes or one per node.
using Values = std::vector<std::pair<std::string, std::vector<double>>>;

/// Drawn values of nodes. The value of a node is a function of (seed, stream, gid): every rank draws for its own nodes only.
struct NodeDraw {
  std::string name;
  rng::ValueSpec spec;
  std::uint64_t stream;
};

}  // namespace npl::sim
