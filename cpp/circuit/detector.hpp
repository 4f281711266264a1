// SPDX-License-Identifier: Apache-2.0
/// Touch detection between cells of many ranks: the receiving side is spread over the ranks and indexed once, the other side comes in
/// batches. Every batch: branches are sent to the ranks that have something near (while what came before is searched), overlaps go to the
/// rank that has the presynaptic cell's turn in the order of results, boutons are placed there, and the rank that found the overlap fills
/// in the touch. Touches are the same bits for any ranks, threads, batches, exchange and order of input (law 1).
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/team.hpp"
#include "circuit/spread.hpp"
#include "circuit/touch.hpp"

namespace npl::circuit {

struct Settings {
  std::uint32_t pre_types = 1u << axon;  ///< bit = SWC code of sections; soma is 1
  std::uint32_t post_types = 1u << soma | 1u << basal | 1u << apical;
  bool autapses = false;  ///< whether a cell may touch itself
  Spacing spacing = {};
  std::uint64_t seed = 1;
  Mode mode = Mode::tapered;
  int threads = 1;                     ///< from 1 to 1024
  std::string exchange = "alltoallv";  ///< see make_mail
};

/// Two segments that overlap, and what of their axes, um from their beginnings.
struct RawOverlap {
  Gid pre_gid, post_gid;
  std::int32_t pre_section, pre_segment, post_section, post_segment;
  double pre_begin, pre_end, post_begin, post_end;
};

class TouchDetector {
 public:
  /// Collective; all ranks give the same settings (but threads). comm: none for a single rank. Throws BadParameter, UnknownName.
  TouchDetector(std::shared_ptr<comm::Communicator> comm, const Settings& settings);
  ~TouchDetector();

  /// Collective, once. Every rank brings any share of the postsynaptic cells; gids of all ranks differ: BadParameter on all ranks
  /// where one is given twice. If any rank's input is refused it throws the typed error there, Error on the others; nothing has changed then.
  void index(const Morphologies& morphologies, const Cells& cells);

  /// Collective. Every rank brings any share of a batch of presynaptic cells. Returns this rank's part of the touches of the batch in the
  /// order of touches; parts follow one another in order of ranks. Memory is bounded by the batch. Throws as index, and Error before index.
  std::vector<Touch> detect(const Morphologies& morphologies, const Cells& cells);

  /// Collective. The overlaps of a batch as this rank found them, in any order: before regions are made and boutons placed.
  std::vector<RawOverlap> overlaps(const Morphologies& morphologies, const Cells& cells);

  /// Of this rank since it was made: segments (indexed), imbalance (most segments of a rank / mean), boxes (shown to the others), bytes_segments (what
  /// the indexed segments take), bytes_index (with the tree),
  /// pre_segments, box_tests (of 8 boxes), tested (pairs whose boxes meet), overlaps, touches, messages, bytes_sent, partners (other ranks
  /// that got branches) and seconds of phases: s_index, s_cut, s_route, s_wait, s_search, s_collect, s_place, s_complete, s_sort.
  std::map<std::string, double> counters() const;

 private:
  struct Turns;
  struct Batch;
  struct Request;
  void check_settings() const;
  void agree(const std::function<void()>& body);
  Letters route(const Pieces& pieces, std::size_t first, std::size_t last);
  Batch search_batch(const Morphologies& morphologies, const Cells& cells);
  void search_parts(Pieces own, const Turns& turns, Batch& batch);
  std::vector<Touch> bring_together(Batch& batch, const Letters& others);
  void search(Batch& batch, const Turns& turns, std::size_t first_piece);
  void collect(Batch& batch);
  Letters place_all(Batch& batch);
  void place_run(Batch& batch, std::size_t first, std::size_t last, int thread);
  Letters complete(Batch& batch, const Letters& requests);
  void lap(const char* phase);

  const Settings settings_;
  std::shared_ptr<comm::Communicator> comm_;
  const std::size_t ranks_, self_;
  std::unique_ptr<Team> team_;
  std::unique_ptr<Mail> mail_;
  std::unique_ptr<Index> index_;
  std::unique_ptr<Router> router_;
  std::map<std::string, double> counters_;
  std::vector<char> partner_;
  double last_ = 0;
};

}  // namespace npl::circuit
