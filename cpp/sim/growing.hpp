// SPDX-License-Identifier: Apache-2.0
/// Structural plasticity: synapses form and go as neurons gain and lose synaptic elements (growth/cell.hpp; Butz & van Ooyen 2013). Every
/// `interval` steps, before the first of them, the structure is updated:
/// 1. calcium and elements of all neurons are brought to this time;
/// 2. neurons that have fewer axonal elements than synapses lose synapses drawn at random, then those with fewer dendritic ones; the
///    elements of the partners become vacant;
/// 3. vacant elements of each pair of names are matched at random and form synapses, in the order of `grow`;
/// 4. a part of the elements that are still vacant is lost.
/// Synapses are made by connect() and go by edit(), so spikes in flight, routes and scales follow as for any other change. A rank knows the
/// elements of its own neurons and the synapses onto them; what it needs of others it asks for, so nothing here grows with the network.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "growth/cell.hpp"
#include "sim/connections.hpp"
#include "sim/grow_matching.hpp"

namespace npl::sim {

/// Elements of one name, of n neurons. Values: [1] or [n].
struct NamedElements {
  std::string name, curve;
  Values values;  ///< growth_rate, eta, eps, psi, tau_vacant, continuous, z
};

/// Synapses that grow between elements of two names.
struct GrowCall {
  std::string pre_element, post_element;
  bool autapses = true, multapses = true;
  ConnectCall synapses;  ///< of each synapse; pre, post and rule are ignored. Its label is of these synapses alone.
};

/// Elements of one name as columns; 0 for neurons without.
struct ElementColumns {
  std::string name;
  std::vector<double> values;  ///< [neurons x fields]: has, curve, growth_rate, eta, eps, psi, tau_vacant, continuous, z, z_connected
};
inline constexpr std::size_t element_fields = 10;

/// All calls are collective unless stated otherwise; one that throws has changed nothing.
class Growing : Part {
 public:
  Growing(Context& context, Populations& populations, Description& description, Connections& connections)
      : Part(context), populations_(populations), description_(description), connections_(connections), post_(*context.comm) {}

  /// Replaces all elements of neurons; those of names that they had before stay connected. Throws BadParameter, BadLength, UnknownName.
  /// Memory: O(nodes of this rank).
  void set_elements(const connect::NodeSet& nodes, const std::vector<NamedElements>& elements);
  std::vector<ElementColumns> elements(const std::vector<Gid>& gids) const;
  /// Sets Ca, tau_Ca [ms], beta_Ca of neurons, whose calcium is followed from now on. Throws as set_elements().
  void set_calcium(const connect::NodeSet& nodes, const Values& values);
  /// Ca, tau_Ca, beta_Ca, t_spike [ms]; nan where calcium is not followed.
  std::vector<double> calcium(const std::vector<Gid>& gids, const std::string& name) const;
  /// Lets synapses grow. Not collective; the same on all ranks. Throws BadParameter, UnknownName, IllegalConnection.
  void grow(GrowCall call);
  /// Forgets all that grow() was told; synapses stay. Not collective.
  void forget();
  /// Steps between updates; @param on false: none happen. Not collective.
  void set_updates(Step interval, bool on);
  Step interval() const { return interval_; }
  bool on() const { return on_; }
  /// What grow() was told, in order.
  std::vector<const GrowCall*> calls() const;

  /// The next step from `now` on before which the structure is to be updated; the largest number if there is none.
  Step next(Step now) const;
  /// Updates the structure; new synapses are described, to be built. Collective. If it throws (out of memory), the update is still due: it
  /// goes on with the next run, with the same result.
  void update();
  /// Number of synapses that have formed or gone in updates.
  std::uint64_t changes() const { return changes_; }
  /// Synapses may have been made or removed by others: elements in use are counted anew when they are needed.
  void note_changed() { counted_ = false; }
  /// Nodes from this one on are taken back. Not collective.
  void drop(Gid first);
  /// Postsynaptic traces that growing synapses read begin when grow() is told of them, not with the first synapse in a slice, which depends
  /// on what else is in the slice (law 1). Not collective.
  void keep_traces();
  /// Tells slices whose calcium to follow; after something was created. Not collective.
  void attach();

