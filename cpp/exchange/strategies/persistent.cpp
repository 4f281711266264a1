// SPDX-License-Identifier: Apache-2.0
/// Persistent point-to-point, the MPI form of record-replay (Hines et al. 2011, Methods: the way of a message is set up once, then it is
/// only started again).
///   once    send_init and recv_init of a buffer of fixed size with every partner
///   start   start of all of them; what does not fit leaves at once as an ordinary message
///   finish  wait for all; irecv of what did not fit, whose size stands in the buffer; wait
/// Both sides of a pair see the same loads, which travel with the records, and resize their buffers (Capacity) in the same exchange.
/// Memory: a buffer per partner and direction. Messages: one per destination, even without records, two in a burst of the pair.
/// Wins where partners are few and most have records in most intervals: cheapest to start, and waits for partners only.
#include <algorithm>
#include <cmath>

#include "base/math.hpp"
#include "exchange/capacity.hpp"
#include "exchange/strategy_base.hpp"
#include "exchange/tags.hpp"
#include "exchange/two_phase.hpp"

namespace npl::exchange {
namespace {

struct Channel {
  explicit Channel(int with, std::size_t records) : partner(with), capacity(records) {}
  int partner;
  Capacity capacity;
  std::vector<std::byte> block;
  comm::Request request = 0;
  std::size_t most = 0;  // records of this exchange
};

class Persistent final : public StrategyBase {
 public:
  Persistent(comm::Communicator& comm, const Partners& partners, const Options& options)
      : StrategyBase(comm, partners, options, {.buffer = true}), tags_(agree_on_tags(comm)) {
    for (const int d : partners.destinations) senders_.emplace_back(d, first_capacity());
    for (const int s : partners.sources) receivers_.emplace_back(s, first_capacity());
    for (Channel& c : senders_) open_sender(c);
    for (Channel& c : receivers_) open_receiver(c);
  }

  ~Persistent() override {
    for (Channel& c : senders_) comm_.release(c.request);
    for (Channel& c : receivers_) comm_.release(c.request);
  }

  void start(const Outgoing& out) override {
    accept(out, senders_.size());
    std::vector<comm::Request> all;
    for (Channel& c : receivers_) all.push_back(c.request);
    for (std::size_t d = 0; d < senders_.size(); ++d) fill(senders_[d], part(d)), all.push_back(senders_[d].request);
    comm_.start(all);
    for (std::size_t d = 0; d < senders_.size(); ++d) send_overflow(senders_[d], part(d));
  }

  void finish(Incoming& in) override {
    in.clear();
    // Before anything is read: a refused block throws, and requests that are under way could not be released.
    for (Channel& c : receivers_) comm_.wait(c.request);
    for (Channel& c : senders_) comm_.wait(c.request);
    for (Channel& c : receivers_) receive(c, in);
    for (Channel& c : receivers_) fill_in(c, in);
    for (const comm::Request r : overflow_) comm_.wait(r);
    overflow_.clear();
    counts_.buffer_bytes = held(out_.data, overflow_, senders_, receivers_);
    for (Channel& c : senders_) adapt(c, &Persistent::open_sender);
    for (Channel& c : receivers_) adapt(c, &Persistent::open_receiver);
  }

 private:
  std::size_t room_of(const Channel& c) const { return c.capacity.records() * options_.record_bytes; }

  void open_sender(Channel& c) {
    c.block.assign(sizeof(wire::BlockHeader) + room_of(c), {});
    c.request = comm_.send_init(c.partner, tags_, c.block.data(), c.block.size());
  }

  void open_receiver(Channel& c) {
    c.block.assign(sizeof(wire::BlockHeader) + room_of(c), {});
    c.request = comm_.recv_init(c.partner, tags_, c.block.data(), c.block.size());
  }

  void adapt(Channel& c, void (Persistent::*open)(Channel&)) {
    if (c.capacity.observe(c.most)) {
      comm_.release(c.request);
      c.block = {};
      (this->*open)(c);
    }
    counts_.buffer_bytes += held(c.block);
  }

  void fill(Channel& c, wire::Bytes data) {
    const std::size_t bytes = std::min(data.size(), room_of(c));
    c.most = records(data.size());
    wire::store(c.block.data(), wire::BlockHeader{static_cast<std::uint32_t>(records(bytes)), static_cast<std::uint32_t>(c.most)});
    std::copy_n(data.data(), bytes, c.block.data() + sizeof(wire::BlockHeader));
    count_sent(c.block.size());
  }

  void send_overflow(Channel& c, wire::Bytes data) {
    if (data.size() <= room_of(c)) return;
    overflow_.push_back(comm_.isend(c.partner, tags_ + 1, data.data() + room_of(c), data.size() - room_of(c)));
    count_sent(data.size() - room_of(c));
    ++counts_.rounds;
  }

  // Makes room for all records of the pair. Room is made for all pairs before any is filled, since `in` moves when it grows.
  void receive(Channel& c, Incoming& in) {
    counts_.bytes_received += c.block.size();
    c.most = wire::read_first_block(c.block, options_.record_bytes).most;
    if (c.most > 0) room(in, c.partner, c.most * options_.record_bytes);
  }

  void fill_in(Channel& c, Incoming& in) {
    if (c.most == 0) return;
    std::byte* to = in.data.data() + segment_of(c.partner, in).begin;
    const wire::Bytes first = wire::read_first_block(c.block, options_.record_bytes).data;
    std::copy(first.begin(), first.end(), to);
    const std::size_t left = c.most * options_.record_bytes - first.size();
    if (left == 0) return;
    overflow_.push_back(comm_.irecv(c.partner, tags_ + 1, to + first.size(), left));
    counts_.bytes_received += left;
  }

  static const Incoming::Segment& segment_of(int source, const Incoming& in) {
    return *std::lower_bound(in.segments.begin(), in.segments.end(), source, [](const auto& s, int r) { return s.source < r; });
  }

  const int tags_;
  std::vector<Channel> senders_, receivers_;
  std::vector<comm::Request> overflow_;
};

using PersistentPhases = OneOrTwoPhases<Persistent>;

/// Both ways: a buffer per partner, and its channel in a vector that doubles as it grows.
double persistent_bytes(const Load& l) {
  const double partners = std::max(l.partners, 1.0), channels = math::power_of_two_from(partners);
  return 2 * (l.partners * l.block(largest_of(l.records / partners, 100)) + channels * sizeof(Channel));
}

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(persistent, PersistentPhases,
             "fixed buffers to partners by Send_init and Recv_init, overflow in a second message (record-replay, Hines 2011)",
             {.knows = {.buffer = true, .phases = true}, .tried = Tried::always, .bytes = &persistent_bytes})
