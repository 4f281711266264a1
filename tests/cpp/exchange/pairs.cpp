// SPDX-License-Identifier: Apache-2.0
/// Pairs: point to point, sizes first.
///   start   isend of the number of records to every destination, and of the records where there are any
///   finish  irecv of the numbers, then of the records
/// Memory: 12 to 20 bytes per destination, 12 per source. Messages: one per destination, two where there are records.
#include "exchange/strategy_base.hpp"
#include "exchange/tags.hpp"

namespace npl::exchange {
namespace {

class Pairs final : public StrategyBase {
 public:
  Pairs(comm::Communicator& comm, const Partners& partners, const Options& options)
      : StrategyBase(comm, partners, options),
        tags_(agree_on_tags(comm)),
        announced_(partners.destinations.size()),
        expected_(partners.sources.size()),
        bytes_(partners.sources.size()) {}

  void start(const Outgoing& out) override {
    accept(out, announced_.size());
    for (std::size_t d = 0; d < announced_.size(); ++d) {
      announced_[d] = static_cast<std::uint32_t>(records(part(d).size()));
      send(d, tags_, std::as_bytes(std::span(&announced_[d], 1)));
      if (!part(d).empty()) send(d, tags_ + 1, part(d));
    }
  }

  void finish(Incoming& in) override {
    in.clear();
    for (std::size_t s = 0; s < expected_.size(); ++s) receive(s, tags_, &expected_[s], sizeof expected_[s]);
    wire::sizes_of(expected_, options_.record_bytes, bytes_);
    for (std::size_t s = 0; s < bytes_.size(); ++s)
      if (bytes_[s] > 0) receive(s, tags_ + 1, room(in, partners_.sources[s], bytes_[s]), bytes_[s]);
    for (const comm::Request r : under_way_) comm_.wait(r);
    under_way_.clear();
    counts_.buffer_bytes = held(out_.data, announced_, expected_, bytes_, under_way_);
  }

 private:
  void send(std::size_t d, int tag, wire::Bytes data) {
    under_way_.push_back(comm_.isend(partners_.destinations[d], tag, data.data(), data.size()));
    count_sent(data.size());
  }
  void receive(std::size_t s, int tag, void* to, std::size_t bytes) {
    comm_.wait(comm_.irecv(partners_.sources[s], tag, to, bytes));
    counts_.bytes_received += bytes;
  }

  const int tags_;
  std::vector<std::uint32_t> announced_, expected_;
  std::vector<std::size_t> bytes_;
  std::vector<comm::Request> under_way_;
};

double pairs_bytes(const Load& l) { return (4 + 4 + 8) * l.partners + 8 * (l.partners + l.active()); }

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(pairs, Pairs, "sizes, then spikes to every partner by Isend and Irecv", {.bytes = &pairs_bytes})
