// SPDX-License-Identifier: Apache-2.0
#include "rng/sampler_cache.hpp"

#include <bit>

namespace npl::rng {

template <class T>
const std::shared_ptr<const T>* SamplerCache::Recent<T>::find(const Key& key) {
  if (!entries.empty() && entries.front().first == key) return &entries.front().second;
  const auto place = places.find(key);
  if (place == places.end()) return nullptr;
  entries.splice(entries.begin(), entries, place->second);
  return &entries.front().second;
}

template <class T>
const std::shared_ptr<const T>& SamplerCache::Recent<T>::add(const Key& key, std::shared_ptr<const T> made, std::size_t capacity) {
  entries.emplace_front(key, std::move(made));
  places[key] = entries.begin();
  if (entries.size() > capacity) places.erase(entries.back().first), entries.pop_back();
  return entries.front().second;
}

SamplerCache::Key SamplerCache::key_of(const ValueSpec& s, double resolution_ms) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  const auto kinds =
      static_cast<std::uint64_t>(s.bits) << 16 | static_cast<std::uint64_t>(s.kind) << 8 | static_cast<std::uint64_t>(s.limit);
  return {kinds, bits(s.a), bits(s.b), bits(s.shift), bits(s.factor), bits(s.min), bits(s.max), bits(resolution_ms)};
}

void SamplerCache::check_weight(const ValueSpec& spec) {
  if (!spec.is_drawn() || spec.is_constant() || !weights_.find(key_of(spec, 0))) check(spec, "weight");
}

void SamplerCache::check_delay(const ValueSpec& spec, double resolution_ms) {
  if (!spec.is_drawn() || spec.is_constant() || !delays_.find(key_of(spec, resolution_ms))) check(spec, "delay");
}

std::shared_ptr<const Sampler> SamplerCache::weights(const ValueSpec& spec) {
  const Key key = key_of(spec, 0);
  if (const auto* found = weights_.find(key)) return *found;
  return weights_.add(key, std::make_shared<const Sampler>(spec, Sampler::Table::when_worth), capacity_);
}

std::shared_ptr<const DelaySampler> SamplerCache::delays(const ValueSpec& spec, double resolution_ms) {
  const Key key = key_of(spec, resolution_ms);
  if (const auto* found = delays_.find(key)) return *found;
  return delays_.add(key, std::make_shared<const DelaySampler>(spec, resolution_ms), capacity_);
}

void SamplerCache::clear() { weights_ = {}, delays_ = {}; }

}  // namespace npl::rng
