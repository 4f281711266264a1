// SPDX-License-Identifier: Apache-2.0
/// How spikes travel between ranks: one file per strategy in exchange/strategies/, chosen by name. A strategy moves *records*: one spike
/// each, as its receiver wants it (spike_codec.hpp), 2, 4, 8 or 16 bytes. It never looks into a record and never cuts one. All strategies
/// deliver the same records; records from one rank to another keep their order. start and finish are apart so that computation can go on
/// between them; at most one exchange is under way.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/load.hpp"

namespace npl::exchange {

/// Ranks that this one exchanges records with, ascending, without itself; consistent over ranks.
struct Partners {
  std::vector<int> sources, destinations;
};

/// What to send: records for destinations[d] (directed strategies) or for all ranks (d = 0 only) are bytes [begin[d], begin[d + 1]) of
/// data.
struct Outgoing {
  std::vector<std::byte> data;
  std::vector<std::size_t> begin;
};

/// What has come. A segment holds whole records of one rank; a rank may have several segments, in order.
struct Incoming {
  struct Segment {
    int source;
    std::size_t begin, end;  ///< bytes of data
  };
  std::vector<std::byte> data;
  std::vector<Segment> segments;
  void clear() { data.clear(), segments.clear(); }
};

/// How multisend knows that all has arrived (Hines 2011, p. 3 and discussion).
enum class Conservation : std::uint8_t { allreduce, reduce_scatter };
/// In the order of the enumerators.
const std::vector<std::string>& conservation_names();
/// Throws UnknownName with the nearest names.
Conservation find_conservation(const std::string& name);

struct Options {
  std::size_t record_bytes = 4;  ///< of one spike: 2, 4, 8 or 16
  std::size_t buffer_bytes = 0;  ///< of fixed buffers, per partner; 0: the strategy's default. Small values are for tests.
  int phases = 1;                ///< 2: by way of about sqrt(ranks) others (Hines 2011, two-phase multisend)
  Conservation conservation = Conservation::allreduce;
};

/// Options that a strategy understands besides the size of records; all others must have their default.
struct Knows {
  bool buffer = false, conservation = false, phases = false;
};

/// Exact counts since the strategy was made; own rank only.
struct Counts {
  std::uint64_t messages = 0;                        ///< sent: point-to-point messages, or collective calls
  std::uint64_t bytes_sent = 0, bytes_received = 0;  ///< with padding of fixed buffers
  std::uint64_t words_sent = 0,
                words_received = 0;  ///< records, i.e. spikes; the counters of a network have called them words from the start
  std::uint64_t rounds = 0;          ///< of the conservation loop, of overflow, of further collective calls
  std::uint64_t buffer_bytes = 0;    ///< held now
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Collective. Takes what `out` holds (it may be changed afterwards).
  virtual void start(const Outgoing& out) = 0;
  /// Collective. Completes the exchange begun by start; `in` is cleared first. Throws BadMessage.
  virtual void finish(Incoming& in) = 0;
  const Counts& counts() const { return counts_; }
  /// Strategies that choose among others say here which one they use and why; "" for all else.
  virtual std::string choice() const { return ""; }

 protected:
  Counts counts_;
};

/// Is a strategy a candidate of `auto`?
enum class Tried : std::uint8_t { never, always, on_shared_nodes };  ///< on_shared_nodes: where some node has several ranks

/// What the file of a strategy says about it, besides its code.
struct StrategyTraits {
  bool directed = true;  ///< false: every rank gets all records of all ranks
  Knows knows = {};
  Tried tried = Tried::never;
  double (*bytes)(const Load&) =
      nullptr;  ///< memory model: bytes that a rank holds (Counts::buffer_bytes without the copy of the records), by expectation
};

struct StrategyInfo {
  std::string name, doc;  ///< doc: one line
  /// Collective. Options that a strategy does not know are refused (BadParameter) on all ranks.
  std::unique_ptr<Strategy> (*make)(comm::Communicator&, const Partners&, const Options&);
  StrategyTraits is;
};

/// Sorted by name.
const std::vector<const StrategyInfo*>& strategies();
/// Throws UnknownName with the nearest names.
const StrategyInfo& find_strategy(const std::string& name);

/// Records have 2, 4, 8 or 16 bytes; else BadParameter.
void check_record_bytes(const Options& options);

/// By T::make where there is one, else by the constructor.
template <class T>
std::unique_ptr<Strategy> make_strategy(comm::Communicator& c, const Partners& p, const Options& o) {
  check_record_bytes(o);
  if constexpr (requires { T::make(c, p, o); })
    return T::make(c, p, o);
  else
    return std::make_unique<T>(c, p, o);
}

}  // namespace npl::exchange

/// Registers a strategy; `id` must be the file's name without .cpp, what follows the documentation is its StrategyTraits.
#define NPL_STRATEGY(id, Type, documentation, ...)                                         \
  namespace npl::exchange {                                                                \
  const StrategyInfo& strategy_##id() {                                                    \
    static const StrategyInfo info{#id, documentation, &make_strategy<Type>, __VA_ARGS__}; \
    return info;                                                                           \
  }                                                                                        \
  }
