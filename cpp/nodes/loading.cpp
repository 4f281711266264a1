// SPDX-License-Identifier: Apache-2.0
#include "nodes/loading.hpp"

#include "base/error.hpp"
#include "nodes/loaded.hpp"
#include "nodes/registry.hpp"

namespace npl::nodes {

const ModelInfo* load_model(const std::string& path, const std::string& digest) {
  const auto entry = reinterpret_cast<const LoadedModel* (*)()>(find_in_object(path, "neuropil_model"));
  if (!entry) return nullptr;
  const LoadedModel& model = *entry();
  if (const std::string fault = fault_of(model.compiled, model.layout == ModelLayout{}); !fault.empty())
    throw BadParameter("path", path, fault);
  ModelInfo info = info_of(model.facts);
  info.digest = digest;
  return &add_model(std::move(info));
}

}  // namespace npl::nodes
