// SPDX-License-Identifier: Apache-2.0
/// How a gradient changes a weight: gradient descent, or Adam (Kingma & Ba 2015).
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/field.hpp"
#include "base/ids.hpp"
#include "synapses/adam_rates.hpp"
#include "synapses/vectors.hpp"

namespace npl::synapses {

struct Optimizer {
  double adam, batch_size, eta, Wmin, Wmax, beta_1, beta_2, epsilon;
  std::shared_ptr<const AdamRates> rates = {};  ///< null: not remembered
  static constexpr std::size_t n_parameters = 8;
  static std::vector<Field> parameters() {
    return {Field{"adam", "0 or 1", 0.0, "0: gradient descent; 1: Adam"}.with(Mark::of_optimizer),
            Field{"batch_size", "", 1.0, "Updates whose gradients are averaged before the weight changes", Bound::positive}.with(
                Mark::of_optimizer),
            Field{"eta", "", 1e-4, "Learning rate", Bound::non_negative}.with(Mark::of_optimizer),
            Field{"Wmin", "", -100.0, "Smallest weight"}.with(Mark::of_optimizer),
            Field{"Wmax", "", 100.0, "Largest weight"}.with(Mark::of_optimizer),
            Field{"beta_1", "", 0.9, "Adam: decay of the first moment of the gradient per update", Bound::non_negative}.with(
                Mark::of_optimizer),
            Field{"beta_2", "", 0.999, "Adam: decay of the second moment", Bound::non_negative}.with(Mark::of_optimizer),
            Field{"epsilon", "", 1e-7, "Adam: added to the root of the second moment", Bound::positive}.with(Mark::of_optimizer)};
  }
  static Optimizer of(const double* p) { return {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], {}}; }
  void check() const {
    if (adam != 0.0 && adam != 1.0) throw BadParameter("adam", adam, "0 or 1");
    if (batch_size != std::floor(batch_size)) throw BadParameter("batch_size", batch_size, "a whole number");
    if (!(Wmin <= Wmax)) throw BadParameter("Wmin", Wmin, "at most Wmax");
    if (beta_1 >= 1.0) throw BadParameter("beta_1", beta_1, "below 1");
    if (beta_2 >= 1.0) throw BadParameter("beta_2", beta_2, "below 1");
  }

  /// Kept per synapse: sum of the batch, first and second moment.
  int values() const { return adam != 0.0 ? 3 : batch_size > 1.0 ? 1 : 0; }

  /// An update of many synapses.
  struct Update {
    bool applies;  ///< the batch is complete
    double rate;   ///< by which the weight changes
  };
  /// @param nth number of the update, from 1
  NPL_INLINE Update update(Step nth) const { return update(nth, eta); }
  /// With another learning rate.
  NPL_INLINE Update update(Step nth, double eta) const {  // a call within a loop over steps would cost all registers
    const auto batch = static_cast<Step>(batch_size);
    if (batch > 1 && nth % batch != 0) return {false, 0.0};
    if (adam == 0.0) return {true, eta};
    return {true, rates ? (*rates)(nth / batch) : AdamRates::of(eta, beta_1, beta_2, nth / batch)};
  }
  /// Remembers rates, for many updates.
  void remember() {
    if (adam != 0.0) rates = std::make_shared<const AdamRates>(eta, beta_1, beta_2);
  }

  /// Weights w of some lanes after an update by the gradients g, which then are 0. @tparam V a vector of doubles
  template <bool Adam, class V>
  NPL_INLINE void apply(const Update& update, V& w, V& g, V& sum, V& m, V& v) const {
    const V zero = {};
    if (batch_size > 1.0) {
      sum = sum + g;
      g = zero;
      if (!update.applies) return;
      g = sum / batch_size, sum = zero;
    }
    V slope = g;
    if constexpr (Adam) {
      m = beta_1 * m + (1.0 - beta_1) * g;
      v = beta_2 * v + (1.0 - beta_2) * g * g;
      slope = m / (root_of(v) + epsilon);
    }
    w = w - update.rate * slope;
    w = w < Wmin ? zero + Wmin : w;
    w = w > Wmax ? zero + Wmax : w;
    g = zero;
  }
  NPL_INLINE double bounded(double weight) const { return std::clamp(weight, Wmin, Wmax); }
};

}  // namespace npl::synapses
