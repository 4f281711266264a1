// SPDX-License-Identifier: Apache-2.0
#include "exchange/two_phase.hpp"

#include <algorithm>
#include <cmath>

#include "exchange/sparse.hpp"

namespace npl::exchange {
namespace {

using Ways = std::map<int, std::vector<int>>;  // intermediate or source: destinations

// The inner strategies check all other options.
Options one_phase(Options options) {
  options.phases = 1;
  return options;
}

std::vector<int> keys(const Ways& ways) {
  std::vector<int> found;
  for (const auto& [rank, destinations] : ways) found.push_back(rank);
  return found;
}

void sort_and_unite(std::vector<int>& ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

// Calls use(source, bytes) once per source with all that it sent: a packet may be cut between two segments.
template <class Use>
void per_source(const Incoming& in, Use use) {
  std::vector<Incoming::Segment> segments = in.segments;
  std::stable_sort(segments.begin(), segments.end(), [](auto& a, auto& b) { return a.source < b.source; });
  std::vector<std::byte> whole;
  for (std::size_t i = 0; i < segments.size();) {
    const int source = segments[i].source;
    whole.clear();
    for (; i < segments.size() && segments[i].source == source; ++i)
      wire::append(whole, {in.data.data() + segments[i].begin, segments[i].end - segments[i].begin});
    use(source, wire::Bytes(whole));
  }
}

}  // namespace

int intermediate(int source, int destination, int ranks) {
  const int columns = static_cast<int>(std::ceil(std::sqrt(ranks)));
  const int along_row = source - source % columns + destination % columns;
  // A short last row may have no such column. Then the destination is in another row, which is complete.
  return along_row < ranks ? along_row : destination - destination % columns + source % columns;
}

TwoPhase::TwoPhase(comm::Communicator& comm, const Partners& partners, const Options& options, Make make, bool single_records)
    : StrategyBase(comm, partners, one_phase(options), {.buffer = true, .conservation = true}), single_records_(single_records) {
  if (comm.mirrored())
    throw BadParameter("phases", 2, "1 in a dry run: one rank alone cannot emulate the spikes that others send through it");
  derive_partners();
  Options inner = one_phase(options);
  if (single_records) inner.record_bytes += sizeof(wire::PacketHeader);
  for (Phase* phase : {&first_, &second_}) {
    phase->packets.resize(phase->partners.destinations.size());
    phase->strategy = make(comm, phase->partners, inner);
  }
}

// A rank can compute the intermediates of all it sends and of all it gets. Intermediates are told what will pass through them.
void TwoPhase::derive_partners() {
  const int me = comm_.rank();
  Ways mine;
  auto& next = second_.partners.destinations;
  for (const int d : partners_.destinations) {
    const int via = intermediate(me, d, ranks());
    via == me ? next.push_back(d) : mine[via].push_back(d);
  }
  const Ways others = learn_ways(mine);
  for (const auto& [source, destinations] : others)
    std::copy_if(destinations.begin(), destinations.end(), std::back_inserter(next), [&](int d) { return d != me; });
  for (const int s : partners_.sources)
    if (const int via = intermediate(s, me, ranks()); via != me) second_.partners.sources.push_back(via);
  sort_and_unite(next);
  sort_and_unite(second_.partners.sources);
  first_.partners = {keys(others), keys(mine)};
}

Ways TwoPhase::learn_ways(const Ways& mine) {
  SparseExchange exchange(comm_, Ending::barrier, setup_);
  Ways others;
  comm_.before_messages();
  for (const auto& [via, destinations] : mine) exchange.send(via, std::as_bytes(std::span(destinations)));
  exchange.sent_all();
  exchange.finish([&](int source, std::size_t bytes) {
    others[source].resize(wire::records_in(bytes, sizeof(int)));
    return reinterpret_cast<std::byte*>(others[source].data());
  });
  return others;
}

void TwoPhase::Phase::start() {
  Outgoing out;
  out.begin.push_back(0);
  for (auto& part : packets) {
    wire::append(out.data, part);
    out.begin.push_back(out.data.size());
    part.clear();
  }
  strategy->start(out);
}

std::vector<std::byte>* TwoPhase::Phase::packets_for(int destination) {
  const auto& all = partners.destinations;
  const auto found = std::lower_bound(all.begin(), all.end(), destination);
  return found == all.end() || *found != destination ? nullptr : &packets[found - all.begin()];
}

void TwoPhase::start(const Outgoing& out) {
  accept(out, partners_.destinations.size());
  for (std::size_t d = 0; d < partners_.destinations.size(); ++d) {
    if (part(d).empty()) continue;
    const int destination = partners_.destinations[d], via = intermediate(comm_.rank(), destination, ranks());
    via == comm_.rank() ? send_by(second_, destination, destination, part(d)) : send_by(first_, via, destination, part(d));
  }
  first_.start();
  count();
}

void TwoPhase::send_by(Phase& phase, int to, int destination, wire::Bytes data) {
  const std::size_t piece = single_records_ ? options_.record_bytes : data.size();
  for (std::size_t i = 0; i < data.size(); i += piece)
    wire::append_packet(*phase.packets_for(to), comm_.rank(), destination, data.subspan(i, piece), options_.record_bytes);
}

void TwoPhase::finish(Incoming& in) {
  in.clear();
  const auto each_packet = [&](auto use) {
    per_source(moved_, [&](int from, wire::Bytes rest) {
      while (!rest.empty()) (this->*use)(from, wire::take_packet(rest, options_.record_bytes), in);
    });
  };
  first_.strategy->finish(moved_);
  each_packet(&TwoPhase::forward);
  second_.start();
  second_.strategy->finish(moved_);
  each_packet(&TwoPhase::arrive);
  count();
}

void TwoPhase::forward(int from, const wire::Packet& packet, Incoming& in) {
  if (packet.source != static_cast<std::uint32_t>(from)) wire::refuse("source of a packet in the first phase", packet.source, from);
  if (packet.destination == static_cast<std::uint32_t>(comm_.rank())) {
    check_source(from);
    return take(in, from, packet.data);
  }
  auto* next = second_.packets_for(static_cast<int>(packet.destination));
  if (!next) throw BadMessage("message refused: nothing is to be forwarded to rank " + std::to_string(packet.destination));
  wire::append_packet(*next, from, static_cast<int>(packet.destination), packet.data, options_.record_bytes);
}

void TwoPhase::arrive(int from, const wire::Packet& packet, Incoming& in) {
  if (packet.destination != static_cast<std::uint32_t>(comm_.rank()))
    wire::refuse("destination of a packet in the second phase", packet.destination, comm_.rank());
  const int source = static_cast<int>(packet.source);
  check_source(source);
  if (intermediate(source, comm_.rank(), ranks()) != from)
    throw BadMessage("message refused: packet of rank " + std::to_string(source) + " came the wrong way");
  take(in, source, packet.data);
}

// Records are counted here, messages, bytes and rounds by the two inner strategies.
void TwoPhase::count() {
  const Counts &a = first_.strategy->counts(), &b = second_.strategy->counts();
  counts_.messages = a.messages + b.messages;
  counts_.bytes_sent = a.bytes_sent + b.bytes_sent;
  counts_.bytes_received = a.bytes_received + b.bytes_received;
  counts_.rounds = a.rounds + b.rounds;
  counts_.buffer_bytes = a.buffer_bytes + b.buffer_bytes + held(out_.data, moved_.data);
  for (const Phase* phase : {&first_, &second_})
    for (const auto& part : phase->packets) counts_.buffer_bytes += held(part);
}

}  // namespace npl::exchange
