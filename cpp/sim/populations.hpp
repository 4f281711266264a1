// SPDX-License-Identifier: Apache-2.0
/// Nodes of a network: populations, their distribution over ranks and slices, parameters and state.
/// Every rank makes the same calls. create, set, set_each, get and freeze are collective: they throw RankError on all ranks if one has
/// failed or has given other arguments; if one refuses equal arguments, all throw its error. A call that throws has changed nothing.
#pragma once
#include <algorithm>
#include <functional>
#include <set>

#include "checkpoint/archive.hpp"
#include "connect/node_set.hpp"
#include "devices/device_set.hpp"
#include "sim/context.hpp"
#include "sim/joining.hpp"
#include "sim/slice_count.hpp"

namespace npl::sim {

/// Nodes created by one call.
struct Population {
  Gid first;
  std::int64_t n;
  std::size_t block = 0;                             ///< index among the blocks of Residents
  const nodes::ModelInfo* model = nullptr;           ///< neurons
  std::unique_ptr<devices::DeviceSet> devices = {};  ///< or devices
  std::size_t group = 0;                             ///< neurons: index of the group in every slice, which others may share
  std::int64_t before = 0;                           ///< nodes that the slices of this rank that take these had before
  double work = 0;                                   ///< in a step of the slices that take these: of these nodes and of those before
  std::string area = {};                             ///< as given; empty: none
  bool connected = false;                            ///< some nodes are connected or recorded: undo_create keeps them
  std::vector<double> uniform = {};                  ///< neurons: [parameters] value, if the same for all nodes
  std::vector<char> varied = {};                     ///< neurons: [parameters] 1: differs between nodes
  bool attached = false;                             ///< devices: some are registered with the slices as emitters, on some rank
};

class Populations : Part {
 public:
  explicit Populations(Context& context);

  /// Creates n nodes of a neuron model or a device; returns the first gid. Collective. Time O(nodes of this rank), and O(n) for devices and
  /// for values of length n. Throws UnknownName, BadParameter, BadLength, TooLarge.
  /// @param values [1] or [n] each, in the units of the fields
  /// @param area (distribution by_area) the area of the nodes; "": all ranks
  Gid create(const std::string& model, std::int64_t n, const Values& values, const std::vector<NodeDraw>& draws, const std::string& area);
  /// Removes the nodes of the last create, if they are neither connected nor recorded and nothing was built since. Not collective.
  void undo_create(Gid first);
  /// Gives the neurons of one create another shape of their model; parameters and state that both shapes have keep their values. Once
  /// they are connected or recorded it may only grow. Before the first build since create. Not collective; the same on all ranks.
  /// Throws BadParameter, UnknownName.
  void reshape(Gid first, const std::string& model);
  /// Sets values [1] or [gids] of neurons and devices, in the units of the fields, and array parameters, the same for all the nodes.
  /// Collective. Throws UnknownName, BadParameter, BadLength, and what `follow` throws.
  /// @param follow changes what depends on devices
  void set(const std::vector<Gid>& gids, const Values& values, const Values& arrays, const std::function<void(Undo&)>& follow);
  /// Sets values [1] or drawn values of neurons. Collective. Time O(nodes of this rank). Throws as set.
  void set_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws);
  /// Values of a parameter or state variable, in the order of gids, in the unit of the field. Collective.
  std::vector<double> get(const std::vector<Gid>& gids, const std::string& name) const;
  /// An array parameter of a device. Throws UnknownName. Not collective.
  std::vector<double> get_vector(Gid device, const std::string& name) const;
  /// Freezes or releases nodes. Frozen nodes keep their state and emit nothing; input that arrives meanwhile is lost. Collective.
  void freeze(const std::vector<Gid>& gids, bool frozen);
  /// Sets the seed of future draws and of the noise of neurons. Not collective; the same on all ranks.
  void set_seed(std::uint64_t seed);

  // The following calls are not collective.
  std::string model_of(Gid gid) const;
  int rank_of(Gid gid) const;  ///< the rank that owns a node
  /// Dry run, in which a rank mirrors this one: the node of this rank that stands where `gid` does on that rank, or the other way round.
  Gid mirrored(Gid gid, int rank) const;
  /// The population of a node. Throws BadParameter naming `parameter` if the node does not exist.
  Population& of(Gid gid, const char* parameter);
  const Population& of(Gid gid, const char* parameter) const;
  /// Throws BadParameter if the set contains nodes that do not exist.
  void check_nodes(const connect::NodeSet& nodes, const char* parameter) const;
  /// As an object of its own, which it becomes now if it is not.
  static devices::Device& device(Gid gid, const Population& p) { return p.devices->object(gid); }
  /// Sets Population::connected of these nodes.
  void mark_connected(const connect::NodeSet& set);
  /// Generators among these nodes emit their own trains from the next build on.
  void mark_tabled(const connect::NodeSet& set);
  /// Allocates what mark_tabled() will need.
  void make_room_for_marks(const connect::NodeSet& set);
  bool precise() const;  ///< true: some neurons emit or take off-grid spikes
  /// Calls f(population) for those that a range of existing nodes meets. O(log populations + populations within its span).
  template <class F>
  void for_each_met(const connect::Range& r, F&& f) const {
    for (auto p = place_of(r.first); p != populations_.end() && (*p)->first <= last_gid(r); ++p)
      if (r.meets((*p)->first, (*p)->first + (*p)->n)) f(**p);
  }
  auto begin() const { return populations_.begin(); }
  auto end() const { return populations_.end(); }

