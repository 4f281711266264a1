// SPDX-License-Identifier: Apache-2.0
/// The reference kernel, an oracle for tests: one event at a time in double precision, without threads or tables. It shares only base/ with
/// the kernel. Time is as in the kernel: step n covers (n h, (n + 1) h]; a spike of step n has the stamp n + 1 and arrives after a delay of
/// d steps in step n + d.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "reference/neuron.hpp"
#include "reference/stdp.hpp"

namespace npl::reference {

/// One connection.
struct Edge {
  Gid source, target;
  double weight;  ///< [pA], or [mV] for iaf_psc_delta
  Step delay;     ///< steps, >= 1
  int receptor;   ///< 0 or 1, as Kernel.connections() gives it
};

/// A network and its state.
class Simulation {
 public:
  /// Throws BadParameter unless the resolution is > 0.
  explicit Simulation(double resolution_ms);

  /// Throws UnknownName for models and parameters that do not exist.
  void add_neuron(Gid gid, const std::string& model, const Values& values);
  /// Adds edges of one synapse model. Throws UnknownName, and BadParameter for targets that do not exist, delays below 1 and receptors but
  /// 0 and 1.
  void add_edges(const std::vector<Edge>& edges, const std::string& synapse, const std::map<std::string, double>& values);
  /// Adds a spike of a source that is not simulated. Throws BadParameter for a stamp < 1.
  void add_spike(Gid source, Step stamp);
  /// Adds a current [pA] into a neuron in steps first to last. Throws BadParameter for a neuron that does not exist.
  void add_current(Gid gid, Step first, Step last, double amplitude);
  /// Records a state variable at the end of every step from now on. Throws BadParameter, UnknownName.
  void record(Gid gid, const std::string& name);
  /// Throws BadParameter for a negative number.
  void run(Step steps);

  /// Spikes of all neurons so far, in order of (step, gid).
  const std::vector<Spike>& spikes() const { return spikes_; }
  /// Values of the k-th record(), one per step. Throws BadParameter if there is none.
  const std::vector<double>& trace(std::size_t k) const;
  /// Weights of all edges, in the order in which they were added.
  std::vector<double> weights() const;

 private:
  struct Wire {
    Edge edge;
    std::shared_ptr<const Synapse> synapse;
  };
  /// Spike number `spike` of a wire's source reaches the target in step `due`.
  struct Arrival {
    Step due;
    std::size_t wire, spike;
    friend bool operator>(const Arrival& a, const Arrival& b) {
      return std::tie(a.due, a.wire, a.spike) > std::tie(b.due, b.wire, b.spike);
    }
  };
  struct Current {
    Gid gid;
    Step first, last;
    double amplitude;
  };
  struct Trace {
    Gid gid;
    std::string name;
    std::vector<double> values;
  };

  Neuron& neuron(Gid gid, const char* parameter);
  void step_once();
  void arrive(const Arrival& a);
  void emit(Gid source, Step step);

  double h_;
  Step step_ = 0;
  std::map<Gid, Neuron> neurons_;
  std::vector<Wire> wires_;
  std::map<Gid, std::vector<std::size_t>> outgoing_;
  std::map<Gid, std::vector<Step>> stamps_;  ///< of all spikes so far, by source
  std::map<Step, std::vector<Gid>> given_;
  std::vector<Current> currents_;
  std::vector<Trace> traces_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::vector<Spike> spikes_;
};

}  // namespace npl::reference
