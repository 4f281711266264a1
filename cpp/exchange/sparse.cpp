// SPDX-License-Identifier: Apache-2.0
#include "exchange/sparse.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "exchange/tags.hpp"

namespace npl::exchange {

SparseExchange::SparseExchange(comm::Communicator& comm, Ending ending, Counts& counts)
    : comm_(comm), ending_(ending), counts_(counts), tags_(agree_on_tags(comm)) {
  if (ending == Ending::reduce_scatter) to_each_.resize(comm.size());
}

void SparseExchange::send(int to, wire::Bytes data) noexcept {
  const auto post = ending_ == Ending::barrier ? &comm::Communicator::issend : &comm::Communicator::isend;
  try {
    if (requests_.size() == requests_.capacity()) requests_.reserve(2 * requests_.size() + 8);
  } catch (...) {
    failed_ = std::current_exception();
    return;
  }
  requests_.push_back((comm_.*post)(to, tags_ + phase_, data.data(), data.size()));
  if (ending_ == Ending::reduce_scatter) ++to_each_[to];
  ++sent_;
  ++counts_.messages;
  counts_.bytes_sent += data.size();
}

void SparseExchange::sent_all() {
  if (ending_ != Ending::reduce_scatter) return;
  counting_ = comm_.ireduce_scatter(to_each_, &expected_);
  ++counts_.rounds;
}

void SparseExchange::finish(const Place& place) {
  if (ending_ == Ending::allreduce) until_conserved(place);
  if (ending_ == Ending::reduce_scatter) until_counted(place);
  if (ending_ == Ending::barrier) until_all_received(place);
  for (; complete_ < requests_.size(); ++complete_) comm_.wait(requests_[complete_]);
  requests_.clear();
  std::fill(to_each_.begin(), to_each_.end(), 0);
  sent_ = received_ = complete_ = 0;
  phase_ = 1 - phase_;
  dropped_ = {};
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

/// Where a message goes; once memory has run out, where it is dropped. A wrong message throws at once: its sender may never finish.
std::byte* SparseExchange::placed(const Place& place, const comm::Message& message) {
  try {
    if (!failed_) return place(message.source, message.bytes);
  } catch (const std::bad_alloc&) {
    failed_ = std::current_exception();
  }
  try {
    dropped_.resize(std::max(dropped_.size(), message.bytes));
  } catch (...) {
    comm_.abort(1, "out of memory for a message of " + std::to_string(message.bytes) + " bytes");
  }
  return dropped_.data();
}

bool SparseExchange::receive(const Place& place) {
  const auto message = comm_.iprobe(tags_ + phase_);
  if (!message) return false;
  comm_.recv(message->source, tags_ + phase_, placed(place, *message), message->bytes);
  ++received_;
  counts_.bytes_received += message->bytes;
  return true;
}

void SparseExchange::until_conserved(const Place& place) {
  for (std::int64_t missing = 1; missing != 0; ++counts_.rounds) {
    while (receive(place)) {}
    missing = sent_ - received_;
    comm_.allreduce({&missing, 1}, comm::Op::sum);
  }
}

void SparseExchange::until_counted(const Place& place) {
  bool known = false;
  while (!known || received_ < expected_) {
    receive(place);
    known = known || comm_.test(counting_);
  }
  if (received_ != expected_) wire::refuse("number of messages", received_, expected_);
}

void SparseExchange::until_all_received(const Place& place) {
  while (!sends_complete()) receive(place);
  const comm::Request barrier = comm_.ibarrier();
  while (!comm_.test(barrier)) receive(place);
  ++counts_.rounds;
}

bool SparseExchange::sends_complete() {
  while (complete_ < requests_.size() && comm_.test(requests_[complete_])) ++complete_;
  return complete_ == requests_.size();
}

SparseStrategy::SparseStrategy(comm::Communicator& comm, const Partners& partners, const Options& options, bool single_records,
                               Ending ending)
    : StrategyBase(comm, partners, options, {.conservation = ending != Ending::barrier}),
      single_records_(single_records),
      exchange_(comm, ending, counts_) {}

void SparseStrategy::start(const Outgoing& out) {
  accept(out, partners_.destinations.size());
  for (std::size_t d = 0; d < partners_.destinations.size(); ++d) {
    const std::size_t piece = single_records_ ? options_.record_bytes : part(d).size();
    for (std::size_t i = 0; i < part(d).size(); i += piece) exchange_.send(partners_.destinations[d], part(d).subspan(i, piece));
  }
  exchange_.sent_all();
}

void SparseStrategy::finish(Incoming& in) {
  in.clear();
  exchange_.finish([&](int source, std::size_t bytes) {
    check_source(source);
    const std::size_t number = wire::records_in(bytes, options_.record_bytes);
    if (single_records_ && number != 1) wire::refuse("records in a message", number, 1);
    return room(in, source, bytes);
  });
  counts_.buffer_bytes = held(out_.data) + exchange_.held_bytes();
}

}  // namespace npl::exchange
