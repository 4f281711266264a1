// SPDX-License-Identifier: Apache-2.0
/// Nodes of a network: populations, how they are dealt to ranks and slices, values of their parameters and state.
/// Every rank makes the same calls. set, set_each, get, freeze, and create with draws are collective: they throw RankError on all ranks
/// when one failed or gave other arguments. A call that throws has changed nothing.
#pragma once
#include <algorithm>
#include <set>

#include "connect/node_set.hpp"
#include "devices/device.hpp"
#include "sim/context.hpp"

namespace npl::sim {

/// Nodes created by one call.
struct Population {
  Gid first;
  std::int64_t n;
  std::size_t block = 0;                                  ///< index among the blocks of Residents
  const nodes::ModelInfo* model = nullptr;                ///< neurons
  std::vector<std::unique_ptr<devices::Device>> devices;  ///< or devices, one per node
  std::size_t group = 0;                                  ///< neurons: index of the group in every slice
  bool connected = false;                                 ///< or recorded; undo_create then keeps it
  std::vector<double> uniform = {};                       ///< neurons: value of each parameter that is the same for all
  std::vector<char> varied = {};                          ///< neurons: 1 for parameters that differ between nodes
  std::size_t columns() const { return static_cast<std::size_t>(std::count(varied.begin(), varied.end(), 1)); }
};

class Populations : Part {
 public:
  explicit Populations(Context& context);

  /// Creates n nodes of a neuron model or a device; returns the first gid. Collective with draws, since only the owner of a node sees its
  /// drawn values. Time O(nodes of this rank), and O(n) for devices and for values of length n.
  /// Throws UnknownName, BadParameter, BadLength, TooLarge.
  /// @param values [1] or [n] each, in the units of the fields
  /// @param area with the distribution by_area: the area whose ranks get the nodes; "": all ranks
  Gid create(const std::string& model, std::int64_t n, const Values& values, const std::vector<NodeDraw>& draws, const std::string& area);
  /// Removes the nodes of the last create, if nothing is connected to them or records them and nothing was built since. Not collective.
  void undo_create(Gid first);
  /// Sets values of neurons and devices, one for all gids or one each. Collective.
  void set(const std::vector<Gid>& gids, const Values& values);
  /// Sets values of neurons, one value for all (length 1) or drawn ones. Collective. Time O(nodes of this rank).
  void set_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws);
  /// Values of a parameter or state variable, in the order of gids, in the unit of the field. Collective.
  std::vector<double> get(const std::vector<Gid>& gids, const std::string& name) const;
  /// Sets several array parameters of one device at once (times and values must fit together). Not collective; all ranks give the same.
  void set_vectors(Gid device, const Values& values);
  /// Throws UnknownName for what is no array parameter of the node. Not collective.
  std::vector<double> get_vector(Gid device, const std::string& name) const;
  /// Frozen nodes keep their state and send nothing; input that arrives meanwhile is lost. Collective.
  void freeze(const std::vector<Gid>& gids, bool frozen);
  /// Changes the seed of values drawn from now on and of the noise of neurons. Not collective; all ranks give the same.
  void set_seed(std::uint64_t seed);

  // What follows is not collective.
  std::string model_of(Gid gid) const;
  int rank_of(Gid gid) const;  ///< the rank where a node lives
  /// The population of a node. Throws BadParameter, which names the parameter, when there is no such node.
  Population& of(Gid gid, const char* parameter);
  const Population& of(Gid gid, const char* parameter) const;
  /// Throws BadParameter when the set names nodes that do not exist.
  void check_nodes(const connect::NodeSet& nodes, const char* parameter) const;
  devices::Device& device(Gid gid, const Population& p) const { return *p.devices[static_cast<std::size_t>(gid - p.first)]; }
  /// Notes that something is connected to these nodes or records them.
  void mark_connected(const connect::NodeSet& set);
  bool precise() const;  ///< do some neurons emit or take off-grid spikes?
  auto begin() const { return populations_.begin(); }
  auto end() const { return populations_.end(); }

  /// Where a neuron's parameters and state are on this rank.
  struct Seat {
    nodes::Group* group = nullptr;  ///< null: on another rank
    std::size_t at = 0;
    Slice* slice = nullptr;
  };
  Seat seat_of(Gid gid, const Population& p) const;
  /// Tells slices of the devices that emit spikes and were created since the last call.
  void attach_emitters();

 private:
  /// The part of a call that concerns one population.
  struct Piece {
    Population* population;
    std::vector<Gid> gids;
    Values values;
  };
  using NewSetting = std::pair<devices::Device*, devices::Setting>;

  // populations.cpp
  void deal(SliceId n);
  void make_room(const Population& p);
  Members members_of(const Population& p, SliceId slice, SliceId slices) const;
  std::int64_t largest_slice(SliceId slices, const Population& added) const;
  // creating.cpp
  int area_of(const std::string& name) const;
  static const devices::DeviceInfo* find_kind(const std::string& model, Population& p);
  void make_devices(Population& p, const devices::DeviceInfo& info, const Values& values);
  void check_new_neurons(const Population& p, const Values& values, const std::vector<NodeDraw>& draws) const;
  void check_drawn(const Population& p, const Values& values, const std::vector<NodeDraw>& draws) const;
  std::vector<double> drawn(const NodeDraw& d, const Members& members) const;
  void assign_drawn(Population& p, const std::vector<NodeDraw>& draws);
  // setting.cpp
  void check_values(const Population& p, const std::vector<Gid>* gids, std::size_t n, const Values& values) const;
  void assign(Population& p, const std::vector<Gid>* gids, const Values& values);
  static void note_columns(Population& p, bool everyone, const Values& values, const std::vector<NodeDraw>& draws);
  static double counted_value(const Population& p, const std::string& name);
  void add_settings(const Piece& piece, std::vector<NewSetting>& out) const;
  void adopt(devices::Device& d, devices::Setting s) const;
  std::vector<Piece> pieces(const std::vector<Gid>& gids, const Values& values);
  double value_of(Gid gid, const std::string& name) const;
  // setting_each.cpp
  void check_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws) const;

  std::vector<std::unique_ptr<Population>> populations_;
  std::set<Gid> emitting_;  ///< spike-emitting devices that were given to slices
};

}  // namespace npl::sim
