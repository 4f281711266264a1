// SPDX-License-Identifier: Apache-2.0
/// Hash of arguments and settings, to compare them between ranks.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "connect/rule.hpp"
#include "rng/distribution.hpp"

namespace npl::sim {

class Fingerprint {
 public:
  explicit Fingerprint(std::uint64_t from = 0) : value_(from) {}
  Fingerprint& add(std::uint64_t x) {
    value_ = hash_step(value_, x);
    return *this;
  }
  Fingerprint& add(std::int64_t x) { return add(static_cast<std::uint64_t>(x)); }
  Fingerprint& add(std::int32_t x) { return add(static_cast<std::uint64_t>(x)); }
  Fingerprint& add(std::uint32_t x) { return add(std::uint64_t{x}); }
  Fingerprint& add(double x) { return add(std::bit_cast<std::uint64_t>(x)); }
  Fingerprint& add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    return *this;
  }
  template <class T>
  Fingerprint& add(const std::vector<T>& all) {
    add(static_cast<std::uint64_t>(all.size()));
    for (const T& x : all) add(x);
    return *this;
  }
  template <class A, class B>
  Fingerprint& add(const std::pair<A, B>& pair) {
    return add(std::string_view(pair.first)).add(pair.second);
  }
  Fingerprint& add(const connect::NodeSet& set) {
    for (const connect::Range& r : set.ranges()) add(r.first).add(r.count).add(r.stride);
    return *this;
  }
  /// @param arrays also the values of arrays
  Fingerprint& add(const rng::ValueSpec& v, bool arrays = true) {
    add(static_cast<std::int64_t>(v.kind))
        .add(v.a)
        .add(v.b)
        .add(v.shift)
        .add(v.factor)
        .add(static_cast<std::int64_t>(v.limit))
        .add(v.min)
        .add(v.max)
        .add(v.bits);
    if (v.formula) add(static_cast<std::int64_t>(v.formula->fingerprint()));
    return v.values && arrays ? add(*v.values) : *this;
  }
  Fingerprint& add(const connect::RuleParams& p) {
    add(p.p).add(p.n).add(std::int64_t{p.allow_autapses}).add(std::int64_t{p.allow_multapses}).add(std::int64_t{p.own_targets});
    if (p.own_targets) return *this;  // each rank lists its own edges
    return p.list ? add(p.list->target).add(p.list->begin).add(p.list->source) : add(p.sources).add(p.targets);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

/// Fingerprint of several values, in order.
template <class... T>
std::uint64_t fingerprint_of(const T&... things) {
  Fingerprint f;
  (f.add(things), ...);
  return f.value();
}

}  // namespace npl::sim
