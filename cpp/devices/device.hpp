// SPDX-License-Identifier: Apache-2.0
/// Interface of stimulation devices. One file per device in devices/models/, named like the device. Parameters of a device node have a
/// history: a change at step t holds for what is sent from step t on. The connections of a device are split into parts, one per slice,
/// receptor and delay; in every step a part adds to the input of its targets. Timing: docs/concepts/devices.md, as observed of NEST 3.10.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/field_checks.hpp"
#include "base/fixed.hpp"
#include "base/ids.hpp"
#include "base/precise_event.hpp"
#include "base/simd.hpp"
#include "rng/philox.hpp"

namespace npl::devices {

/// An array parameter, e.g. spike_times.
struct VectorField {
  const char* name;
  const char* unit;
  const char* doc;
};

/// Parameter values for everything sent in steps >= from.
struct Setting {
  Step from = 0;
  std::vector<double> values;                ///< in order of DeviceInfo::parameters
  std::vector<std::vector<double>> vectors;  ///< in order of DeviceInfo::vectors
  bool frozen = false;                       ///< nothing is sent
  friend bool operator==(const Setting&, const Setting&) = default;
};

struct DeviceInfo;
struct EmitterMemory;

/// One device node.
struct Device {
  const DeviceInfo* info = nullptr;
  Gid gid = 0;
  Step created = 0;
  double resolution = 0.1;       ///< [ms]
  std::vector<Setting> history;  ///< ascending in `from`; never empty
  bool tabled = false;           ///< its own train is recorded, or sent through tables of synapses (own_train.hpp)

  /// The setting that holds in step `sent`; before the first one, the first.
  const Setting& at(Step sent) const { return history.size() == 1 ? history.front() : found(sent); }
  /// The first step after `sent` in which another setting holds; none: a step that no run reaches.
  Step holds_until(Step sent) const { return history.size() == 1 ? INT64_MAX / 2 : next_after(sent); }
  /// Parameter k, in the order of DeviceInfo::parameters, in step `sent`.
  double value(Step sent, std::size_t k) const { return at(sent).values[k]; }
  /// Time [ms] in steps, rounded to nearest; beyond +-4e18 steps, that number.
  Step steps(double ms) const;

 private:
  const Setting& found(Step sent) const;
  Step next_after(Step sent) const;
};

/// Targets in one slice of one connection call (link), with the same receptor and delay.
struct Targets {
  std::vector<Local> local;
  std::vector<Gid> gid;
  std::vector<double> weight;  ///< one per target, or a single one for all
  Delay delay = 1;             ///< in steps
  Step since = 0;              ///< step in which the connection was made: nothing that was sent earlier arrives
  bool count = false;          ///< targets count spikes and ignore weights
  bool precise = false;        ///< targets take off-grid spikes
  int receptor = 0;
  bool by_sign = false;    ///< receptors 0 and 1 take what is sent by its sign; both have a part where a device sends signed_factors
  std::uint64_t link = 0;  ///< number of the connection call in the network: part of the key of random numbers
  std::uint64_t seed = 0;  ///< of the network
};

/// Input of a slice in one step, to which a part adds.
struct PartInput {
  Fixed* sums;                                  ///< of the part's receptor, by local index
  double to_fixed;                              ///< scale of the sums, see FixedScale
  double* current;                              ///< [pA] by local index; null if no device of the slice gives a current
  std::vector<PreciseEvent>* events = nullptr;  ///< off-grid spikes of the step, for targets that take them
  /// Added to: spikes that the part sends to all of its targets. Not by parts with a stretch, which send a target at most 2^16 in a step.
  double* sent = nullptr;
};

/// Local indices from .. until - 1.
struct Stretch {
  Local from = 0, until = 0;
  bool empty() const { return from >= until; }
  Stretch within(Stretch other) const { return {std::max(from, other.from), std::min(until, other.until)}; }
};

/// What a part has come to that is no function of the step alone, for checkpoints: as words, numbers with a fraction by their bits.
struct PartState {
  std::vector<std::uint64_t> common;  ///< equal for all parts of a connection call with the same receptor and delay
  std::size_t width = 0;              ///< words per target
  std::vector<std::uint64_t> each;    ///< [targets x width]
};

/// The share of a device's connections in one slice: see Targets.
class Part {
 public:
  virtual ~Part() = default;
  /// Adds what arrives in `step`. Called once per step, in ascending order of steps, by the thread that owns the slice.
  virtual void apply(Step step, const PartInput& in) = 0;
  /// Before this step apply() need not be called: nothing would arrive, unless a setting of the device changes. Known after apply().
  Step wakes() const { return wakes_; }
  /// A setting of the device may have changed: what the last step found out about later ones does not hold.
  void rouse() { same_until_ = 0; }
  /// The targets of a part that can also be served piece by piece, so that the sums are used while they are in cache. Empty: it cannot.
  virtual Stretch stretch() const { return {}; }
  /// In place of apply(), for a part with a stretch: true when something may arrive in `step`. Then add() is called for pieces that cover
  /// the stretch.
  virtual bool begin(Step step) { return static_cast<void>(step), false; }
  virtual void add(Stretch piece, const PartInput& in) { static_cast<void>(piece), static_cast<void>(in); }
  /// Bytes allocated.
  virtual std::size_t bytes() const = 0;
  /// Called before the first apply() when this part replaces `old`, which sends nothing any more: continues the spike trains of `old`. Only
  /// devices that keep a state per target do something.
  virtual void follow(const Part& old) { static_cast<void>(old); }
  /// For devices that keep a state per target; others go on without. See PartState.
  virtual PartState state() const { return {}; }
  /// Before the first apply(): goes on from a state, whose targets are those of this part in the same order.
  virtual void resume(const PartState& state) { static_cast<void>(state); }
  /// Parts may have dropped the gids.
  virtual const Targets& targets() const = 0;

