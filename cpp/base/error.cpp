// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <numeric>

namespace npl {
namespace {

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", v);
  return text;
}

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GB", bytes / 1e9);
  return text;
}

/// "parameter of M" and "x" give "unknown parameter 'x' of M".
std::string unknown_message(const std::string& kind, const std::string& name, const std::vector<std::string>& near) {
  const std::size_t owner = std::min(kind.find(" of "), kind.size());
  std::string text = "unknown " + kind.substr(0, owner) + " '" + name + "'" + kind.substr(owner);
  for (std::size_t i = 0; i < near.size(); ++i) text += (i ? ", '" : "; nearest: '") + near[i] + "'";
  return text;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(a[i - 1]) == std::tolower(b[j - 1]);
      const int here = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = row[j];
      row[j] = here;
    }
  }
  return row.back();
}

}  // namespace

BadParameter::BadParameter(std::string p, std::string v, std::string a)
    : Error(p + " = " + v + ": must be " + a), parameter(std::move(p)), value(std::move(v)), allowed(std::move(a)) {}

BadParameter::BadParameter(std::string p, double v, std::string a) : BadParameter(std::move(p), number(v), std::move(a)) {}

UnknownName::UnknownName(std::string k, std::string n, const std::vector<std::string>& known)
    : Error(unknown_message(k, n, near_names(n, known))), kind(std::move(k)), name(std::move(n)), near(near_names(name, known)) {}

BadLength::BadLength(std::string p, std::size_t l, std::size_t w, const std::string& why)
    : Error(p + " has length " + std::to_string(l) + ": must be " + std::to_string(w) + (why.empty() ? "" : ", " + why)),
      parameter(std::move(p)),
      length(l),
      wanted(w) {}

TooLarge::TooLarge(std::string what, double needed, double available)
    : Error(what + " needs about " + gigabytes(needed) + ", but " + gigabytes(available) + " are available"),
      bytes_needed(needed),
      bytes_available(available) {}

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& k : known) {
    const bool part = name.size() >= 3 && k.find(name) != std::string::npos;  // "stdp" means stdp_synapse, however long that is
    ranked.emplace_back(part ? 1 : edit_distance(name, k), k);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> near;
  const int limit = std::max<int>(3, static_cast<int>(name.size()) * 6 / 10);
  for (const auto& [distance, k] : ranked)
    if (distance <= limit && near.size() < 3) near.push_back(k);
  return near;
}

}  // namespace npl
