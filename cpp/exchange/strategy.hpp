// SPDX-License-Identifier: Apache-2.0
/// How spikes travel between ranks: one file per strategy in exchange/strategies/, chosen by name. A strategy moves opaque words (a spike
/// as the receiver wants it, 2, 4 or 8 bytes) and never looks into them. All strategies deliver the same words; words from one rank to
/// another keep their order. start and finish are apart so that computation can go on between them; at most one exchange is under way.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace npl::exchange {

/// Ranks this one exchanges words with, ascending, without itself; consistent over ranks.
struct Partners {
  std::vector<int> sources, destinations;
};

/// What to send: words for destinations[d] (directed strategies) or for all ranks (d = 0 only) are bytes [begin[d], begin[d + 1]) of data.
struct Outgoing {
  std::vector<std::byte> data;
  std::vector<std::size_t> begin;
};

/// What has come: data of one rank per segment; a rank may have several segments, in order.
struct Incoming {
  struct Segment {
    int source;
    std::size_t begin, end;
  };
  std::vector<std::byte> data;
  std::vector<Segment> segments;
  void clear() { data.clear(), segments.clear(); }
};

enum class Conservation : std::uint8_t { allreduce, reduce_scatter };  ///< how multisend knows that all has arrived (Hines 2011, p. 3 and discussion)

struct Options {
  std::size_t word_bytes = 4;
  std::size_t buffer_bytes = 0;     ///< of fixed buffers, per partner; 0: the strategy's default. Small values are for tests.
  int phases = 1;                   ///< 2: by way of about sqrt(ranks) others (Hines 2011, two-phase multisend)
  Conservation conservation = Conservation::allreduce;
};

/// Exact counts since the strategy was made; own rank only.
struct Counts {
  std::uint64_t messages = 0;       ///< sent: point-to-point messages, or collective calls
  std::uint64_t bytes_sent = 0, bytes_received = 0;  ///< with padding of fixed buffers
  std::uint64_t words_sent = 0, words_received = 0;
  std::uint64_t rounds = 0;         ///< of the conservation loop, of overflow, of further collective calls
  std::uint64_t buffer_bytes = 0;   ///< held now
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Collective. Takes what `out` holds (it may be changed afterwards).
  virtual void start(const Outgoing& out) = 0;
  /// Collective. Completes the exchange begun by start; `in` is cleared first.
  virtual void finish(Incoming& in) = 0;
  const Counts& counts() const { return counts_; }
  /// Strategies that choose among others say here which one they use and why; "" for all else.
  virtual std::string choice() const { return ""; }

 protected:
  Counts counts_;
};

struct StrategyInfo {
  std::string name, doc;
  bool directed;                     ///< false: every rank gets all words of all ranks
  /// Collective. Options that a strategy does not know are refused (BadParameter) on all ranks.
  std::unique_ptr<Strategy> (*make)(comm::Communicator&, const Partners&, const Options&);
};

const std::vector<const StrategyInfo*>& strategies();
/// Throws UnknownName with the nearest names.
const StrategyInfo& find_strategy(const std::string& name);

/// Words are 2, 4 or 8 bytes; else BadParameter.
void check_word_bytes(const Options& options);

/// By T::make where there is one, else by the constructor.
template <class T>
std::unique_ptr<Strategy> make_strategy(comm::Communicator& c, const Partners& p, const Options& o) {
  check_word_bytes(o);
  if constexpr (requires { T::make(c, p, o); })
    return T::make(c, p, o);
  else
    return std::make_unique<T>(c, p, o);
}

}  // namespace npl::exchange

/// Registers a strategy; `id` must be the file's name without .cpp.
#define NPL_STRATEGY(id, Type, is_directed, documentation)                                              \
  namespace npl::exchange {                                                                             \
  const StrategyInfo& strategy_##id() {                                                                 \
    static const StrategyInfo info{#id, documentation, is_directed, &make_strategy<Type>};              \
    return info;                                                                                        \
  }                                                                                                     \
  }
