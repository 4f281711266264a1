// SPDX-License-Identifier: Apache-2.0
/// Samplers by what they draw: projections with equal distributions share one, and its tables are made once.
#pragma once
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "rng/distribution.hpp"

namespace npl::rng {

/// Keeps the samplers that were asked for last. Others live as long as a projection has them. Not thread safe.
class SamplerCache {
 public:
  /// @param capacity number of samplers of each kind that are kept; at most 64 KiB each
  explicit SamplerCache(std::size_t capacity = 256) : capacity_(capacity) {}

  /// check(), which equal specs pass once.
  void check_weight(const ValueSpec& spec);
  void check_delay(const ValueSpec& spec, double resolution_ms);
  /// The sampler of a checked distribution. Not for kind array.
  std::shared_ptr<const Sampler> weights(const ValueSpec& spec);
  /// Throws as DelaySampler.
  std::shared_ptr<const DelaySampler> delays(const ValueSpec& spec, double resolution_ms);
  void clear();
  std::size_t size() const { return weights_.entries.size() + delays_.entries.size(); }

 private:
  using Key = std::array<std::uint64_t, 8>;  ///< the bits of all numbers of a spec, and of the resolution
  template <class T>
  struct Recent {
    std::list<std::pair<Key, std::shared_ptr<const T>>> entries;  ///< the last one that was asked for comes first
    std::map<Key, typename std::list<std::pair<Key, std::shared_ptr<const T>>>::iterator> places;

    const std::shared_ptr<const T>* find(const Key& key);
    const std::shared_ptr<const T>& add(const Key& key, std::shared_ptr<const T> made, std::size_t capacity);
  };

  static Key key_of(const ValueSpec& spec, double resolution_ms);

  std::size_t capacity_;
  Recent<Sampler> weights_;
  Recent<DelaySampler> delays_;
};

}  // namespace npl::rng
