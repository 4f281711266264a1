// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/log_gamma.hpp"
#include "base/math.hpp"
#include "deliver/sizes.hpp"
#include "exchange/strategy.hpp"

namespace npl::sim {
namespace {

constexpr double header = 8, record = 16;  ///< bytes in front of a block, and of the words of a pair of ranks
constexpr double first_buffer = 64;        ///< bytes of the smallest buffer of fixed size

double bits(double values) { return values < 1 ? 0 : std::ilogb(values) + 1; }

/// About the largest of so many numbers of events with this mean.
double largest_of(double mean, double draws) {
  if (mean <= 0) return 0;
  if (mean > 2000) return mean + std::sqrt(2 * mean * math::log(std::max(draws, 2.0)));
  for (double x = std::floor(mean) + 1;; ++x) {
    const double tail = math::exp(x * math::log(mean) - mean - log_gamma(x + 1)) / (1 - mean / (x + 1));
    if (draws * tail < 0.5) return x - 1;
  }
}

/// What the strategies' formulas are written in.
struct Load {
  double ranks, partners, words, word_bytes, spikes;
  double block(double most) const {  ///< a buffer of fixed size with its header
    const double first = first_buffer / word_bytes;
    return header + word_bytes * (most <= first ? first : std::floor(most) + std::floor(most / 4));
  }
  double per_partner() const { return largest_of(words / std::max(partners, 1.0), partners); }
  double active() const { return partners * -math::expm1(-words / std::max(partners, 1.0)); }
};

double allgather_bytes(const Load& l) { return (l.ranks + 1) * l.block(largest_of(l.spikes, l.ranks)) + 8 * l.ranks; }
double alltoall_bytes(const Load& l) { return 2 * l.ranks * l.block(l.per_partner()); }
double alltoallv_bytes(const Load& l) { return 24 * l.ranks; }
double neighbor_bytes(const Load& l) { return 40 * l.partners; }
double persistent_bytes(const Load& l) {
  constexpr double channel = 80;
  return 2 * (l.partners * l.block(largest_of(l.words / std::max(l.partners, 1.0), 100)) + channel * math::power_of_two_from(std::max(l.partners, 1.0)));
}
double requests_bytes(const Load& l) { return 8 * l.active(); }
double shared_bytes(const Load& l) { return 2 * std::max(4096.0, 1.25 * (l.words * l.word_bytes + record * l.active())) + l.words * l.word_bytes + record * l.active(); }

double strategy_bytes(const std::string& name, const Load& l) {
  if (name == "allgather") return allgather_bytes(l);
  if (name == "alltoall") return alltoall_bytes(l);
  if (name == "alltoallv") return alltoallv_bytes(l);
  if (name == "neighbor") return neighbor_bytes(l);
  if (name == "persistent") return persistent_bytes(l);
  if (name == "multisend") return 8 * l.words;
  if (name == "shared") return shared_bytes(l);
  if (name != "auto") return requests_bytes(l);
  // All that are tried are there at first, each with its copy of the words.
  return alltoall_bytes(l) + alltoallv_bytes(l) + neighbor_bytes(l) + persistent_bytes(l) + requests_bytes(l) + 4 * l.words * l.word_bytes;
}

/// What a vector holds that grew by itself to n entries.
double grown(double n) { return math::power_of_two_from(n); }

/// Tables of the dense regime from numbers of sources to rows.
double lookup_bytes(double sources, double rows) { return sources <= 4 * rows ? 4 * sources : 12 * rows; }

/// Counts per sender and part (AddressBook).
double book_bytes(double senders, double parts, double addresses) {
  if (senders < 1) return 0;
  const double each = deliver::mean_varint_below(2 * addresses / parts), stretches = std::ceil(senders / 64);
  return senders * parts * each + 8 * stretches + 4 * stretches * parts + 8 * parts;
}

/// Entries of Routing: to the next destination, and the address there.
double entry_bytes(double sources, double routes, double partners) {
  const double addresses = routes / std::max(partners, 1.0), density = routes / std::max(sources * partners, 1.0);
  return routes * (deliver::mean_varint(density) + deliver::mean_varint_below(addresses));
}

/// Bytes of a spike on the wire.
double choose_word(const Machine& m, const Outline& o, const ExchangeSize& x, double nodes, bool directed) {
  const double interval = o.min_delay ? o.min_delay : 1, part = m.halves ? std::ceil(interval / 2) : interval;
  const double lag = bits(std::max(part - 1, 0.0));
  if (!directed) return bits(nodes / m.ranks) + lag <= 16 ? 2 : bits(nodes) + lag <= 32 ? 4 : 8;
  const double most = bits(largest_of(x.routes / std::max(x.partners, 1.0), m.ranks * std::max(x.partners, 1.0))) + lag;
  return most <= 16 ? 2 : most <= 32 ? 4 : 8;
}

double nodes_of(const Outline& o, double scale) {
  double n = 0;
  for (const auto& p : o.nodes) n += p.n * scale;
  return n;
}

}  // namespace

ExchangeSize exchange_size(const Outline& o, const Machine& m, double slices, const std::vector<TableSize>& slice) {
  ExchangeSize size;
  if (m.ranks <= 1) return size;
  const bool directed = exchange::find_strategy(m.strategy).directed;
  const double nodes = nodes_of(o, m.scale), mine = nodes / m.ranks, others = (m.ranks - 1) / m.ranks;
  double rows = 0, lookup = 0, unsorted = 0, longest = 0;
  const double sources = sources_reached(o, m.ranks, m.scale), parts = slices * static_cast<double>(slice.size());
  for (const TableSize& t : slice) {
    rows += slices * t.rows;
    const double within = std::min(sources, t.span);  // numbers from its first source to its last one; by rank, all but a rank's at the ends
    lookup += slices * lookup_bytes(o.by_rank ? sources - (sources - within) / m.ranks : within, t.rows);
    longest = std::max(longest, t.rows);
    if (o.by_rank && !t.sorted) unsorted += slices * t.rows;
  }
  constexpr double weight = 7;  // of a route, as Exchanger counts it: about 3 bytes, and its traffic
  size.dense = m.regime == "auto" ? sources * weight + lookup < rows * weight : m.regime == "dense";
  const double interval = o.resolution * (o.min_delay ? o.min_delay : 1), spikes = mine * m.rate * 1e-3 * interval;
  size.routes = directed ? others * (size.dense ? sources : rows) : 0;
  size.words = directed ? spikes * size.routes / std::max(mine, 1.0) : spikes;
  size.partners = directed ? (m.ranks - 1) * -math::expm1(-size.routes / (m.ranks - 1)) : m.ranks - 1;
  const double word = o.precise() ? 16 : choose_word(m, o, size, nodes, directed);
  if (directed) {
    size.tables = 8 * (mine + 2) + entry_bytes(mine, size.routes, size.partners);
    size.tables += book_bytes(size.partners, size.dense ? 1 : parts, size.routes / std::max(size.partners, 1.0)) + (size.dense ? lookup : 4 * unsorted);
    // Lists that grow leave holes behind, which the heap keeps until the end.
    constexpr double holes = 1.4, round = 16 << 20;
    const double lists = size.dense ? 8 * grown(sources + longest) + 16 * (grown(sources) + grown(longest)) + 8 * sources : 16 * unsorted;
    const double letters = 1.3 * size.routes, under_way = std::min(letters, round) + 170 * size.partners;
    size.construction = std::max(holes * lists, letters + under_way + (4 + 16 * m.threads) * mine + (size.dense ? 16 * grown(sources) : holes * lists));
  } else if (word == 2) {
    size.tables = 8 * nodes;  // numbers of all nodes
  }
  const double heard = directed ? size.words : spikes * m.ranks, waiting = (directed ? 8 : sizeof(Spike)) + (o.precise() ? sizeof(double) : 0);  // an Arrival, or a Spike
  size.buffers = 2 * size.words * word + heard * (word + waiting) + 24 * size.partners + strategy_bytes(m.strategy, {m.ranks, size.partners, size.words, word, spikes});
  return size;
}

}  // namespace npl::sim
