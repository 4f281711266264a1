// SPDX-License-Identifier: Apache-2.0
/// What synapses with a rule send to targets that take off-grid spikes: rules add to sums, which are put aside here, and each synapse makes an
/// event of its own.
#pragma once
#include <cmath>
#include <vector>

#include "pathways/pathway.hpp"

namespace npl::pathways {

class OffGridSums {
 public:
  /// @param run(inputs) updates the synapses of a run @param sent(k) what synapse k of it transmits then, nan: nothing
  template <class Entry, class Run, class Sent>
  void pass_on(const Entry& e, const tables::EdgeTable& t, const Inputs& in, Run&& run, Sent&& sent) {
    const std::uint32_t begin = e.at.position, n = e.at.length;
    for (std::uint32_t k = 0; k < n; ++k)
      if (t.target[begin + k] >= aside_.size()) aside_.resize(t.target[begin + k] + std::size_t{1});
    Inputs aside = in;
    aside.sums = aside_.data();
    run(aside);
    for (std::uint32_t k = 0; k < n; ++k) {
      aside_[t.target[begin + k]] = 0;
      const double value = sent(k);
      if (!std::isnan(value)) in.events->push_back({t.target[begin + k], t.spec->receptor, e.offset, t.spec->counts() ? 1.0 : value});
    }
  }

 private:
  std::vector<Fixed> aside_;  ///< by target
};

}  // namespace npl::pathways
