// SPDX-License-Identifier: Apache-2.0
#include "exchange/regime.hpp"

#include "exchange/choices.hpp"

namespace npl::exchange {
namespace {

constexpr double route_bytes = 3 + 4;  ///< of memory, and what traffic counts for

}  // namespace

const std::vector<std::string>& regime_names() {
  static const std::vector<std::string> names{"auto", "dense", "sparse"};
  return names;
}

Regime find_regime(const std::string& name) { return choose<Regime>("regime", name, regime_names()); }

bool dense_pays(const Audience& a) { return a.sources * route_bytes + a.lookup < a.rows * route_bytes; }

bool choose_dense(comm::Communicator& comm, Regime wanted, const Audience& mine) {
  // Costs, not their terms, are compared at their largest: the rank that would pay most decides.
  double largest[] = {mine.sources * route_bytes + mine.lookup, mine.rows * route_bytes, mine.sources};
  comm.allreduce(std::span<double>(largest), comm::Op::max);  // not a sum: a sum of doubles may depend on its order
  const bool dense = wanted == Regime::automatic ? largest[0] < largest[1] : wanted == Regime::dense;
  return dense && largest[2] < 0x1p31;
}

}  // namespace npl::exchange
