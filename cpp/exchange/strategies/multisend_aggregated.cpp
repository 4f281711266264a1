// SPDX-License-Identifier: Apache-2.0
/// Multisend with one message per destination that gets records.
///   start   isend of the records of each destination; with Conservation::reduce_scatter, ireduce_scatter of the number of messages
///   finish  iprobe and recv; conservation loop: allreduce(sent - received) until it is zero, or until as many have come as were announced
/// Memory: the records, a request per message; with reduce_scatter 8 bytes per rank of the job, as that call needs.
/// Messages: destinations with records + one allreduce per round.
/// Wins where a rank has records for few others per interval: many ranks, few connections, low rates.
#include "exchange/sparse.hpp"
#include "exchange/two_phase.hpp"

namespace npl::exchange {
namespace {

class MultisendAggregated final : public SparseStrategy {
 public:
  MultisendAggregated(comm::Communicator& comm, const Partners& partners, const Options& options)
      : SparseStrategy(comm, partners, options, false, ending_of(options)) {}
};

using MultisendAggregatedPhases = OneOrTwoPhases<MultisendAggregated>;

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(multisend_aggregated, MultisendAggregatedPhases,
             "a message per destination with spikes by Isend, conservation loop by Allreduce",
             {.knows = {.conservation = true, .phases = true}, .tried = Tried::always, .bytes = &request_bytes})
