// SPDX-License-Identifier: Apache-2.0
#include "growth/cell.hpp"

#include <algorithm>
#include <cmath>

#include "base/math.hpp"

namespace npl::growth {

std::int64_t Element::vacant() const { return static_cast<std::int64_t>(std::floor(z)) - connected; }

double Decay::operator()(double time, double tau) {
  if (time != time_ || tau != tau_) time_ = time, tau_ = tau, factor_ = math::exp(-time / tau);
  return factor_;
}

void Cell::advance(double now, const std::vector<Kind>& kinds, Decay& decay) {
  if (now <= at) return;
  for (Element& e : elements) e.z = grown(kinds[e.kind].curve, e.z, calcium, tau, now - at);
  calcium *= decay(now - at, tau);
  at = now;
}

Element* Cell::find(int name, const std::vector<Kind>& kinds) {
  const auto e = std::find_if(elements.begin(), elements.end(), [&](const Element& x) { return kinds[x.kind].name == name; });
  return e == elements.end() ? nullptr : &*e;
}

}  // namespace npl::growth
