// SPDX-License-Identifier: Apache-2.0
#include "circuit/mail.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "exchange/sparse.hpp"

namespace npl::circuit {
namespace {

using Sizes = std::vector<std::size_t>;

constexpr std::size_t most_at_once = std::size_t{1} << 29;  // bytes of a message: counts of MPI are of type int

/// Exchanges sizes first, then the letters by a collective, in as many rounds as needed.
class Collective : public Mail {
 public:
  Collective(comm::Communicator& comm, std::size_t at_once)
      : comm_(comm), ranks_(static_cast<std::size_t>(comm.size())), self_(static_cast<std::size_t>(comm.rank())), at_once_(at_once) {}

  void start(Letters letters) final {
    own_ = std::move(letters[self_]);
    letters[self_].clear();
    letters_ = std::move(letters);
    Sizes out(ranks_);
    in_.assign(ranks_, 0);
    for (std::size_t r = 0; r < ranks_; ++r) {
      out[r] = letters_[r].size();
      counts_.messages += out[r] > 0;
      counts_.bytes += out[r];
    }
    comm_.alltoall(out.data(), sizeof(std::size_t), in_.data());
    std::int64_t most = static_cast<std::int64_t>(std::max(std::reduce(out.begin(), out.end()), std::reduce(in_.begin(), in_.end())));
    comm_.allreduce({&most, 1}, comm::Op::max);
    rounds_ = static_cast<std::size_t>(most) / at_once_ + 1;
    arrived_.assign(ranks_, {});
    for (std::size_t r = 0; r < ranks_; ++r) arrived_[r].reserve(in_[r]);
    meet(in_, out);
    round_ = 0;
    begin();
  }
  void progress() final {
    if (done_) return;
    done_ = comm_.test(request_);
    if (!done_ || round_ + 1 == rounds_) return;
    unpack();
    ++round_;
    begin();
  }
  Letters finish() final {
    while (true) {
      if (!done_) comm_.wait(request_);
      done_ = true;
      unpack();
      if (round_ + 1 == rounds_) break;
      ++round_;
      begin();
    }
    sent_ = received_ = {};
    arrived_[self_] = std::move(own_);
    letters_.clear();
    return std::move(arrived_);
  }

 protected:
  /// Exchanges the sizes of letters: what this rank will send and receive. Collective.
  virtual void meet(const Sizes&, const Sizes&) {}
  virtual comm::Request post(const Sizes& out, const Sizes& in) = 0;
  comm::Communicator& comm_;
  const std::size_t ranks_, self_, at_once_;
  std::vector<std::byte> sent_, received_;

 private:
  std::size_t cut(std::size_t size, std::size_t round) const { return size / rounds_ * round + std::min(size % rounds_, round); }
  Sizes sizes_of(const Sizes& whole) const {
    Sizes sizes(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r) sizes[r] = cut(whole[r], round_ + 1) - cut(whole[r], round_);
    return sizes;
  }
  void begin() {
    sent_.clear();
    Sizes whole(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r) whole[r] = letters_[r].size();
    const Sizes out = sizes_of(whole), in = sizes_of(in_);
    for (std::size_t r = 0; r < ranks_; ++r) {
      const auto from = letters_[r].begin() + static_cast<std::ptrdiff_t>(cut(whole[r], round_));
      sent_.insert(sent_.end(), from, from + static_cast<std::ptrdiff_t>(out[r]));
    }
    received_.resize(std::reduce(in.begin(), in.end()));
    request_ = post(out, in);
    done_ = false;
  }
  void unpack() {
    const std::byte* at = received_.data();
    const Sizes in = sizes_of(in_);
    for (std::size_t r = 0; r < ranks_; at += in[r++]) arrived_[r].insert(arrived_[r].end(), at, at + in[r]);
  }
  Letters letters_, arrived_;
  std::vector<std::byte> own_;
  Sizes in_;
  std::size_t rounds_ = 1, round_ = 0;
  comm::Request request_ = 0;
  bool done_ = true;
};

class AllToAll final : public Collective {
 public:
  using Collective::Collective;

