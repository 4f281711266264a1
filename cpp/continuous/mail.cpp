// SPDX-License-Identifier: Apache-2.0
#include "continuous/mail.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace npl::continuous {

std::vector<std::vector<Gid>> Mail::ask(const std::vector<std::vector<Gid>>& wanted) {
  const std::size_t ranks = wanted.size();
  std::vector<std::size_t> bytes(ranks), asked(ranks);
  std::vector<Gid> all;
  for (std::size_t r = 0; r < ranks; ++r) {
    bytes[r] = wanted[r].size() * sizeof(Gid);
    all.insert(all.end(), wanted[r].begin(), wanted[r].end());
  }
  comm_.alltoall(bytes.data(), sizeof(std::size_t), asked.data());
  std::vector<Gid> received(std::accumulate(asked.begin(), asked.end(), std::size_t{0}) / sizeof(Gid));
  comm_.alltoallv(all.data(), bytes, received.data(), asked);
  std::vector<std::vector<Gid>> of(ranks);
  auto at = received.begin();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto n = static_cast<std::ptrdiff_t>(asked[r] / sizeof(Gid));
    of[r].assign(at, at + n);
    at += n;
  }
  return of;
}

void Mail::set(std::vector<MailList> lists) {
  lists_ = std::move(lists);
  const auto talks = [&](auto&& f) {
    std::vector<int> found;
    for (int r = 0; r < comm_.size(); ++r)
      if (std::any_of(lists_.begin(), lists_.end(), [&](const MailList& l) { return f(l, static_cast<std::size_t>(r)); }))
        found.push_back(r);
    return found;
  };
  auto sources = talks([](const MailList& l, std::size_t r) { return l.n[r] > 0; });
  auto destinations = talks([](const MailList& l, std::size_t r) { return !l.sent[r].empty(); });
  std::int64_t changed = topology_ < 0 || sources != sources_ || destinations != destinations_;
  comm_.allreduce(std::span<std::int64_t>(&changed, 1), comm::Op::max);
  if (!changed) return;
  sources_ = std::move(sources), destinations_ = std::move(destinations);
  topology_ = comm_.make_topology(sources_, destinations_);
}

void Mail::exchange(Step from, Step until) {
  const auto steps = static_cast<std::size_t>(until - from);
  send_.clear(), send_bytes_.clear(), recv_bytes_.clear();
  for (const int r : destinations_) {
    const std::size_t before = send_.size();
    for (const MailList& l : lists_)
      for (Step step = from; step < until; ++step)
        for (const std::uint32_t column : l.sent[static_cast<std::size_t>(r)]) send_.push_back(l.course->row(step)[column]);
    send_bytes_.push_back((send_.size() - before) * sizeof(double));
  }
  for (const int r : sources_) {
    std::size_t n = 0;
    for (const MailList& l : lists_) n += l.n[static_cast<std::size_t>(r)];
    recv_bytes_.push_back(n * steps * sizeof(double));
  }
  recv_.resize(std::accumulate(recv_bytes_.begin(), recv_bytes_.end(), std::size_t{0}) / sizeof(double));
  comm_.wait(comm_.ineighbor_alltoallv(topology_, send_.data(), send_bytes_, recv_.data(), recv_bytes_));
  bytes_sent_ += send_.size() * sizeof(double);
  const double* at = recv_.data();
  for (const int r : sources_)
    for (const MailList& l : lists_)
      for (Step step = from; step < until; ++step) {
        const auto rank = static_cast<std::size_t>(r);
        std::copy_n(at, l.n[rank], l.course->row(step) + l.first[rank]);
        at += l.n[rank];
      }
}

}  // namespace npl::continuous
