// SPDX-License-Identifier: Apache-2.0
#include "connect/edge_list.hpp"

#include "base/buffer.hpp"

namespace npl::connect {

std::shared_ptr<EdgeList> ascending_edges(std::span<const std::int64_t> sources, std::span<const std::int64_t> targets) {
  auto list = std::make_shared<EdgeList>();
  if (!targets.empty() && targets.front() < 0) return nullptr;
  std::int64_t last = -1;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] == last) continue;
    if (targets[i] < last) return nullptr;
    last = targets[i];
    list->target.push_back(last);
    list->begin.back() = i;
    list->begin.push_back(targets.size());
  }
  std::uint64_t bits = 0;
  list->source = zeros_in_pages<std::uint32_t>(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto source = static_cast<std::uint64_t>(sources[i]);
    bits |= source;
    list->source[i] = static_cast<std::uint32_t>(source);
  }
  return bits >> 32 ? nullptr : list;
}

}  // namespace npl::connect