 protected:
  Step wakes_ = 0;
  Step same_until_ = 0;  ///< for parts that find out in one step what holds for the next ones
};

/// What a device sends: spikes to its targets directly, a current, (emits) spikes that are routed like those of a neuron, or values along
/// continuous connections.
enum class Effect { spikes, current, emits, values };

/// Description of a device.
struct DeviceInfo {
  std::string name, doc;
  Effect effect;
  std::vector<Field> parameters;
  std::vector<VectorField> vectors;
  /// Checks what is its own in a setting. Throws BadParameter, BadLength.
  void (*check)(const Device&, const Setting&);
  std::unique_ptr<Part> (*make_part)(const Device&, Targets);  ///< effects spikes and current
  /// Effect emits: appends spikes of [from, until). Returns a step from `until` on, before which nothing more is emitted unless a setting
  /// changes.
  Step (*emit)(const Device&, Step from, Step until, EmitterMemory&, std::vector<Spike>& out);
  double (*rate)(const Device&, Step sent) = nullptr;  ///< rate that can be recorded [spikes/s]; null: none
  /// Appends the sub-step offsets [ms] of the spikes that emit appends. If all of them are 0 nothing is appended and false returned. null:
  /// all are 0.
  bool (*offsets)(const Device&, Step from, Step until, std::vector<double>& out) = nullptr;
  bool signed_factors = false;  ///< multiplies weights by factors that may be negative: the sign of the product chooses the receptor
  /// Effect values: what is sent in a step along continuous connections. null: nothing.
  double (*value)(const Device&, Step sent) = nullptr;
  Face face = {};
};

/// Checks a setting before it is stored: its window, then what the device wants. Throws BadParameter, BadLength.
void check_setting(const Device& d, const Setting& s);

/// What can be sampled of a device: its current, or its rate.
inline std::vector<Field> recordables(const DeviceInfo& info) {
  if (info.effect == Effect::current) return {{"I", "pA", 0.0, "Current that was sent in the step"}};
  if (info.rate) return {{"rate", "spikes/s", 0.0, "Rate in the step"}};
  return {};
}

/// All devices, by name.
const std::vector<const DeviceInfo*>& devices();
/// Throws UnknownName.
const DeviceInfo& find_device(const std::string& name);

/// The first three parameters of every device.
#define NPL_WINDOW_FIELDS                                                                                            \
  {"start", "ms", 0.0, "Active at times after this one"}, {"stop", "ms", 1e300, "Active until this time, included"}, \
      {"origin", "ms", 0.0, "Shifts start and stop"}
inline constexpr std::size_t n_window = 3;

/// Activity window of a setting, in steps; start and stop already shifted by origin.
struct Window {
  Step start, stop, origin;
  /// Empty for a frozen device.
  static Window of(const Device& d, const Setting& s);
  bool spikes(Step n) const { return start < n && n <= stop; }            ///< whether a generator of spikes is active in step n
  bool current(Step n) const { return start - 1 <= n && n <= stop - 2; }  ///< whether a current is sent in step n; acts in n + delay + 1
};

/// Window::of, computed again only when what it depends on changes: parts ask in every step.
class KnownWindow {
 public:
  NPL_INLINE const Window& of(const Device& d, const Setting& s) {
    if (!known_ || s.frozen != frozen_ || !std::equal(times_.begin(), times_.end(), s.values.begin())) learn(d, s);
    return window_;
  }

 private:
  void learn(const Device& d, const Setting& s);

  bool known_ = false, frozen_ = false;
  std::array<double, n_window> times_{};
  Window window_{};
};

/// What an emitting device found in the last call, where the next one begins to search. What it emits does not depend on it.
struct EmitterMemory {
  KnownWindow window{};
  std::size_t next = 0;
};

}  // namespace npl::devices

/// Registers a device; `id` must be the file's name without .cpp. What it is made of is in a namespace of that name: the files are compiled
/// together.
#define NPL_DEVICE(id, ...)                     \
  namespace npl::devices {                      \
  namespace id {}                               \
  const DeviceInfo& device_##id() {             \
    using namespace id;                         \
    static const DeviceInfo info = __VA_ARGS__; \
    return info;                                \
  }                                             \
  }
