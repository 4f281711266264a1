// SPDX-License-Identifier: Apache-2.0
/// The components of a slice: all mechanisms that it may have, in the order in which they work.
#pragma once
#include <array>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sim/binned.hpp"
#include "sim/components/calcium.hpp"
#include "sim/components/device_parts.hpp"
#include "sim/components/emitters.hpp"
#include "sim/components/group_histories.hpp"
#include "sim/components/late_input.hpp"
#include "sim/components/post_traces.hpp"
#include "sim/components/spike_counts.hpp"
#include "sim/components/spike_tracks.hpp"
#include "sim/components/state_tracks.hpp"
#include "sim/components/third_factors.hpp"

namespace npl::sim {

/// Each component has `static constexpr unsigned phases`, those of a run in which it works, and `bool is_present() const`.
template <class... C>
class ComponentList {
 public:
  explicit ComponentList(Host& host) : all_(static_cast<std::conditional_t<true, Host&, C>>(host)...) {}

  template <class T>
  T& get() {
    return std::get<T>(all_);
  }
  template <class T>
  const T& get() const {
    return std::get<T>(all_);
  }

  /// Components to call in a phase.
  struct Called {
    Component *const *first, *const *last;
    NPL_INLINE Component* const* begin() const { return first; }
    NPL_INLINE Component* const* end() const { return last; }
    NPL_INLINE bool empty() const { return first == last; }
  };
  NPL_INLINE Called in(Phase phase) const { return {called_ + phase * sizeof...(C), called_ + phase * sizeof...(C) + n_called_[phase]}; }
  /// To be called when a component may have become present. prepare() and restore() do.
  void list() noexcept {
    for (unsigned& n : n_called_) n = 0;
    (list(std::get<C>(all_)), ...);
  }

  void prepare() {
    (std::get<C>(all_).prepare(), ...);
    list();
  }
  void resemble(const ComponentList& other) { (std::get<C>(all_).resemble(std::get<C>(other.all_)), ...); }
  void lend(const tables::TableSpec& spec, pathways::Surroundings& around) {
    (std::get<C>(all_).lend(spec, around), ...);
    list();
  }
  void add_bytes(SliceBytes& bytes) const { (std::get<C>(all_).add_bytes(bytes), ...); }

  /// Kinds of recorders of numbers per bin.
  static std::vector<std::string> binned_kinds() {
    std::vector<std::string> kinds;
    (add_kind<C>(kinds), ...);
    return kinds;
  }
  /// The component that counts for recorders of this kind; null: there is no such kind.
  Binned* binned(std::string_view kind) {
    Binned* found = nullptr;
    ((found = found ? found : of_kind(std::get<C>(all_), kind)), ...);
    return found;
  }

  using Kept = std::tuple<typename C::Kept...>;
  Kept keep() const { return {std::get<C>(all_).keep()...}; }
  void restore(Kept& kept) noexcept {
    restore(kept, std::index_sequence_for<C...>());
    list();
  }

 private:
  template <std::size_t... I>
  void restore(Kept& kept, std::index_sequence<I...>) noexcept {
    (std::get<I>(all_).restore(std::get<I>(kept)), ...);
  }
  template <class T>
  static void add_kind([[maybe_unused]] std::vector<std::string>& kinds) {
    if constexpr (std::is_base_of_v<Binned, T>) kinds.emplace_back(T::kind);
  }
  template <class T>
  static Binned* of_kind([[maybe_unused]] T& component, [[maybe_unused]] std::string_view kind) {
    if constexpr (std::is_base_of_v<Binned, T>)
      if (kind == T::kind) return &component;
    return nullptr;
  }
  template <class T>
  void list(T& component) noexcept {
    if (!component.is_present()) return;
    for (unsigned phase = 0; phase < n_phases; ++phase)
      if (T::phases >> phase & 1) called_[phase * sizeof...(C) + n_called_[phase]++] = &component;
  }

  std::tuple<C...> all_;
  Component* called_[n_phases * sizeof...(C)] = {};  ///< [phases][components]
  unsigned n_called_[n_phases] = {};
};

using Components = ComponentList<DeviceParts, Emitters, SpikeTracks, SpikeCounts, PostTraces, Calcium, GroupHistories, ThirdFactors,
                                 LateInput, StateTracks>;

}  // namespace npl::sim
