// SPDX-License-Identifier: Apache-2.0
// A group of neurons of any registered model with its own columns, so that tests need no kernel around it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "nodes/model.hpp"
#include "rng/philox.hpp"

namespace npl::nodes {

/// A parameter or state name and its value.
using Values = std::map<std::string, double>;

inline std::size_t index_of(const std::vector<Field>& fields, const std::string& name) {
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].name == name) return k;
  throw std::runtime_error("no field " + name);
}

class TestGroup {
 public:
  /// n neurons with gids 1, 2, ...; `columns`: derived parameters as columns although they are equal.
  TestGroup(const ModelInfo& model, std::size_t n, double h = 0.1, const Values& values = {}, bool columns = false, std::uint64_t seed = 7)
      : model_(model),
        n_(n),
        scale_(model.input == SpikeInput::count ? FixedScale::for_largest(1.0) : FixedScale::for_largest(2000.0)),
        shared_(!columns),
        seed_(seed) {
    std::vector<double> parameters;
    for (const Field& f : model.parameters) parameters.push_back(values.contains(f.name) ? values.at(f.name) : f.init);
    model.check(parameters.data());
    derived_.resize(model.n_derived + 1);
    model.derive(parameters.data(), h, derived_.data());
    if (columns || model.repeats)
      for (std::size_t k = 0; k < model.n_derived; ++k) add(derived_columns_, derived_[k], columns ? n : repeated_block);
    for (const Field& f : model.state) add(state_, values.contains(f.name) ? values.at(f.name) : f.init, n);
    for (int r = 0; r < model.receptors; ++r) sums_.push_back(Buffer<Fixed>(n ? n : 1));
    current_ = Buffer<double>(n ? n : 1);
  }

  double& state(const std::string& name, std::size_t i = 0) { return state_[index_of(model_.state, name)][i]; }
  /// The same by number: some models have hundreds of states.
  double& state_at(std::size_t k, std::size_t i) { return state_[k][i]; }
  double& derived(std::size_t k, std::size_t i) { return derived_columns_[k][i]; }
  double& current(std::size_t i) { return current_[i]; }

  /// A spike of weight w that arrives at the end of the coming step, where the model has receptors.
  void receive(std::size_t i, double w) {
    if (sums_.empty()) return;
    const bool counts = model_.input == SpikeInput::count;
    const int port = model_.input == SpikeInput::by_sign && w < 0 ? 1 : 0;
    sums_[port][i] += round_to_fixed((counts ? 1.0 : w) * scale_.to_fixed);
  }

  /// One step, in pieces of `piece` neurons (0: all at once); returns the stamps' gids of this step's spikes, in order.
  std::vector<Gid> step(bool with_current = false, std::size_t piece = 0) {
    SourcedSpikes out;
    if (!piece) piece = std::max<std::size_t>(n_, 1);
    for (std::size_t begin = 0; begin < n_; begin += piece) update(begin, std::min(piece, n_ - begin), with_current, out);
    std::vector<Gid> gids;
    EXPECT_EQ(out.sources.size(), out.spikes.size());
    for (std::size_t k = 0; k < out.spikes.size(); ++k) {
      EXPECT_EQ(out.spikes[k].step, now_);
      EXPECT_EQ(out.sources[k] + 1, out.spikes[k].gid);
      gids.push_back(out.spikes[k].gid);
    }
    ++now_;
    return gids;
  }

  /// All bits of the state, column by column, and that no input is left.
  std::vector<std::uint64_t> bits() const {
    std::vector<std::uint64_t> all;
    for (const auto& column : state_)
      for (std::size_t i = 0; i < n_; ++i) all.push_back(std::bit_cast<std::uint64_t>(column[i]));
    for (const auto& sums : sums_)
      for (std::size_t i = 0; i < n_; ++i) all.push_back(static_cast<std::uint64_t>(sums[i]));
    return all;
  }
  /// Copies the state of another group of the same model and size: what a checkpoint does.
  void restore(const TestGroup& other) {
    for (std::size_t k = 0; k < state_.size(); ++k) std::copy_n(other.state_[k].data(), n_, state_[k].data());
    now_ = other.now_;
  }
  std::size_t size() const { return n_; }
  Step now() const { return now_; }

