// SPDX-License-Identifier: Apache-2.0
/// Neighbourhood collectives on the distributed graph of partners.
///   start   ineighbor_alltoallv of the number of records for each destination
///   finish  wait; ineighbor_alltoallv of the records
/// Memory: 20 bytes per partner for counts, the records. Messages: two collective calls, in which every partner gets two messages.
/// Wins where partners are few and steady: waits only for partners, not for all ranks.
#include "exchange/strategy_base.hpp"
#include "exchange/two_phase.hpp"

namespace npl::exchange {
namespace {

class Neighbor final : public StrategyBase {
 public:
  Neighbor(comm::Communicator& comm, const Partners& partners, const Options& options)
      : StrategyBase(comm, partners, options),
        topology_(comm.make_topology(partners.sources, partners.destinations)),
        send_records_(partners.destinations.size()),
        recv_records_(partners.sources.size()),
        send_bytes_(partners.destinations.size()),
        recv_bytes_(partners.sources.size()),
        send_counts_(partners.destinations.size(), sizeof(std::uint32_t)),
        recv_counts_(partners.sources.size(), sizeof(std::uint32_t)) {}

  void start(const Outgoing& out) override {
    accept(out, partners_.destinations.size());
    for (std::size_t d = 0; d < send_records_.size(); ++d) {
      send_bytes_[d] = part(d).size();
      send_records_[d] = static_cast<std::uint32_t>(records(part(d).size()));
    }
    request_ = comm_.ineighbor_alltoallv(topology_, send_records_.data(), send_counts_, recv_records_.data(), recv_counts_);
    count_call(send_records_.size() * sizeof(std::uint32_t), recv_records_.size() * sizeof(std::uint32_t));
  }

  void finish(Incoming& in) override {
    in.clear();
    comm_.wait(request_);
    const std::size_t bytes = wire::sizes_of(recv_records_, options_.record_bytes, recv_bytes_);
    for (std::size_t s = 0; s < recv_bytes_.size(); ++s)
      if (recv_bytes_[s] > 0) room(in, partners_.sources[s], recv_bytes_[s]);
    comm_.wait(comm_.ineighbor_alltoallv(topology_, out_.data.data(), send_bytes_, in.data.data(), recv_bytes_));
    count_call(out_.data.size(), bytes);
    counts_.buffer_bytes = held(out_.data, send_records_, recv_records_, send_bytes_, recv_bytes_, send_counts_, recv_counts_);
  }

 private:
  void count_call(std::size_t sent, std::size_t received) { count_sent(sent), counts_.bytes_received += received; }

  const int topology_;
  std::vector<std::uint32_t> send_records_, recv_records_;
  std::vector<std::size_t> send_bytes_, recv_bytes_;
  const std::vector<std::size_t> send_counts_, recv_counts_;  // of the first call
  comm::Request request_ = 0;
};

using NeighborPhases = OneOrTwoPhases<Neighbor>;

double neighbor_bytes(const Load& l) { return 40 * l.partners; }

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(neighbor, NeighborPhases, "counts and spikes by neighbourhood collectives on the graph of partners",
             {.knows = {.phases = true}, .tried = Tried::always, .bytes = &neighbor_bytes})
