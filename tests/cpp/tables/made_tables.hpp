// SPDX-License-Identifier: Apache-2.0
/// Tables from explicit lists of synapses, in any layout.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "tables/edge_table.hpp"

namespace npl::tables {

struct Synapse {
  Gid source;
  std::uint16_t target;
  Delay delay;
  double weight;
};

/// The weights that tests give to coded tables: quarters from 0 to 1023.75, and sevenths from -50 on.
inline const std::shared_ptr<const Codebook>& test_book() {
  static const std::shared_ptr<const Codebook> book = [] {
    const auto made = std::make_shared<Codebook>();
    std::vector<float> quarters, sevenths;
    for (int k = 0; k < 4096; ++k) quarters.push_back(0.25f * static_cast<float>(k));
    for (int k = 0; k < 1000; ++k) sevenths.push_back(static_cast<float>(k) / 7.0f - 50.0f);
    made->add(quarters), made->add(sevenths);
    return made;
  }();
  return book;
}

inline TableSpec spec_of(Weights weights, const char* synapse = "static_synapse", std::vector<double> parameters = {}, double dt = 0.1) {
  TableSpec spec;
  spec.synapse = &synapses::find_synapse(synapse);
  spec.parameters = std::move(parameters);
  for (std::size_t k = spec.parameters.size(); k < spec.synapse->parameters.size(); ++k)
    spec.parameters.push_back(spec.synapse->parameters[k].init);
  spec.plasticity = spec.synapse->prepare(spec.parameters.data(), dt);
  spec.weights = weights;
  spec.uniform = 2.5;
  if (weights == Weights::coded) spec.book = test_book();
  return spec;
}

template <class T>
Buffer<T> buffer_of(const std::vector<T>& values) {
  Buffer<T> b(values.size());
  std::copy(values.begin(), values.end(), b.begin());
  return b;
}

/// Rows by source, sorted by delay, order kept among equal ones.
inline EdgeTable table_of(const TableSpec& spec, std::vector<Synapse> list, Layout layout) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Synapse& a, const Synapse& b) { return std::tie(a.source, a.delay) < std::tie(b.source, b.delay); });
  std::vector<Gid> gids;
  std::vector<std::uint32_t> row_begin, run_begin;
  std::vector<Run> runs;
  EdgeTable t;
  t.spec = &spec;
  t.layout = layout;
  t.target = Buffer<std::uint16_t>(list.size());
  if (layout == Layout::words) t.delay = Buffer<Delay>(list.size());
  if (spec.weights == Weights::f32) t.weight32 = Buffer<float>(list.size());
  if (spec.weights == Weights::f64) t.weight64 = Buffer<double>(list.size());
  if (spec.weights == Weights::coded) t.code = Buffer<Code>(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool new_row = i == 0 || list[i].source != list[i - 1].source;
    if (new_row) {
      gids.push_back(list[i].source);
      row_begin.push_back(static_cast<std::uint32_t>(i));
      run_begin.push_back(static_cast<std::uint32_t>(runs.size()));
    }
    if (new_row || list[i].delay != list[i - 1].delay || runs.back().length == 0xffff) runs.push_back({list[i].delay, 0});
    ++runs.back().length;
    t.target[i] = list[i].target;
    if (layout == Layout::words) t.delay[i] = list[i].delay;
    t.set_weight(i, list[i].weight);
  }
  row_begin.push_back(static_cast<std::uint32_t>(list.size()));
  run_begin.push_back(static_cast<std::uint32_t>(runs.size()));
  t.sources = SourceIndex(gids);
  t.rows = RowOffsets(buffer_of(row_begin));
  if (!list.empty()) t.one_delay = list[0].delay;
  if (layout == Layout::runs) {
    t.runs = buffer_of(runs);
    t.run_begin = buffer_of(run_begin);
  }
  t.complete();
  return t;
}

inline Delay longest_delay(const std::vector<Synapse>& list) {
  Delay longest = 1;
  for (const Synapse& s : list) longest = std::max(longest, s.delay);
  return longest;
}

}  // namespace npl::tables
