// SPDX-License-Identifier: Apache-2.0
/// The reference kernel: one event at a time, doubles, no threads, no tables; shares nothing with the kernel but base/. An oracle for tests.
/// Time as in the kernel: step n covers (n h, (n + 1) h]; a spike of step n has the stamp n + 1 and arrives after delay d in step n + d.
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

struct Edge {
  Gid source, target;
  double weight;
  Step delay;
  int receptor;  ///< 0 or 1, as Kernel.connections() gives it
};

class Simulation {
 public:
  /// Throws BadParameter unless the resolution is > 0.
  explicit Simulation(double resolution_ms);

  void add_neuron(Gid gid, const std::string& model, const Values& values);
  /// Edges of one synapse model, after the neurons that they reach. Throws BadParameter for targets that do not exist.
  void add_edges(const std::vector<Edge>& edges, const std::string& synapse, const std::map<std::string, double>& values);
  /// A spike of a source that is not simulated. Throws BadParameter for a stamp < 1.
  void add_spike(Gid source, Step stamp);
  /// A current [pA] into a neuron during the steps first..last. Throws BadParameter for a neuron that does not exist.
  void add_current(Gid gid, Step first, Step last, double amplitude);
  /// State variables to be recorded at the end of every step, from now on.
  void record(Gid gid, const std::string& name);
  /// Throws BadParameter for a negative number.
  void run(Step steps);

  const std::vector<Spike>& spikes() const { return spikes_; }          ///< of neurons, in order of (step, gid)
  const std::vector<double>& trace(std::size_t k) const;                ///< of the k-th record(); throws BadParameter when there is none
  std::vector<double> weights() const;                                   ///< in order of add_edges()

 private:
  struct Wire {
    Edge edge;
    std::shared_ptr<const Synapse> synapse;
  };
  /// Presynaptic spike number `spike` of the wire's source reaches its target.
  struct Arrival {
    Step due;
    std::size_t wire, spike;
    friend bool operator>(const Arrival& a, const Arrival& b) { return std::tie(a.due, a.wire, a.spike) > std::tie(b.due, b.wire, b.spike); }
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
  std::map<Gid, std::vector<Step>> stamps_;  ///< of all spikes so far
  std::map<Step, std::vector<Gid>> given_;
  std::vector<Current> currents_;
  std::vector<Trace> traces_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::vector<Spike> spikes_;
};

}  // namespace npl::reference
