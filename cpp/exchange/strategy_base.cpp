// SPDX-License-Identifier: Apache-2.0
#include "exchange/strategy_base.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "exchange/choices.hpp"

namespace npl::exchange {
namespace {

void check_ranks(const std::string& what, const std::vector<int>& ranks, const comm::Communicator& comm) {
  int least = 0;
  for (const int rank : ranks) {
    if (rank < least || rank >= comm.size() || rank == comm.rank()) throw BadParameter(what, rank, "ascending ranks of others");
    least = rank + 1;
  }
}

void check_options(const Options& o, Knows knows) {
  if (o.phases != 1) throw BadParameter("phases", o.phases, "1 for this strategy");
  if (o.buffer_bytes != 0 && !knows.buffer)
    throw BadParameter("buffer_bytes", double(o.buffer_bytes), "0 for this strategy: it has no fixed buffers");
  if (o.buffer_bytes > wire::max_bytes / 2) throw BadParameter("buffer_bytes", double(o.buffer_bytes), "at most 2^30 - 1");
  if (o.conservation != Conservation::allreduce && !knows.conservation)
    throw BadParameter("conservation", "reduce_scatter", "allreduce for this strategy: it has no conservation loop");
}

}  // namespace

void check_record_bytes(const Options& o) {
  const std::size_t n = o.record_bytes;
  if (n != 2 && n != 4 && n != 8 && n != 16) throw BadParameter("record_bytes", double(n), "2, 4, 8 or 16");
}

const std::vector<std::string>& conservation_names() {
  static const std::vector<std::string> names{"allreduce", "reduce_scatter"};
  return names;
}

Conservation find_conservation(const std::string& name) { return choose<Conservation>("conservation", name, conservation_names()); }

StrategyBase::StrategyBase(comm::Communicator& comm, const Partners& partners, const Options& options, Knows knows)
    : comm_(comm), partners_(partners), options_(options) {
  check_options(options, knows);
  check_ranks("sources", partners.sources, comm);
  check_ranks("destinations", partners.destinations, comm);
}

void StrategyBase::accept(const Outgoing& out, std::size_t parts) {
  if (out.begin.size() != parts + 1) throw BadLength("begin", out.begin.size(), parts + 1);
  for (std::size_t d = 0; d < parts; ++d) {
    const std::size_t from = out.begin[d], to = out.begin[d + 1];
    if (to < from || to > out.data.size()) throw BadParameter("begin", double(to), "ascending and within data");
    if ((to - from) % options_.record_bytes != 0) throw BadParameter("begin", double(to), "whole records apart");
    if (to - from > wire::max_bytes / 4) throw TooLarge("a message", double(to - from), double(wire::max_bytes / 4));
  }
  out_.data.assign(out.data.begin() + out.begin.front(), out.data.begin() + out.begin.back());
  out_.begin.resize(out.begin.size());
  for (std::size_t d = 0; d <= parts; ++d) out_.begin[d] = out.begin[d] - out.begin[0];
  counts_.words_sent += records(out_.data.size());
}

std::size_t StrategyBase::first_capacity() const {
  return std::max<std::size_t>(1, records(options_.buffer_bytes ? options_.buffer_bytes : first_buffer_bytes));
}

void StrategyBase::check_source(int source) const {
  if (!std::binary_search(partners_.sources.begin(), partners_.sources.end(), source))
    throw BadMessage("message refused: records from rank " + std::to_string(source) + ", which is no source");
}

std::byte* StrategyBase::room(Incoming& in, int source, std::size_t bytes) {
  const std::size_t begin = in.data.size();
  if (!in.segments.empty() && in.segments.back().source == source)
    in.segments.back().end += bytes;
  else
    in.segments.push_back({source, begin, begin + bytes});
  in.data.resize(begin + bytes);
  counts_.words_received += records(bytes);
  return in.data.data() + begin;
}

void StrategyBase::take(Incoming& in, int source, wire::Bytes data) {
  if (!data.empty()) std::copy(data.begin(), data.end(), room(in, source, data.size()));
}

}  // namespace npl::exchange
