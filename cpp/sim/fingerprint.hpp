// SPDX-License-Identifier: Apache-2.0
/// Hash of arguments and settings, to compare them between ranks.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "connect/listed.hpp"
#include "connect/rule.hpp"
#include "rng/distribution.hpp"
#include "rng/formula.hpp"

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
  /// Parameters of a rule, with the defaults of those that are not given.
  Fingerprint& add(const connect::RuleInfo& rule, const connect::RuleParams& given) {
    const bool lists = !connect::lists_own_targets(given);  // else each rank has its own
    for (const connect::RuleParam& p : rule.parameters) {
      const connect::RuleValue* value = given.find(p.name);
      if (!value && p.init) value = &*p.init;
      if (value && (lists || !connect::is_list(p))) std::visit([this](const auto& x) { add(x); }, *value);
    }
    return *this;
  }
  Fingerprint& add(const std::shared_ptr<const connect::EdgeList>& list) {
    return list ? add(list->target).add(list->begin).add(list->source) : *this;
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
