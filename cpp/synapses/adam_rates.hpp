// SPDX-License-Identifier: Apache-2.0
/// Learning rates of Adam by the number of the update, for those who need many: computed when first asked for, by any thread.
#pragma once
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>

#include "base/ids.hpp"
#include "base/math.hpp"

namespace npl::synapses {

class AdamRates {
 public:
  AdamRates(double eta, double beta_1, double beta_2) : eta_(eta), beta_1_(beta_1), beta_2_(beta_2) {}

  /// @param nth number of the update, from 1
  [[gnu::always_inline]] double operator()(Step nth) const {
    const auto n = static_cast<std::size_t>(nth);
    if (n >= blocks * per_block) return of(eta_, beta_1_, beta_2_, nth);
    const double* rates = known_[n / per_block].load(std::memory_order_acquire);
    return (rates ? rates : compute(n / per_block))[n % per_block];
  }
  [[gnu::noinline]] static double of(double eta, double beta_1, double beta_2, Step nth) {
    const auto n = static_cast<double>(nth);
    return eta * std::sqrt(1.0 - math::pow(beta_2, n)) / (1.0 - math::pow(beta_1, n));
  }

 private:
  static constexpr std::size_t per_block = 1024, blocks = 1024;

  [[gnu::noinline]] const double* compute(std::size_t block) const {
    const std::lock_guard lock(mutex_);
    auto& rates = rates_[block];
    if (!rates) {
      rates = std::make_unique<double[]>(per_block);
      for (std::size_t k = block == 0; k < per_block; ++k) rates[k] = of(eta_, beta_1_, beta_2_, static_cast<Step>(block * per_block + k));
      known_[block].store(rates.get(), std::memory_order_release);
    }
    return rates.get();
  }

  double eta_, beta_1_, beta_2_;
  mutable std::mutex mutex_;
  mutable std::array<std::unique_ptr<double[]>, blocks> rates_{};
  mutable std::array<std::atomic<const double*>, blocks> known_{};
};

}  // namespace npl::synapses
