// SPDX-License-Identifier: Apache-2.0
#include "exchange/tags.hpp"

#include <atomic>

namespace npl::exchange {

// Each rank proposes a number larger than all it proposed before, so the largest proposal grows from call to call, whichever rank makes it.
// A counter per rank would not do: ranks may be threads of one process, which share it, and may have made strategies on other
// communicators.
int agree_on_tags(comm::Communicator& comm) {
  static std::atomic<std::int64_t> proposals{0};
  constexpr std::int64_t first = 256, last = 32767, places = (last - first + 1) / tags_per_strategy;
  std::int64_t agreed = proposals.fetch_add(1);
  comm.allreduce({&agreed, 1}, comm::Op::max);
  return static_cast<int>(first + agreed % places * tags_per_strategy);
}

}  // namespace npl::exchange