  // --- checkpoints
  void visit(checkpoint::Archive& a);
  void save(checkpoint::Columns& to) const;
  void load(std::span<const checkpoint::Shard> from);

 private:
  struct Rule {
    int pre, post;  ///< names
    GrowCall call;
  };
  struct Doomed;
  struct Deficit;
  struct Element;
  enum class End { source, target };

  // growing.cpp
  double now() const { return static_cast<double>(step_) * settings_.resolution; }
  int name_number(const std::string& name);
  std::uint32_t kind_number(const growth::Kind& kind);
  growth::Cell* find(Gid gid) const;
  growth::Cell& cell_of(Gid gid);
  void check_growth() const;
  void check_neurons(const std::vector<Gid>& gids) const;
  std::set<Gid> populations_of(const connect::NodeSet& nodes) const;
  void check_targets(const GrowCall& call, const std::set<Gid>& populations) const;
  /// A neuron of this rank and its position in a set.
  using Member = std::pair<std::int64_t, Gid>;
  std::vector<Member> own(const connect::NodeSet& nodes) const;
  void add_cells(const std::vector<Member>& neurons);
  // grow_counting.cpp
  void count();
  void count_targets(const Rule& rule);
  void count_sources(const Rule& rule);
  void add(Gid gid, int name, std::int64_t n);
  /// Calls f(slice, table) for the tables of these synapses.
  template <class F>
  void for_tables(const Rule& rule, F&& f) const;
  bool none_anywhere(std::size_t n) const;
  // grow_update.cpp
  void advance();
  std::vector<Deficit> deficits(End end) const;
  std::vector<Deficit> deficits_of_sources();
  void candidates(End end, const std::vector<Deficit>& deficits, const std::vector<Doomed>& gone, std::vector<Doomed>& out) const;
  static void choose(End end, const std::vector<Deficit>& deficits, std::vector<Doomed>& out);
  /// Gives each to the rank rank_of(doomed). Collective.
  template <class RankOf>
  std::vector<Doomed> deal_doomed(std::vector<Doomed> all, const RankOf& rank_of);
  std::vector<Doomed> lost_by_sources();
  std::vector<Doomed> lost_by_targets(const std::vector<Doomed>& gone);
  void remove();
  std::vector<growth::Vacant> vacant(int name) const;
  void connect(int rule);
  void drop_repeats(const Rule& rule, std::vector<Pair>& pairs) const;
  void describe(const Rule& rule, const std::vector<Pair>& pairs);
  void decay() noexcept;
  void change(Undo& undo);

  Populations& populations_;
  Description& description_;
  Connections& connections_;
  exchange::Post post_;
  std::vector<std::string> names_;   ///< of elements
  std::vector<growth::Kind> kinds_;  ///< the same on all ranks, as names_
  std::map<growth::Kind, std::uint32_t> kind_numbers_;
  mutable std::vector<growth::Cell> cells_;       ///< of this rank, by gid
  std::map<std::string, std::set<Gid>> holders_;  ///< by name of element: a neuron of each population that ever had it
  std::vector<Rule> rules_;
  Step interval_ = 0;  ///< 0: not set
  bool on_ = true;
  Step updated_ = -1;  ///< step of the last update
  std::uint64_t changes_ = 0;
  bool counted_ = false;  ///< the numbers of connected elements are those of the tables
  bool attached_ = true;  ///< slices know the cells
};

template <class F>
void Growing::for_tables(const Rule& rule, F&& f) const {
  for (const auto& slice : slices_)
    for (const auto& p : slice->pathways())
      if (const tables::EdgeTable& t = p->table(); description_.specs().label_of(*t.spec) == rule.call.synapses.label) f(*slice, t);
}

}  // namespace npl::sim
