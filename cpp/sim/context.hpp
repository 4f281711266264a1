// SPDX-License-Identifier: Apache-2.0
/// State that the components of a network share. A component (populations, description, connections, recorders, runner, planner) is a class
/// derived from Part, which gives it short names for the context.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/run_error.hpp"
#include "base/team.hpp"
#include "base/undo.hpp"
#include "comm/communicator.hpp"
#include "continuous/channels.hpp"
#include "sim/agreement.hpp"
#include "sim/distribution.hpp"
#include "sim/settings.hpp"
#include "sim/slice.hpp"

namespace npl::sim {

struct Context {
  /// Throws BadParameter, UnknownName for inconsistent settings.
  explicit Context(const Settings& settings);

  Settings settings;
  std::shared_ptr<comm::Guarded> guard;
  std::shared_ptr<comm::Communicator> comm;    ///< the guard
  std::unique_ptr<Distribution> distribution;  ///< assigns nodes to ranks and slices
  Progress progress;
  Agreement agreement;
  Team team;                             ///< threads of this rank
  Slices slices;                         ///< of this rank
  std::map<std::string, double> timers;  ///< seconds by phase, since the network was made
  double pending_bytes = 0;              ///< expected bytes of the synapses of this rank that are described but not built
  bool prepared = false;                 ///< true from the first build on: the number of slices is fixed
  bool channels_stale = false;           ///< continuous connections, or their weights, have changed since their channels were made
  continuous::Waveform waveform;         ///< how connections without delay are served
  std::shared_ptr<std::uint64_t> changes = std::make_shared<std::uint64_t>(0);  ///< number of calls that may have changed what is stored
  bool stale = true;         ///< something that a build looks at may have changed since the last one
  bool revalued = false;     ///< values of neurons have changed since the slices were prepared
  bool routed = false;       ///< have routes been made since connections changed? The same on all ranks, also after a failure on one
  bool sources_kept = true;  ///< are the gids of all sources still known?

  int rank() const { return comm->rank(); }
  int ranks() const { return settings.counting ? settings.counting : comm->size(); }
};

/// Base of the components of a network: short names for the context, which outlives it.
class Part {
 protected:
  explicit Part(Context& c)
      : settings_(c.settings),
        comm_(c.comm),
        distribution_(c.distribution),
        progress_(c.progress),
        step_(c.progress.step),
        agreement_(c.agreement),
        team_(c.team),
        slices_(c.slices),
        timers_(c.timers),
        pending_bytes_(c.pending_bytes),
        prepared_(c.prepared),
        channels_stale_(c.channels_stale),
        waveform_(c.waveform),
        changes_(c.changes),
        stale_(c.stale),
        revalued_(c.revalued),
        routed_(c.routed),
        sources_kept_(c.sources_kept),
        rank_(c.rank()),
        ranks_(c.ranks()) {}
  ~Part() = default;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  SliceId n_slices() const { return static_cast<SliceId>(slices_.size()); }
  std::int64_t n_nodes() const { return progress_.nodes; }

  /// See Agreement; collective.
  void agree(const char* call, std::exception_ptr error = nullptr, std::uint64_t arguments = 0) const {
    agreement_.agree(call, std::move(error), arguments);
  }
  template <class F>
  void together(const char* call, F&& f, std::uint64_t arguments = 0) const {
    agreement_.together(call, std::forward<F>(f), arguments);
  }
  /// Runs change(undo), which may fail on some ranks, at any allocation: then all ranks throw, and what was given to `undo` is undone.
  /// Collective; see Agreement::throughout().
  template <class F>
  void all_or_nothing(const char* call, F&& change) const {
    Undo undo;
    agreement_.throughout(call, [&] { change(undo); });
    undo.forget();
  }
  /// Not collective.
  void note(std::uint64_t what) const { agreement_.note(what); }
  /// Runs a collective part of a call that cannot be undone. If it fails (out of memory), ends the job with a message, because the other
  /// ranks would wait for ever.
  template <class F>
  void or_abort(const char* when, F&& f) const {
    try {
      f();
    } catch (...) {
      if (ranks() > 1) comm_->abort(1, std::string(when) + ": " + text_of(std::current_exception()));
      throw;
    }
  }

  /// Throws TooLarge when a call needs more bytes on this rank than remain after everything described before. Not collective.
  void check_memory(double new_bytes, const std::string& what) const;
  /// Throws TooLarge when a call needs more bytes than memory_limit leaves this rank. Not collective.
  void check_limit(const std::string& what, double needed) const;
  /// Throws IllegalConnection when the gids of sources were dropped (keep_sources = false). @param what the call that needs them
  void require_sources(const char* what) const;

  /// Calls f(slice) for the slices of a thread of the team.
  template <class F>
  void for_own_slices(int thread, F&& f) const {
    for (std::size_t s = static_cast<std::size_t>(thread); s < slices_.size(); s += static_cast<std::size_t>(team_.size())) f(*slices_[s]);
  }

  /// Calls f(slice) for all slices, each in the thread that will update it, so that its memory is allocated near that thread (first touch).
  /// For few nodes the calling thread does all.
  template <class F>
  void fill_slices(std::int64_t nodes, F&& f) const {
    constexpr std::int64_t worth_a_team = 4096;
    if (nodes >= worth_a_team) return team_.run([&](int thread) { for_own_slices(thread, f); });
    for (auto& s : slices_) f(*s);
  }

  Settings& settings_;
  const std::shared_ptr<comm::Communicator>& comm_;
  const std::unique_ptr<Distribution>& distribution_;
  Progress& progress_;
  Step& step_;
  Agreement& agreement_;
  Team& team_;
  Slices& slices_;
  std::map<std::string, double>& timers_;
  double& pending_bytes_;
  bool &prepared_, &channels_stale_;
  continuous::Waveform& waveform_;
  const std::shared_ptr<std::uint64_t>& changes_;
  bool &stale_, &revalued_, &routed_, &sources_kept_;

 private:
  int rank_, ranks_;
};

}  // namespace npl::sim
