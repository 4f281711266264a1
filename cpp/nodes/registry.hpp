// SPDX-License-Identifier: Apache-2.0
/// The list of neuron models: built-in ones and loaded ones.
#pragma once
#include <string_view>

#include "nodes/model.hpp"

namespace npl::nodes {

/// From the files in nodes/models, sorted by name.
const std::vector<const ModelInfo*>& built_in_models();
/// Makes a model known. Its name stands for the newest of its name; equal ones (by digest) are kept once. Throws BadParameter for the name
/// of one that is built in.
const ModelInfo& add_model(ModelInfo model);
/// Of the source of the loaded model of this name, with or without a shape; "": there is none. Allocates nothing.
std::string_view digest_of(std::string_view name);

}  // namespace npl::nodes