 private:
  static void add(std::vector<Buffer<double>>& columns, double value, std::size_t n) {
    columns.push_back(Buffer<double>(n ? n : 1));
    std::fill(columns.back().begin(), columns.back().end(), value);
  }
  template <class T>
  static std::vector<T*> pointers(std::vector<Buffer<T>>& columns, std::size_t begin) {
    std::vector<T*> p;
    for (auto& c : columns) p.push_back(c.data() + begin);
    return p;
  }
  void update(std::size_t begin, std::size_t n, bool with_current, SourcedSpikes& out) {
    const auto state = pointers(state_, begin), derived = pointers(derived_columns_, shared_ ? 0 : begin);
    const auto sums = pointers(sums_, begin);
    const std::vector<double> scale(static_cast<std::size_t>(model_.receptors), scale_.to_double);
    const std::vector<const double*> columns(derived.begin(), derived.end());
    const Members nodes(static_cast<Gid>(begin) + 1, 1, static_cast<std::int64_t>(n));
    const double* current = with_current ? current_.data() + begin : nullptr;
    GroupView view{{sums.data(), scale.data(), current, now_, seed_, &out},
                   n,
                   state.data(),
                   shared_ ? derived_.data() : nullptr,
                   columns.data(),
                   &nodes};
    view.shape = model_.shape.get(), view.first_local = static_cast<Local>(begin);
    model_.update(view);
  }

  const ModelInfo& model_;
  std::size_t n_;
  FixedScale scale_;
  bool shared_;  ///< derived values
  std::uint64_t seed_;
  Step now_ = 0;
  std::vector<double> derived_;
  std::vector<Buffer<double>> state_, derived_columns_;
  std::vector<Buffer<Fixed>> sums_;
  Buffer<double> current_;
};

/// Spikes and currents that make each model do something, the same for neuron i whatever the size of the group.
class Stimulus {
 public:
  explicit Stimulus(const ModelInfo& model) : weight_(strength(family_of(model.name))), current_(drive(family_of(model.name))) {}

  /// Gives group g what arrives in its coming step. In some steps nobody receives anything.
  void apply(TestGroup& g) const {
    for (std::size_t i = 0; i < g.size(); ++i) {
      const auto words = rng::draw({1, 2}, i, static_cast<std::uint64_t>(g.now()));
      const double u = rng::uniform(words[0]), v = rng::uniform(words[1]);
      if (g.now() % 3 != 0 && u < 0.2) g.receive(i, weight_ * (v - 0.25));
      g.current(i) = current_ * (1.0 + 0.2 * v);
    }
  }

