// SPDX-License-Identifier: Apache-2.0
#include "base/shared_object.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace npl {

std::string compiled_model_text(const std::string& why) { return "a compiled model: " + why; }

void* find_in_object(const std::string& path, const char* name) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw BadParameter("path", path, compiled_model_text(dlerror()));
  void* found = dlsym(library, name);
  if (!found) dlclose(library);
  return found;
}

std::string fault_of(const Compiled& model, bool same_layout) {
  if (model.abi != model_abi) return compiled_model_text("it was compiled for another version of neuropil");
  if (model.level > machine_isa())
    return compiled_model_text("it was compiled for " + std::string(isa_name(model.level)) + ", which this processor has not");
  return same_layout && model.plain_vectors ? "" : compiled_model_text("its compiler lays out data otherwise than that of the kernel");
}

}  // namespace npl
