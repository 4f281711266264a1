// SPDX-License-Identifier: Apache-2.0
/// Multisend by MPI_Isend (Hines et al. 2011, Methods): a message per record and destination.
///   start   isend of every record; with Conservation::reduce_scatter, ireduce_scatter of the number of messages for each rank
///   finish  iprobe and recv; conservation loop: allreduce(sent - received) until it is zero, or until as many have come as were announced
/// Memory: the records, a request per message in flight; with reduce_scatter 8 bytes per rank of the job, as that call needs.
/// Messages: records + one allreduce per round. Destinations without records get no message, and a record could leave when its neuron
/// fires.
/// Wins where starting a message costs nearly nothing, as with the DMA engine of Blue Gene/P; by MPI_Isend it was the slowest of all
/// methods there. It is here as the reference.
#include "exchange/sparse.hpp"
#include "exchange/two_phase.hpp"

namespace npl::exchange {
namespace {

class Multisend final : public SparseStrategy {
 public:
  Multisend(comm::Communicator& comm, const Partners& partners, const Options& options)
      : SparseStrategy(comm, partners, options, true, ending_of(options)) {}
};

using MultisendPhases = OneOrTwoPhases<Multisend, true>;

double multisend_bytes(const Load& l) { return 8 * l.records; }

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(multisend, MultisendPhases, "a message per spike and destination by Isend, conservation loop by Allreduce (Hines 2011)",
             {.knows = {.conservation = true, .phases = true}, .bytes = &multisend_bytes})
