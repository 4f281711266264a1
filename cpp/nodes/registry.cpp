// SPDX-License-Identifier: Apache-2.0
#include "nodes/registry.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/loaded_models.hpp"

namespace npl::nodes {
namespace {

LoadedModels<ModelInfo>& loaded() {
  static LoadedModels<ModelInfo> all;
  return all;
}

/// Models with shapes that were asked for. All of them stay: groups of neurons point to their model.
struct Shaped {
  std::mutex guard;
  std::map<std::pair<const ModelInfo*, std::string>, ModelInfo> all;
};

Shaped& shapes() {
  static Shaped all;
  return all;
}

bool before(const ModelInfo* model, const std::string& name) { return model->name < name; }

const ModelInfo* with_name(const std::vector<const ModelInfo*>& models, const std::string& name) {
  const auto at = std::lower_bound(models.begin(), models.end(), name, before);
  return at != models.end() && (*at)->name == name ? *at : nullptr;
}

const ModelInfo& shaped(const ModelInfo& model, const std::string& name) {
  const std::lock_guard lock(shapes().guard);
  const auto [at, is_new] = shapes().all.try_emplace({&model, name});
  if (!is_new) return at->second;
  try {
    at->second = model.shaped(shape_text(name));
  } catch (...) {
    shapes().all.erase(at);
    throw;
  }
  at->second.name = name, at->second.digest = model.digest;
  return at->second;
}

}  // namespace

std::vector<const ModelInfo*> models() {
  std::vector<const ModelInfo*> all = built_in_models();
  loaded().append_to(all);
  if (all.size() > built_in_models().size()) std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->name < b->name; });
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

const ModelInfo& add_model(ModelInfo model) { return loaded().add(std::move(model), built_in_models()); }
std::string_view digest_of(std::string_view name) { return loaded().digest_of(name.substr(0, name.find('['))); }

}  // namespace npl::nodes
