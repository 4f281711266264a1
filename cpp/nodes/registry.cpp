// SPDX-License-Identifier: Apache-2.0
#include "nodes/registry.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"

namespace npl::nodes {
namespace {

/// What was added while the program runs. All of it stays: groups of neurons point to their model.
struct Added {
  std::mutex guard;
  std::deque<ModelInfo> loaded;
  std::vector<const ModelInfo*> newest;  ///< of each name, sorted by it
  std::map<std::pair<const ModelInfo*, std::string>, ModelInfo> shaped;
};

Added& added() {
  static Added all;
  return all;
}

bool before(const ModelInfo* model, const std::string& name) { return model->name < name; }

const ModelInfo* with_name(const std::vector<const ModelInfo*>& models, const std::string& name) {
  const auto at = std::lower_bound(models.begin(), models.end(), name, before);
  return at != models.end() && (*at)->name == name ? *at : nullptr;
}

const ModelInfo& shaped(const ModelInfo& model, const std::string& name) {
  const std::lock_guard lock(added().guard);
  const auto [at, is_new] = added().shaped.try_emplace({&model, name});
  if (!is_new) return at->second;
  try {
    at->second = model.shaped(shape_text(name));
  } catch (...) {
    added().shaped.erase(at);
    throw;
  }
  at->second.name = name, at->second.digest = model.digest;
  return at->second;
}

}  // namespace

std::vector<const ModelInfo*> models() {
  const auto& own = built_in_models();
  const std::lock_guard lock(added().guard);
  std::vector<const ModelInfo*> all(own.size() + added().newest.size());
  std::merge(own.begin(), own.end(), added().newest.begin(), added().newest.end(), all.begin(),
             [](auto* a, auto* b) { return a->name < b->name; });
  return all;
}

const ModelInfo& find_model(const std::string& name) {
  const auto known = models();
  if (const ModelInfo* model = with_name(known, name)) return *model;
  const ModelInfo* family = with_name(known, family_of(name));
  if (family && family->shaped && name.back() == ']') return shaped(*family, name);
  std::vector<std::string> names;
  for (const ModelInfo* m : known) names.push_back(m->name);
  throw UnknownName("model", name, names);
}

const ModelInfo& add_model(ModelInfo model) {
  if (with_name(built_in_models(), model.name))
    throw BadParameter("name", model.name, "another name: a model that is built in has this one");
  const std::lock_guard lock(added().guard);
  auto& [guard, loaded, newest, shapes] = added();
  const auto same = std::find_if(loaded.begin(), loaded.end(), [&](auto& m) { return m.name == model.name && m.digest == model.digest; });
  const ModelInfo& kept = same != loaded.end() ? *same : loaded.emplace_back(std::move(model));
  const auto at = std::lower_bound(newest.begin(), newest.end(), kept.name, before);
  if (at != newest.end() && (*at)->name == kept.name)
    *at = &kept;
  else
    newest.insert(at, &kept);
  return kept;
}

std::string_view digest_of(std::string_view name) {
  const std::string_view family = name.substr(0, name.find('['));
  const std::lock_guard lock(added().guard);
  for (const ModelInfo* model : added().newest)
    if (model->name == family) return model->digest;
  return {};
}

}  // namespace npl::nodes
