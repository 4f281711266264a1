// SPDX-License-Identifier: Apache-2.0
/// Dense or sparse (Jordan et al. 2018): under which addresses spikes are sent. In the dense regime a spike travels once to every rank with
/// targets, under a number of its source there, and the receiver looks up the rows of its tables; in the sparse regime it travels once to
/// every row, under the number of the row, and the receiver looks up nothing.
#pragma once
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace npl::exchange {

enum class Regime { automatic, dense, sparse };
/// In the order of the enumerators: "auto", "dense", "sparse".
const std::vector<std::string>& regime_names();
/// Throws UnknownName with the nearest names.
Regime find_regime(const std::string& name);

/// What one rank hears of.
struct Audience {
  double sources = 0;  ///< different ones
  double rows = 0;     ///< of all tables
  double lookup = 0;   ///< bytes of the tables from numbers of sources to rows
};

/// Is the dense regime the cheaper one? A route counts as its memory (about 3 B) and its traffic (as much as 4 B more).
bool dense_pays(const Audience& audience);

/// Collective: all ranks choose the same, from the largest numbers of any rank. Sources are numbered in 32 bits: where a rank hears of 2^31
/// or more the answer is always sparse.
bool choose_dense(comm::Communicator& comm, Regime wanted, const Audience& mine);

}  // namespace npl::exchange
