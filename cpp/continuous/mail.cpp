// SPDX-License-Identifier: Apache-2.0
#include "continuous/mail.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace npl::continuous {

void Mail::set(const std::vector<MailList>& lists) {
  sent_.clear(), received_.clear();
  for (const MailList& l : lists) {
    for (const MailList::Sent& s : l.sent) sent_.push_back({l.course, s});
    for (const MailList::Received& r : l.received) received_.push_back({l.course, r});
  }
  std::stable_sort(sent_.begin(), sent_.end(), [](const auto& a, const auto& b) { return a.part.to < b.part.to; });
  std::stable_sort(received_.begin(), received_.end(), [](const auto& a, const auto& b) { return a.part.from < b.part.from; });
  std::vector<int> sources, destinations;
  for (const auto& s : sent_)
    if (destinations.empty() || destinations.back() != s.part.to) destinations.push_back(s.part.to);
  for (const auto& r : received_)
    if (sources.empty() || sources.back() != r.part.from) sources.push_back(r.part.from);
  std::int64_t changed = topology_ < 0 || sources != sources_ || destinations != destinations_;
  comm_.allreduce(std::span<std::int64_t>(&changed, 1), comm::Op::max);
  if (!changed) return;
  topology_ = comm_.make_topology(sources, destinations);
  sources_ = std::move(sources), destinations_ = std::move(destinations);
}

void Mail::exchange(Step from, Step until) {
  const auto steps = static_cast<std::size_t>(until - from);
  send_.clear(), send_bytes_.clear(), recv_bytes_.clear();
  for (auto s = sent_.begin(); const int rank : destinations_) {
    const std::size_t before = send_.size();
    for (; s != sent_.end() && s->part.to == rank; ++s)
      for (Step step = from; step < until; ++step)
        for (const std::uint32_t column : s->part.columns) send_.push_back(s->course->row(step)[column]);
    send_bytes_.push_back((send_.size() - before) * sizeof(double));
  }
  for (auto r = received_.begin(); const int rank : sources_) {
    std::size_t n = 0;
    for (; r != received_.end() && r->part.from == rank; ++r) n += r->part.n;
    recv_bytes_.push_back(n * steps * sizeof(double));
  }
  recv_.resize(std::accumulate(recv_bytes_.begin(), recv_bytes_.end(), std::size_t{0}) / sizeof(double));
  comm_.before_messages();
  comm_.wait(comm_.ineighbor_alltoallv(topology_, send_.data(), send_bytes_, recv_.data(), recv_bytes_));
  bytes_sent_ += send_.size() * sizeof(double);
  const double* at = recv_.data();
  for (const auto& [course, part] : received_)
    for (Step step = from; step < until; ++step, at += part.n) std::copy_n(at, part.n, course->row(step) + part.first);
}

std::size_t Mail::bytes() const {
  std::size_t total = (send_.capacity() + recv_.capacity()) * sizeof(double);
  for (const auto& s : sent_) total += sizeof s + s.part.columns.capacity() * sizeof(std::uint32_t);
  return total + received_.capacity() * sizeof(received_[0]);
}

}  // namespace npl::continuous
