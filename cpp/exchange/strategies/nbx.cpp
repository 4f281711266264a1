// SPDX-License-Identifier: Apache-2.0
/// NBX, non-blocking consensus (Hoefler, Siebert, Lumsdaine 2010): one message per destination that gets records, the end known by a
/// barrier.
///   start   issend of the records of each destination
///   finish  iprobe and recv until all own sends were received, then ibarrier; iprobe and recv until it is complete
/// Memory: the records, a request per message. Messages: destinations with records + one barrier, never more than one, of O(log ranks)
/// time.
/// Wins like multisend_aggregated, and over it where messages are late: it does not go round in a loop of allreduce.
#include "exchange/sparse.hpp"
#include "exchange/two_phase.hpp"

namespace npl::exchange {
namespace {

class Nbx final : public SparseStrategy {
 public:
  Nbx(comm::Communicator& comm, const Partners& partners, const Options& options)
      : SparseStrategy(comm, partners, options, false, Ending::barrier) {}
};

using NbxPhases = OneOrTwoPhases<Nbx>;

}  // namespace
}  // namespace npl::exchange

NPL_STRATEGY(nbx, NbxPhases, "a message per destination with spikes by Issend, end known by Ibarrier (Hoefler 2010)",
             {.knows = {.phases = true}, .tried = Tried::always, .bytes = &request_bytes})
