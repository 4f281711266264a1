// SPDX-License-Identifier: Apache-2.0
#include "nodes/loading.hpp"

#include <dlfcn.h>

#include "base/error.hpp"
#include "nodes/loaded.hpp"
#include "nodes/registry.hpp"

namespace npl::nodes {
namespace {

/// What is wrong with it; "": nothing.
std::string fault_of(const LoadedModel& model) {
  if (model.abi != model_abi) return "it was compiled for another version of neuropil";
  if (model.level > machine_isa()) return "it was compiled for " + std::string(isa_name(model.level)) + ", which this processor has not";
  const ModelLayout own = model_layout();
  return own == model.layout && own.plain_vectors ? "" : "its compiler lays out data otherwise than that of the kernel";
}

/// The description in a shared object, which stays loaded: groups of neurons point into it.
const LoadedModel& opened(const std::string& path) {
  const auto refused = [&](const std::string& why) { return BadParameter("path", path, "a compiled model: " + why); };
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw refused(dlerror());
  const auto entry = reinterpret_cast<const LoadedModel* (*)()>(dlsym(library, "neuropil_model"));
  const std::string fault = entry ? fault_of(*entry()) : "it has no function neuropil_model";
  if (fault.empty()) return *entry();
  dlclose(library);
  throw refused(fault);
}

}  // namespace

const ModelInfo& load_model(const std::string& path, const std::string& digest) {
  ModelInfo info = info_of(opened(path).facts);
  info.digest = digest;
  return add_model(std::move(info));
}

}  // namespace npl::nodes