 private:
  // The counts must live until the operation is complete.
  comm::Request post(const Sizes& out, const Sizes& in) override {
    out_counts_ = out, in_counts_ = in;
    return comm_.ialltoallv(sent_.data(), out_counts_, received_.data(), in_counts_);
  }
  Sizes out_counts_, in_counts_;
};

class Neighbor final : public Collective {
 public:
  using Collective::Collective;

 private:
  void meet(const Sizes& in, const Sizes& out) override {
    std::int64_t newcomers = topology_ < 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      if (in[r] && sources_.insert(static_cast<int>(r)).second) newcomers = 1;
      if (out[r] && destinations_.insert(static_cast<int>(r)).second) newcomers = 1;
    }
    comm_.allreduce({&newcomers, 1}, comm::Op::max);
    if (!newcomers) return;
    const std::vector<int> from(sources_.begin(), sources_.end()), to(destinations_.begin(), destinations_.end());
    topology_ = comm_.make_topology(from, to);
  }
  comm::Request post(const Sizes& out, const Sizes& in) override {
    out_counts_.clear(), in_counts_.clear();
    for (int r : destinations_) out_counts_.push_back(out[static_cast<std::size_t>(r)]);
    for (int r : sources_) in_counts_.push_back(in[static_cast<std::size_t>(r)]);
    return comm_.ineighbor_alltoallv(topology_, sent_.data(), out_counts_, received_.data(), in_counts_);
  }
  std::set<int> sources_, destinations_;
  Sizes out_counts_, in_counts_;
  int topology_ = -1;
};

class Nbx final : public Mail {
 public:
  explicit Nbx(comm::Communicator& comm)
      : ranks_(static_cast<std::size_t>(comm.size())),
        self_(static_cast<std::size_t>(comm.rank())),
        exchange_(comm, exchange::Ending::barrier, sparse_) {}

  void start(Letters letters) override {
    letters_ = std::move(letters);
    for (std::size_t r = 0; r < ranks_; ++r)
      for (std::size_t at = 0; r != self_ && at < letters_[r].size(); at += most_at_once)
        exchange_.send(static_cast<int>(r), std::span(letters_[r]).subspan(at, std::min(most_at_once, letters_[r].size() - at)));
    counts_ = {sparse_.messages, sparse_.bytes_sent};
    exchange_.sent_all();
  }
  Letters finish() override {
    Letters arrived(ranks_);
    exchange_.finish([&](int source, std::size_t bytes) {  // parts of a letter keep their order
      auto& letter = arrived[static_cast<std::size_t>(source)];
      letter.resize(letter.size() + bytes);
      return letter.data() + letter.size() - bytes;
    });
    arrived[self_] = std::move(letters_[self_]);
    letters_.clear();
    return arrived;
  }

 private:
  const std::size_t ranks_, self_;
  exchange::Counts sparse_;
  exchange::SparseExchange exchange_;
  Letters letters_;
};

class Alone final : public Mail {
 public:
  void start(Letters letters) override { letters_ = std::move(letters); }
  Letters finish() override { return std::move(letters_); }

 private:
  Letters letters_;
};

}  // namespace

const std::vector<std::string>& mail_strategies() {
  static const std::vector<std::string> names{"alltoallv", "neighbor", "nbx"};
  return names;
}

std::unique_ptr<Mail> make_mail(comm::Communicator& comm, const std::string& strategy, std::size_t at_once) {
  const auto& names = mail_strategies();
  if (std::find(names.begin(), names.end(), strategy) == names.end()) throw UnknownName("exchange", strategy, names);
  if (comm.size() == 1) return std::make_unique<Alone>();
  if (strategy == "neighbor") return std::make_unique<Neighbor>(comm, at_once);
  if (strategy == "nbx") return std::make_unique<Nbx>(comm);
  return std::make_unique<AllToAll>(comm, at_once);
}

}  // namespace npl::circuit
