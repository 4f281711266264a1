// SPDX-License-Identifier: Apache-2.0
/// Alltoallv: counts first, then exactly the records.
///   start   ialltoall of the number of records for each rank
///   finish  wait; alltoallv of the records
/// Memory: 24 bytes per rank for counts, by the method, and the records without padding. Messages: two collective calls.
/// Wins over alltoall where loads are uneven or bursts are large, as nothing is padded; loses the time of the second call.
#include "exchange/strategy_base.hpp"

namespace npl::exchange {
namespace {

class Alltoallv final : public StrategyBase {
 public:
  Alltoallv(comm::Communicator& comm, const Partners& partners, const Options& options)
      : StrategyBase(comm, partners, options), send_records_(ranks()), recv_records_(ranks()), send_bytes_(ranks()), recv_bytes_(ranks()) {}

  void start(const Outgoing& out) override {
    accept(out, partners_.destinations.size());
    for (std::size_t d = 0; d < partners_.destinations.size(); ++d) {
      send_bytes_[partners_.destinations[d]] = part(d).size();
      send_records_[partners_.destinations[d]] = static_cast<std::uint32_t>(records(part(d).size()));
    }
    request_ = comm_.ialltoall(send_records_.data(), sizeof(std::uint32_t), recv_records_.data());
    count_call(sizeof(std::uint32_t) * (ranks() - 1), sizeof(std::uint32_t) * (ranks() - 1));
  }

  void finish(Incoming& in) override {
    in.clear();
    comm_.wait(request_);
    const std::size_t bytes = wire::sizes_of(recv_records_, options_.record_bytes, recv_bytes_);
    for (int r = 0; r < ranks(); ++r) {
      if (recv_bytes_[r] == 0) continue;
      check_source(r);
      room(in, r, recv_bytes_[r]);
    }
    comm_.alltoallv(out_.data.data(), send_bytes_, in.data.data(), recv_bytes_);
    count_call(out_.data.size(), bytes);
    counts_.buffer_bytes = held(out_.data, send_records_, recv_records_, send_bytes_, recv_bytes_);
  }

 private:
  void count_call(std::size_t sent, std::size_t received) { count_sent(sent), counts_.bytes_received += received; }

  std::vector<std::uint32_t> send_records_, recv_records_;
  std::vector<std::size_t> send_bytes_, recv_bytes_;
  comm::Request request_ = 0;
};

double alltoallv_bytes(const Load& l) { return 24 * l.ranks; }

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(alltoallv, Alltoallv, "counts by Alltoall, spikes by Alltoallv", {.tried = Tried::always, .bytes = &alltoallv_bytes})
