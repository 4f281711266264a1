// SPDX-License-Identifier: Apache-2.0
/// Hash of a table: a number for all that it holds, and how.
#pragma once
#include "base/hash.hpp"
#include "tables/columns.hpp"

namespace npl::tables {

/// Adds the values of every column that C declares, in order of the declarations.
template <class C>
void hash_columns(Hash& hash, const C& table) {
  visit_columns(table, [&](const auto&, const auto& values) {
    for (const auto value : values) hash.add(value);
  });
}

}  // namespace npl::tables