  /// Location of a neuron's parameters and state on this rank.
  struct Seat {
    nodes::Group* group = nullptr;  ///< null: on another rank
    std::size_t at = 0;
    Slice* slice = nullptr;
  };
  Seat seat_of(Gid gid, const Population& p) const;
  /// The neurons of a population in a slice.
  struct Share {
    nodes::Group* group;
    std::size_t begin, n;  ///< its neurons begin .. begin + n - 1
    /// The whole group.
    bool all() const { return n == group->size(); }
  };
  static Share share_of(Slice& slice, const Population& p);
  /// Puts new populations of the same model into common groups, where that makes steps faster; from then on their local indices are fixed.
  void join_groups();
  /// Before the first build: deals the nodes to as many slices as they and their input call for.
  /// @param input work of all ranks
  void deal_for(const Work& input);
  /// Number of slices after deal_for().
  SliceId slices_for(const Work& input) const;
  /// Number of populations that join_groups has seen.
  std::size_t grouped() const { return grouped_; }
  Candidate candidate(const Population& p) const;
  /// Registers new spike-emitting devices with the slices.
  void attach_emitters();

  // --- checkpoints (keep_nodes.cpp); loading into a network without nodes
  /// @param input where it saves: as of deal_for()
  void visit(checkpoint::Archive& a, Work input);
  /// Parameters and states of the neurons of this rank as columns.
  void save_neurons(checkpoint::Columns& to) const;
  /// Those of this rank among the neurons of these shards. Throws BadCheckpoint if some are in none.
  void load_neurons(std::span<const checkpoint::Shard> from);

 private:
  /// Part of a call that concerns one population.
  struct Piece {
    Population* population;
    std::vector<Gid> gids;
    Values values;
  };
  std::vector<std::unique_ptr<Population>>::const_iterator place_of(Gid gid) const;
  using NewSetting = std::pair<devices::Device*, devices::Setting>;

  // populations.cpp
  /// Number of slices of a network with much to do and few nodes per slice.
  SliceId slices_at_most() const { return static_cast<SliceId>(settings_.counting ? 1 : std::max(settings_.threads, settings_.slices)); }
  SliceId slices_of_work(const Work& work) const;
  void deal(SliceId n);
  void make_room_later(Population& p, double added, std::int64_t nodes, std::int64_t most);
  void make_room(Population& p);
  void open_slices(SliceId n);
  void close_slices();
  Members members_of(const Population& p, SliceId slice, SliceId slices) const;
  Members share_in(const Population& p, SliceId slice) const;
  void attach_emitter(Slice& slice, const devices::Device& device);
  // creating.cpp
  int area_of(const std::string& name) const;
  std::unique_ptr<Population> checked_population(const std::string& model, std::int64_t n, const Values& values,
                                                 const std::vector<NodeDraw>& draws, const std::string& area);
  void take_place(Population& p, Undo& undo);
  void assign_all(Population& p, const Values& values, const std::vector<NodeDraw>& draws);
  const nodes::ModelInfo& checked_shape(const Population& p, const std::string& model) const;
  const devices::DeviceInfo* find_kind(const std::string& model, Population& p) const;
  void refuse_another(const nodes::ModelInfo& model) const;
  void make_devices(Population& p, const devices::DeviceInfo& info, const Values& values) const;
  void check_new_neurons(const Population& p, const Values& values, const std::vector<NodeDraw>& draws) const;
  void check_drawn(const Population& p, const Values& values, const std::vector<NodeDraw>& draws) const;
  std::vector<double> drawn(const NodeDraw& d, const Members& members) const;
  void assign_drawn(Population& p, const std::vector<NodeDraw>& draws);
  // setting.cpp
  void check_values(const Population& p, const std::vector<Gid>* gids, std::size_t n, const Values& values) const;
  void make_room(Population& p, const std::vector<Gid>& gids, const Values& values);
  void assign(Population& p, const std::vector<Gid>* gids, const Values& values);
  void put_values(Population& p, const std::vector<Gid>* gids, const Values& values, bool everyone);
  static void note_columns(Population& p, bool everyone, const Values& values, const std::vector<NodeDraw>& draws);
  static double counted_value(const Population& p, const std::string& name);
  static void add_setting(devices::Device& d, const Values& values, std::size_t i, const Values& arrays, std::vector<NewSetting>& out);
  static void add_settings(const Piece& piece, const Values& arrays, std::vector<NewSetting>& out);
  void adopt(NewSetting& next, Undo& undo) const;
  std::vector<Piece> pieces(const std::vector<Gid>& gids, const Values& values);
  double value_of(Gid gid, const Population& p, const std::string& name) const;
  void read(const Population& p, std::span<const Gid> gids, const std::string& name, double* out) const;
  // keep_nodes.cpp
  std::vector<std::string> columns_of(const nodes::ModelInfo& model) const;
  std::int64_t load_neurons(const nodes::ModelInfo& model, const checkpoint::Shard& from);
  // setting_each.cpp
  void check_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws) const;

  std::vector<std::unique_ptr<Population>> populations_;
  std::size_t grouped_ = 0;
  std::vector<SliceId> opened_{0};  ///< first slices of those made together; new nodes go to the last of these
  std::set<Gid> emitting_;          ///< spike-emitting devices of this rank, registered with its slices
};

}  // namespace npl::sim
