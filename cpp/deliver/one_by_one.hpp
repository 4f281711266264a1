// SPDX-License-Identifier: Apache-2.0
/// The calendar of a table whose synapses are processed one by one: they are recorded, or have state or random numbers of their own. Slower
/// than Agenda, which all other tables use.
#pragma once
#include <cstdint>
#include <vector>

#include "base/members.hpp"
#include "deliver/erasing.hpp"
#include "deliver/runs.hpp"
#include "synapses/single.hpp"

namespace npl::deliver {

/// A weight that a synapse has sent.
struct WeightEvent {
  double weight;
  Gid source, target;
  std::int32_t stamp;  ///< of the spike
  std::uint32_t position;
  Delay delay;
};

/// What a weight recorder keeps of one table. Where nothing is said, all is wanted.
struct WeightLog {
  std::vector<char> rows;     ///< [rows] is the source wanted?
  std::vector<char> targets;  ///< [nodes of the slice] is the target wanted?
  std::vector<WeightEvent> events;

  std::size_t bytes() const { return rows.capacity() + targets.capacity() + events.capacity() * sizeof(WeightEvent); }
  bool wants_row(std::uint32_t row) const { return rows.empty() || rows[row]; }
  bool wants_target(Local local) const { return targets.empty() || (local < targets.size() && targets[local]); }
};

class OneByOne {
 public:
  /// @param nodes of the slice, which outlive this
  OneByOne(const EdgeTable& table, Delay longest_delay, const Residents& nodes, std::uint64_t seed);
  void set_post_triplet(const synapses::PostTrace* post) { post_triplet_ = post; }
  const synapses::PostTrace* post_triplet() const { return post_triplet_; }
  WeightLog& log() { return log_; }
  const WeightLog& log() const { return log_; }

  // As Agenda.
  void schedule(EdgeTable& table, std::uint32_t row, Step step);
  std::uint64_t deliver(EdgeTable& table, Step step, Fixed* sums, double to_fixed, const synapses::PostTrace* post, double* largest);
  Step oldest_needed(const EdgeTable& table, Step now) const;
  void resume(const EdgeTable& table, std::uint32_t row, Step step, const synapses::PreValues& before);
  void owed(const EdgeTable& table, const std::vector<char>& out, Step now, std::vector<Owed>& found) const;
  void move(const EdgeTable& table, const Remainder& left, Step now);
  /// One synapse alone gets what it is owed. @param run but for target and weight
  void bring(EdgeTable& table, const Owed& owed, synapses::PlasticRun run);
  std::size_t bytes() const;  ///< without the log
  static constexpr std::size_t entry_bytes() { return sizeof(Entry); }

 private:
  struct Entry {
    Pending at;
    Step stamp;
    std::uint32_t row;
    synapses::PreValues before;
  };
  void put(Step due, const Entry& entry) { slots_[static_cast<std::size_t>(due) & mask_].push_back(entry); }
  std::uint32_t repeats(Step due, const Entry& entry) const;
  void process(EdgeTable& table, const Entry& e, synapses::PlasticRun run);
  void process_alike(const EdgeTable& table, const Entry& e, synapses::PlasticRun& run);
  void process_singly(EdgeTable& table, const Entry& e, const synapses::PlasticRun& run);
  void note(const EdgeTable& table, const Entry& e, Delay delay);

  const Residents& nodes_;
  rng::Key key_;
  const synapses::PostTrace* post_triplet_ = nullptr;
  std::size_t mask_;
  std::vector<std::vector<Entry>> slots_;
  WeightLog log_;
  std::vector<double> weight_, sent_;  ///< scratch: of a run
  std::vector<Gid> gid_;
};

}  // namespace npl::deliver
