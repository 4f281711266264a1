// SPDX-License-Identifier: Apache-2.0
/// Shared memory inside a node, one message between two nodes that have records for each other.
///   once    partners tell one another the leader of their node; each leader collects what its ranks were told
///   start   every rank writes its records into its segment of the memory of the node (NodeBoard)
///   finish  synchronise the node; every rank reads what is for it, the leader also what is for other nodes: one issend per node,
///           iprobe and recv, end known by a barrier of all ranks (NBX); the leader shows to its node what has come; synchronise; read
/// With one node there are no messages and one synchronisation. Between nodes only the writing overlaps with computation: a leader cannot
/// send before its node has written.
/// Memory: two slots per rank, as large as the largest thing shown, and O(partners); leaders O(partners of the node).
/// Messages: nodes that get records, by leaders only. Wins where many ranks stand on a node: instead of ranks^2 small messages there are
/// nodes^2 larger ones.
#include <algorithm>
#include <map>

#include "exchange/node_board.hpp"
#include "exchange/sparse.hpp"

namespace npl::exchange {
namespace {

class Shared final : public StrategyBase {
 public:
  static constexpr Knows knows{.buffer = true};
  Shared(comm::Communicator& comm, const Partners& partners, const Options& options)
      : StrategyBase(comm, partners, options, knows),
        board_(comm, options.buffer_bytes ? options.buffer_bytes : 4088, counts_),
        between_(comm, Ending::barrier, counts_),
        leads_(board_.leader() == comm.rank()),
        several_nodes_(static_cast<int>(board_.ranks().size()) < comm.size()) {
    if (comm.mirrored())
      throw BadParameter("exchange", "shared", "another strategy in a dry run: one rank alone cannot emulate which rank leads a machine");
    if (several_nodes_) learn_leaders();
    counts_ = {};
  }

  void start(const Outgoing& out) override {
    accept(out, partners_.destinations.size());
    packets_.clear();
    for (std::size_t d = 0; d < partners_.destinations.size(); ++d)
      if (!part(d).empty()) wire::append_packet(packets_, comm_.rank(), partners_.destinations[d], part(d), options_.record_bytes);
    board_.show(packets_);
  }

  void finish(Incoming& in) override {
    in.clear();
    inbox_.clear();
    const auto& shown = board_.look();
    for (std::size_t i = 0; i < shown.size(); ++i)
      each_packet(shown[i], [&](const wire::Packet& r) { sort_out(board_.ranks()[i], r, in); });
    if (several_nodes_) {
      between_nodes();
      board_.show(inbox_);
      each_packet(board_.look().front(), [&](const wire::Packet& r) { take_mine(r, in); });
    }
    board_.settle();
    count_buffers();
  }

 private:
  template <class Use>
  void each_packet(wire::Bytes rest, Use use) const {
    while (!rest.empty()) use(wire::take_packet(rest, options_.record_bytes));
  }

  // Each rank tells its sources the leader of its node, and passes on to its own leader what its destinations told it.
  void learn_leaders() {
    const int leader = board_.leader();
    std::vector<int> told;  // destination, its leader, ..
    comm_.before_messages();
    for (const int s : partners_.sources) between_.send(s, std::as_bytes(std::span(&leader, 1)));
    between_.sent_all();
    between_.finish([&](int source, std::size_t bytes) {
      if (bytes != sizeof(int)) wire::refuse("bytes of the name of a leader", bytes, sizeof(int));
      told.insert(told.end(), {source, -1});
      return reinterpret_cast<std::byte*>(&told.back());
    });
    board_.show(std::as_bytes(std::span(told)));
    for (const wire::Bytes list : board_.look())
      for (std::size_t i = 0; leads_ && i + 2 * sizeof(int) <= list.size(); i += 2 * sizeof(int))
        learn(wire::load<int>(&list[i]), wire::load<int>(&list[i + sizeof(int)]));
    board_.settle();
  }

  void learn(int destination, int leader) {
    if (board_.has(destination)) return;
    leader_of_[destination] = leader;
    outbox_[leader];
  }

  void sort_out(int shown_by, const wire::Packet& packet, Incoming& in) {
    if (packet.source != static_cast<std::uint32_t>(shown_by)) wire::refuse("source of a packet", packet.source, shown_by);
    if (packet.destination == static_cast<std::uint32_t>(comm_.rank())) return take_mine(packet, in);
    if (!leads_ || board_.has(static_cast<int>(packet.destination))) return;
    const auto found = leader_of_.find(static_cast<int>(packet.destination));
    if (found == leader_of_.end())
      throw BadMessage("message refused: the node of rank " + std::to_string(packet.destination) + " is not known");
    wire::append_packet(outbox_[found->second], shown_by, found->first, packet.data, options_.record_bytes);
  }

  void take_mine(const wire::Packet& packet, Incoming& in) {
    if (packet.destination != static_cast<std::uint32_t>(comm_.rank())) return;
    check_source(static_cast<int>(packet.source));
    take(in, static_cast<int>(packet.source), packet.data);
  }

  void between_nodes() {
    for (const auto& [leader, packets] : outbox_)
      if (!packets.empty()) between_.send(leader, packets);
    between_.sent_all();
    between_.finish([&](int source, std::size_t bytes) {
      if (!leads_ || bytes > wire::max_bytes - inbox_.size())
        wire::refuse("bytes from the node of rank " + std::to_string(source), bytes, 0);
      inbox_.resize(inbox_.size() + bytes);
      return inbox_.data() + inbox_.size() - bytes;
    });
    for (auto& [leader, packets] : outbox_) packets.clear();
    each_packet(inbox_, [&](const wire::Packet& r) {
      if (!board_.has(static_cast<int>(r.destination)))
        throw BadMessage("message refused: rank " + std::to_string(r.destination) + " is not of this node");
    });
  }

  void count_buffers() {
    counts_.buffer_bytes = held(out_.data, packets_, inbox_) + board_.held_bytes() + between_.held_bytes();
    for (const auto& [leader, packets] : outbox_) counts_.buffer_bytes += held(packets);
  }

  NodeBoard board_;
  SparseExchange between_;
  const bool leads_, several_nodes_;
  std::map<int, int> leader_of_;                  // of destinations on other nodes; leaders only
  std::map<int, std::vector<std::byte>> outbox_;  // packets for other nodes, by their leader
  std::vector<std::byte> packets_, inbox_;
};

/// Two slots as large as the largest thing shown, and what is shown before it is written.
double shared_bytes(const Load& l) {
  const double shown = l.records * l.record_bytes + packet_header_bytes * l.active();
  return 2 * std::max(4096.0, 1.25 * shown) + shown;
}

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(shared, Shared, "shared memory inside a node, one message between two nodes, by their leaders",
             {.knows = Shared::knows, .tried = Tried::on_shared_nodes, .bytes = &shared_bytes})
