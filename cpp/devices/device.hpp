// SPDX-License-Identifier: Apache-2.0
/// What a stimulating device is. One file per device in devices/models/, named like the device. A device node has parameters with a
/// history (a change made at step t holds for what is sent from step t on); its links to neurons are split into parts, one per slice,
/// receptor and delay, which add to the input of a step. Timing: docs/concepts/devices.md, as observed of NEST 3.10.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/field.hpp"
#include "base/fixed.hpp"
#include "base/ids.hpp"
#include "base/precise_event.hpp"
#include "rng/philox.hpp"

namespace npl::devices {

/// An array parameter, e.g. spike_times.
struct VectorField {
  const char* name;
  const char* unit;
  const char* doc;
};

/// Parameters as they hold for everything sent in steps >= from.
struct Setting {
  Step from = 0;
  std::vector<double> values;                ///< in order of DeviceInfo::parameters
  std::vector<std::vector<double>> vectors;  ///< in order of DeviceInfo::vectors
  bool frozen = false;                       ///< sends nothing
};

struct DeviceInfo;

/// One device node.
struct Device {
  const DeviceInfo* info = nullptr;
  Gid gid = 0;
  Step created = 0;
  double resolution = 0.1;        ///< [ms]
  std::vector<Setting> history;   ///< ascending in from; never empty

  const Setting& at(Step sent) const;
  double value(Step sent, std::size_t k) const { return at(sent).values[k]; }
  /// Time [ms] in steps, rounded; saturates.
  Step steps(double ms) const;
};

/// The targets of one link in one slice that share receptor and delay.
struct Targets {
  std::vector<Local> local;
  std::vector<Gid> gid;
  std::vector<double> weight;  ///< one per target, or a single one for all
  Delay delay = 1;
  Step since = 0;              ///< what was sent in earlier steps does not arrive: the device or its connection was not there yet
  bool count = false;          ///< targets count spikes and ignore weights
  bool precise = false;        ///< targets take spikes between grid points
  int receptor = 0;
  bool by_sign = false;        ///< receptors 0 and 1 take what is sent by its sign; both have a part where a device sends signed_factors
  std::uint64_t link = 0;      ///< number of the link in the network: part of the key of random numbers
  std::uint64_t seed = 0;
};

/// Where a part adds.
struct PartInput {
  Fixed* sums;      ///< of the part's receptor, by local index
  double to_fixed;
  double* current;  ///< [pA] by local index, or null when no current device acts in the slice
  std::vector<PreciseEvent>* events = nullptr;  ///< of the step, where targets are precise
};

class Part {
 public:
  virtual ~Part() = default;
  /// Adds what acts in `step`. Called once per step, in order of steps.
  virtual void apply(Step step, const PartInput& in) = 0;
  virtual std::size_t bytes() const = 0;
  /// Before the first step: trains that `old` has drawn, which sends no more, go on here. Only devices with state per target do something.
  virtual void follow(const Part& old) { static_cast<void>(old); }
};

enum class Effect { spikes, current, emits };  ///< emits: its spikes travel like a neuron's

struct DeviceInfo {
  std::string name, doc;
  Effect effect;
  std::vector<Field> parameters;
  std::vector<VectorField> vectors;
  /// Checks a setting (throws BadParameter, BadLength) before it is taken.
  void (*check)(const Device&, const Setting&);
  std::unique_ptr<Part> (*make_part)(const Device&, Targets);                         ///< effects spikes and current
  void (*emit)(const Device&, Step from, Step until, std::vector<Spike>& out);         ///< effect emits: spikes of steps [from, until)
  double (*rate)(const Device&, Step sent) = nullptr;                                  ///< what a recorder sees as its rate [spikes/s]; null: nothing
  /// Appends the offsets [ms] of the spikes that emit appends; returns false, having done nothing, when all are 0. Null: always so.
  bool (*offsets)(const Device&, Step from, Step until, std::vector<double>& out) = nullptr;
  bool signed_factors = false;  ///< multiplies weights by factors that may be negative: the sign of the product chooses the receptor
};

const std::vector<const DeviceInfo*>& devices();
/// Throws UnknownName with the nearest names.
const DeviceInfo& find_device(const std::string& name);

/// The first three parameters of every device.
#define NPL_WINDOW_FIELDS                                                       \
  {"start", "ms", 0.0, "Active from (exclusive, see docs)"},                    \
      {"stop", "ms", 1e300, "Active until (inclusive)"}, {"origin", "ms", 0.0, "Shifts start and stop"}
inline constexpr std::size_t n_window = 3;

/// The activity window in steps at the time something is sent.
struct Window {
  Step start, stop, origin;
  static Window of(const Device& d, const Setting& s);
  bool spikes(Step n) const { return start < n && n <= stop; }               ///< may a generator draw in step n?
  bool current(Step n) const { return start - 1 <= n && n <= stop - 2; }     ///< is a current sent in step n? (acts in n + delay + 1)
};

}  // namespace npl::devices

/// Registers a device; `id` must be the file's name without .cpp.
#define NPL_DEVICE(id, ...)                      \
  namespace npl::devices {                       \
  const DeviceInfo& device_##id() {              \
    static const DeviceInfo info = __VA_ARGS__;  \
    return info;                                 \
  }                                              \
  }