 private:
  static double strength(const std::string& name) {
    const Values known{{"iaf_psc_delta_ps", 4.0},
                       {"iaf_psc_exp_ps", 900.0},
                       {"iaf_psc_exp_ps_lossless", 900.0},
                       {"iaf_psc_alpha_ps", 400.0},
                       {"iaf_psc_delta", 4.0},
                       {"iaf_psc_exp", 900.0},
                       {"iaf_psc_alpha", 400.0},
                       {"izhikevich", 10.0},
                       {"iaf_cond_exp", 30.0},
                       {"aeif_cond_exp", 40.0},
                       {"hh_psc_alpha", 800.0},
                       {"hh_psc_alpha_clopath", 800.0},
                       {"aeif_psc_delta_clopath", 4.0},
                       {"interval_fire", 0.2},
                       {"iaf_cond_alpha", 30.0},
                       {"iaf_cond_beta", 30.0},
                       {"iaf_cond_exp_sfa_rr", 20.0},
                       {"aeif_cond_alpha", 40.0},
                       {"aeif_psc_exp", 900.0},
                       {"aeif_psc_alpha", 400.0},
                       {"aeif_psc_delta", 4.0},
                       {"hh_cond_exp_traub", 10.0},
                       {"iaf_psc_exp_htum", 900.0},
                       {"mat2_psc_exp", 400.0},
                       {"amat2_psc_exp", 200.0},
                       {"iaf_chs_2007", 2.0},
                       {"iaf_psc_exp_multisynapse", 900.0},
                       {"iaf_psc_alpha_multisynapse", 400.0},
                       {"gif_psc_exp", 100.0},
                       {"gif_pop_psc_exp", 100.0},
                       {"gif_psc_exp_multisynapse", 100.0},
                       {"gif_cond_exp", 5.0},
                       {"gif_cond_exp_multisynapse", 5.0},
                       {"pp_psc_delta", 4.0},
                       {"glif_psc", 200.0},
                       {"glif_cond", 10.0},
                       {"glif_psc_double_alpha", 200.0},
                       {"ht_neuron", 1.0},
                       {"aeif_cond_alpha_multisynapse", 40.0},
                       {"aeif_cond_beta_multisynapse", 10.0},
                       {"iaf_tum_2000", 900.0},
                       {"iaf_chxk_2008", 60.0},
                       {"iaf_bw_2001", 3.0},
                       {"iaf_bw_2001_exact", 3.0},
                       {"cm_default", 1.0},
                       {"iaf_cond_alpha_mc", 10.0}};
    return known.contains(name) ? known.at(name) : 1.0;
  }
  static double drive(const std::string& name) {
    const Values known{{"eprop_iaf", 500.0},
                       {"eprop_iaf_adapt", 500.0},
                       {"eprop_iaf_adapt_bsshslm_2020", 500.0},
                       {"eprop_iaf_bsshslm_2020", 500.0},
                       {"eprop_iaf_psc_delta", 500.0},
                       {"eprop_iaf_psc_delta_adapt", 500.0},
                       {"hh_psc_alpha_gap", 700.0},
                       {"hh_cond_beta_gap_traub", 300.0},
                       {"aeif_cond_alpha_astro", 900.0},
                       {"pp_cond_exp_mc_urbanczik", 2500.0},
                       {"iaf_psc_delta_ps", 360.0},
                       {"iaf_psc_exp_ps", 360.0},
                       {"iaf_psc_exp_ps_lossless", 360.0},
                       {"iaf_psc_alpha_ps", 360.0},
                       {"iaf_psc_delta", 360.0},
                       {"iaf_psc_exp", 360.0},
                       {"iaf_psc_alpha", 360.0},
                       {"izhikevich", 6.0},
                       {"iaf_cond_exp", 300.0},
                       {"aeif_cond_exp", 900.0},
                       {"hh_psc_alpha", 700.0},
                       {"hh_psc_alpha_clopath", 700.0},
                       {"aeif_psc_delta_clopath", 1200.0},
                       {"iaf_cond_alpha", 300.0},
                       {"iaf_cond_beta", 300.0},
                       {"iaf_cond_exp_sfa_rr", 500.0},
                       {"aeif_cond_alpha", 900.0},
                       {"aeif_psc_exp", 900.0},
                       {"aeif_psc_alpha", 900.0},
                       {"aeif_psc_delta", 900.0},
                       {"hh_cond_exp_traub", 300.0},
                       {"iaf_psc_exp_htum", 360.0},
                       {"mat2_psc_exp", 500.0},
                       {"amat2_psc_exp", 400.0},
                       {"iaf_psc_exp_multisynapse", 360.0},
                       {"iaf_psc_alpha_multisynapse", 360.0},
                       {"gif_psc_exp", 200.0},
                       {"gif_pop_psc_exp", 300.0},
                       {"cm_default", 3.0},
                       {"gif_psc_exp_multisynapse", 200.0},
                       {"gif_cond_exp", 200.0},
                       {"gif_cond_exp_multisynapse", 200.0},
                       {"pp_psc_delta", 400.0},
                       {"glif_psc", 300.0},
                       {"glif_cond", 300.0},
                       {"glif_psc_double_alpha", 300.0},
                       {"ht_neuron", 30.0},
                       {"aeif_cond_alpha_multisynapse", 900.0},
                       {"aeif_cond_beta_multisynapse", 900.0},
                       {"iaf_tum_2000", 360.0},
                       {"iaf_chxk_2008", 1500.0},
                       {"iaf_bw_2001", 600.0},
                       {"iaf_bw_2001_exact", 600.0},
                       {"iaf_cond_alpha_mc", 400.0}};
    return known.contains(name) ? known.at(name) : 0.0;
  }
  double weight_, current_;
};

/// All models; of one that has no receptors without a shape, one with a shape.
inline std::vector<const ModelInfo*> with_receptors() {
  std::vector<const ModelInfo*> found = models();
  for (const ModelInfo*& model : found)
    if (model->receptors == 0 && model->name == "cm_default") model = &find_model("cm_default[-1,0,0;0:AMPA,1:NMDA,2:AMPA_NMDA,0:GABA]");
  return found;
}

}  // namespace npl::nodes
