// SPDX-License-Identifier: Apache-2.0
/// Continuous connections of one rank: values of nodes go along them in every step, beside spikes. A channel has all connections that carry
/// one kind of value. Slices write the values of their own nodes and read those of earlier parts; between parts ranks exchange what they
/// have asked for. Values that follow from a device and the step are computed by every rank itself.
/// Connections without delay are served by waveform relaxation (Hahne et al. 2015, 2017): the update of a part is repeated, each time with
/// the course that the values had in the last iteration, until no value changes by more than a tolerance.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/columns.hpp"
#include "continuous/mail.hpp"
#include "continuous/slice_part.hpp"

namespace npl::continuous {

/// Kind of value, and whether its connections have delays. Without delay a value is that of the end of the step before.
struct Kind {
  std::string what;
  bool delayed;
  auto operator<=>(const Kind&) const = default;
};

/// How connections without delay are served.
struct Waveform {
  bool used = true;         ///< false: values arrive one step later
  double tolerance = 1e-4;  ///< of values, in their unit
  double interval = 1.0;    ///< longest part [ms]; see Channels::windows
  int most_iterations = 15;
  int order = 3;  ///< of the interpolation within a step: 0, 1 or 3
};

/// A slice as channels see it.
struct SliceView {
  const std::vector<std::unique_ptr<nodes::Group>>* groups;
  std::vector<const tables::EdgeTable*> tables;  ///< of continuous connections
};

/// What a rank knows of all nodes.
struct Surroundings {
  std::function<int(Gid)> rank_of;
  std::function<bool(Gid)> is_device;
  std::function<double(Gid, Step)> value_of;  ///< of a device
};

struct Times {
  Step lead;     ///< the value of a device in step n arrives in step n + delay - lead: the shortest delay, as in NEST
  Step longest;  ///< delay and length of a part, together
  Step part;     ///< longest part
  Step now;      ///< steps before it are done
};

class Channels {
 public:
  /// Parts that are repeated are so many times shorter than Waveform::interval: what couples cells is slow compared with them, so that a
  /// part needs two or three iterations in place of ten. The same on any number of ranks.
  static constexpr Step windows = 8;

  explicit Channels(comm::Communicator& comm) : comm_(comm), mail_(comm), wave_mail_(comm) {}

  /// Makes all channels anew; values that were sent before are kept. Collective. @param kinds the same on all ranks; none: nothing is done
  /// any more
  void build(const std::vector<Kind>& kinds, const std::vector<SliceView>& slices, const Surroundings& nodes, const Times& times,
             const Waveform& waveform);
  bool any() const { return !channels_.empty(); }
  /// True: parts are repeated.
  bool iterates() const { return iterates_; }
  SlicePart* part(std::size_t slice) { return parts_[slice].get(); }

  /// By one thread, before the slices simulate steps [from, until).
  void begin(Step from, Step until);
  /// By one thread, after these steps: exchange between ranks. Collective.
  void exchange(Step from, Step until);
  /// (iterates) The same after an iteration. Collective.
  void share(Step from, Step until);
  /// (iterates) By one thread, after an iteration of all slices and ranks. Returns whether it was the last.
  bool end_iteration();
  std::uint64_t iterations() const { return iterations_; }

  /// Checkpoints: values that were sent, of own nodes. @param now steps before it are done
  void save(checkpoint::Columns& to, Step now) const;
  /// For the next build. @param mine(gid): a node of this rank. Throws BadCheckpoint.
  void load(const std::vector<Kind>& kinds, const checkpoint::Shard& from, const std::function<bool(Gid)>& mine);
  std::size_t bytes() const;

 private:
  /// Columns: own nodes by slice and group, those of other ranks by rank, devices.
  struct Channel {
    Kind kind;
    Flow flow = {};
    std::vector<Gid> gids = {};
    std::size_t own = 0, devices = 0;  ///< numbers of these columns
    bool smooth = false;               ///< values change within a step
  };
  using Past = std::map<Gid, std::vector<double>>;  ///< values of nodes in the last steps
  using Views = std::vector<SliceView>;

  void add_senders(Channel& channel, const Views& slices);
  MailList add_sources(Channel& channel, const Views& slices, const Surroundings& nodes);
  void add_inflows(Channel& channel, const Views& slices, const Waveform& waveform);
  void bring_back(Channel& channel, const Channel& old, Step now) const;
  /// Where parts are repeated, the row before step 0 is the state at the beginning: guesses in step 1 go on from it.
  static Step first_row(const Channel& channel);
  void begin_course(Channel& channel, const Views& slices, const Channel& old, Step now) const;
  void compute_devices(Channel& channel, Step from, Step until) const;
  static void guess(Channel& channel, Step from, Step step);
  bool talks() const { return comm_.size() > 1 && !comm_.mirrored(); }

  comm::Communicator& comm_;
  Mail mail_, wave_mail_;
  std::vector<std::unique_ptr<Channel>> channels_;  ///< by kind
  std::vector<std::unique_ptr<SlicePart>> parts_;
  std::map<Kind, Past> past_;   ///< of a checkpoint
  std::map<Kind, Step> since_;  ///< step in which there were first connections of a kind
  std::function<double(Gid, Step)> value_of_;
  Step lead_ = 0;
  bool iterates_ = false, settled_ = true;
  int iteration_ = 0, most_iterations_ = 1;
  std::uint64_t iterations_ = 0;
};

}  // namespace npl::continuous
