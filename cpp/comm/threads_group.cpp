// SPDX-License-Identifier: Apache-2.0
// Operations in flight and messages of a group of threads.
#include "comm/threads_group.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace npl::comm {

void end_job(int rank, int ranks, int code, const std::string& why) {
  std::fprintf(stderr, "neuropil: rank %d of %d: %s\n", rank, ranks, why.c_str());
  std::fflush(nullptr);
  std::_Exit(code);
}

// --- messages

std::optional<Incoming> Mailbox::put(Channel channel, Outgoing message) {
  std::lock_guard lock(mutex_);
  Queue& queue = queues_[channel];
  const auto match =
      std::find_if(queue.receives.begin(), queue.receives.end(), [&](const Incoming& r) { return r.source == message.source; });
  if (match != queue.receives.end()) {
    const Incoming receive = *match;
    queue.receives.erase(match);
    return receive;
  }
  if (!message.open && message.bytes) {
    message.copy = std::make_unique_for_overwrite<std::byte[]>(message.bytes);
    std::memcpy(message.copy.get(), message.data, message.bytes);
    message.data = message.copy.get();
  }
  queue.messages.push_back(std::move(message));
  return std::nullopt;
}

std::optional<Outgoing> Mailbox::take(Channel channel, const Incoming& receive) {
  std::lock_guard lock(mutex_);
  Queue& queue = queues_[channel];
  const auto match =
      std::find_if(queue.messages.begin(), queue.messages.end(), [&](const Outgoing& m) { return m.source == receive.source; });
  if (match == queue.messages.end()) {
    queue.receives.push_back(receive);
    return std::nullopt;
  }
  std::optional<Outgoing> message(std::move(*match));
  queue.messages.erase(match);
  return message;
}

std::optional<Message> Mailbox::oldest(Channel channel) {
  std::lock_guard lock(mutex_);
  const auto found = queues_.find(channel);
  if (found == queues_.end() || found->second.messages.empty()) return std::nullopt;
  const Outgoing& message = found->second.messages.front();
  return Message{message.source, message.bytes};
}

void Mailbox::forget_receives() {
  std::lock_guard lock(mutex_);
  for (auto& [channel, queue] : queues_) queue.receives.clear();
}

void Group::deliver(int at, const Outgoing& message, const Incoming& receive) {
  if (message.bytes > receive.bytes || (receive.exact && message.bytes != receive.bytes))
    fail(at, "rank " + std::to_string(message.source) + " sent " + std::to_string(message.bytes) + " bytes, expected " +
                 std::to_string(receive.bytes));
  if (message.bytes) std::memcpy(receive.data, message.data, message.bytes);
  // As soon as a counter is zero its owner may go on and destroy it: from then on only the group is used.
  receive.open->fetch_sub(1, std::memory_order_acq_rel);
  if (message.open) message.open->fetch_sub(1, std::memory_order_acq_rel);
}

void Group::send(Channel channel, int from, int to, const void* data, std::size_t bytes, std::atomic<int>* open) {
  if (to < 0 || to >= ranks) fail(from, "no rank " + std::to_string(to) + " to send to");
  const auto* begin = static_cast<const std::byte*>(data);
  const auto receive = mailbox(to).put(channel, {from, begin, bytes, open});
  if (!receive) return;
  deliver(to, {from, begin, bytes, open}, *receive);
  wake(to);
}

void Group::receive(Channel channel, int at, const Incoming& receive) {
  if (receive.source < 0 || receive.source >= ranks) fail(at, "no rank " + std::to_string(receive.source) + " to receive from");
  const auto message = mailbox(at).take(channel, receive);
  if (!message) return;
  deliver(at, *message, receive);
  if (message->open) wake(message->source);
}

// --- operations

// Spinning helps only while the other thread runs.
Group::Group(std::vector<int> nodes_of_ranks, std::string name)
    : name(std::move(name)),
      nodes(std::move(nodes_of_ranks)),
      ranks(static_cast<int>(nodes.size())),
      mailboxes_(static_cast<std::size_t>(ranks)) {
  const SpinBudget spin_budget(ranks <= machine_cores() ? SpinBudget::full : 0);
  for (int r = 0; r < ranks; ++r) signals_.emplace_back(spin_budget);
}

Operation& Group::operation(std::uint64_t sequence) {
  std::lock_guard lock(mutex_);
  if (sequence == first_started_ + started_.size()) {
    if (free_.empty()) free_.push_back(&all_.emplace_back(ranks));
    started_.push_back(free_.back());
    free_.pop_back();
  }
  Operation& found = *started_[sequence - first_started_];
  // Each rank asks in order, so the first operation started is also the first that all ranks have fetched.
  if (++found.found == ranks) {
    started_.pop_front();
    ++first_started_;
  }
  return found;
}

void Group::give_back(Operation& operation) {
  std::lock_guard lock(mutex_);
  if (++operation.left < ranks) return;
  operation.reset();
  free_.push_back(&operation);
}

}  // namespace npl::comm
