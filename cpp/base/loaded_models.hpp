// SPDX-License-Identifier: Apache-2.0
/// Models that were loaded while the program runs. All of them stay: neurons and tables of synapses point to their model.
#pragma once
#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace npl {

/// @tparam Info has a name, and a digest of its source
template <class Info>
class LoadedModels {
 public:
  /// Makes a model known. Its name stands for the newest of its name; equal ones (by digest) are kept once. Throws BadParameter for the
  /// name of one that is built in.
  const Info& add(Info model, const std::vector<const Info*>& built_in) {
    if (with_name(built_in, model.name) != built_in.end())
      throw BadParameter("name", model.name, "another name: a model that is built in has this one");
    const std::lock_guard lock(guard_);
    const auto same = std::find_if(all_.begin(), all_.end(), [&](auto& m) { return m.name == model.name && m.digest == model.digest; });
    const Info& kept = same != all_.end() ? *same : all_.emplace_back(std::move(model));
    const auto at = with_name(newest_, kept.name);
    at == newest_.end() ? newest_.push_back(&kept) : void(*at = &kept);
    return kept;
  }
  /// Appends the newest model of each name, in the order in which the names came.
  void append_to(std::vector<const Info*>& list) const {
    const std::lock_guard lock(guard_);
    list.insert(list.end(), newest_.begin(), newest_.end());
  }
  /// Of the newest model of this name; "": there is none. Allocates nothing.
  std::string_view digest_of(std::string_view name) const {
    const std::lock_guard lock(guard_);
    const auto at = with_name(newest_, name);
    return at == newest_.end() ? std::string_view() : std::string_view((*at)->digest);
  }

 private:
  template <class Models>
  static auto with_name(Models& models, std::string_view name) {
    return std::find_if(models.begin(), models.end(), [&](const Info* m) { return m->name == name; });
  }

  mutable std::mutex guard_;
  std::deque<Info> all_;
  std::vector<const Info*> newest_;
};

}  // namespace npl
