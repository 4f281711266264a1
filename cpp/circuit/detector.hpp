// SPDX-License-Identifier: Apache-2.0
/// Touch detection between the cells of many ranks. The postsynaptic side is distributed over the ranks by place and indexed once; the
/// presynaptic side comes in batches. For each batch: branches are sent to the ranks whose part of space they may touch, while earlier
/// branches are searched; overlaps go to the rank that owns the presynaptic cell in the order of results; boutons are placed there; the
/// rank that found an overlap completes the touch. Touches have the same bits for any number of ranks and threads, any batches, any
/// exchange and any order of input (law 1).
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/team.hpp"
#include "circuit/spread.hpp"
#include "circuit/touch.hpp"
#include "circuit/turns.hpp"

namespace npl::circuit {

/// Options of touch detection. Types are masks: bit = SWC code of sections (soma: bit 1).
struct Settings {
  std::uint32_t pre_types = 1u << axon;
  std::uint32_t post_types = 1u << soma | 1u << basal | 1u << apical;
  bool autapses = false;  ///< whether a cell may touch itself
  Spacing spacing = {};
  std::uint64_t seed = 1;
  Mode mode = Mode::tapered;
  int threads = 1;                     ///< from 1 to 1024
  std::string exchange = "alltoallv";  ///< name of a strategy of make_mail
};

/// Two segments that overlap, and the overlapping parts of their axes [um from their beginnings].
struct RawOverlap {
  Gid pre_gid, post_gid;
  std::int32_t pre_section, pre_segment, post_section, post_segment;
  double pre_begin, pre_end, post_begin, post_end;
};

/// See the top of this file. Order of calls: index once, then detect or overlaps for each batch.
class TouchDetector {
 public:
  /// Collective. All ranks give the same settings, except for threads. @param comm null: a single rank. Throws BadParameter, UnknownName.
  TouchDetector(std::shared_ptr<comm::Communicator> comm, const Settings& settings);
  ~TouchDetector();

  /// Indexes the postsynaptic cells, of which each rank gives any share. Collective; once. Throws BadParameter on all ranks if a gid is
  /// given twice. If the input of a rank is refused, that rank throws BadLength or BadParameter and the others Error; nothing has changed
  /// then.
  void index(const Morphologies& morphologies, const Cells& cells);

  /// Touches of a batch of presynaptic cells, of which each rank gives any share. Collective. Returns this rank's part in the order of
  /// touches; the parts of all ranks, in order of ranks, are the whole in order. Memory is bounded by the batch. Throws as index(), and
  /// Error before index().
  std::vector<Touch> detect(const Morphologies& morphologies, const Cells& cells);

  /// The overlaps that this rank finds for a batch, in any order: without regions and boutons. Collective. Throws as detect().
  std::vector<RawOverlap> overlaps(const Morphologies& morphologies, const Cells& cells);

  /// Counters of this rank since construction. segments: indexed; imbalance: most segments of a rank / mean; boxes: known to all ranks;
  /// bytes_segments: of the indexed segments; bytes_index: the same with the tree; pre_segments; box_tests: of 8 boxes each; tested: pairs
  /// of segments whose boxes meet; overlaps; touches; messages; bytes_sent; partners: other ranks that received branches; and times of
  /// phases [s]: s_index, s_cut, s_route, s_wait, s_search, s_collect, s_place, s_complete, s_sort.
  std::map<std::string, double> counters() const;

 private:
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
