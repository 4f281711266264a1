// SPDX-License-Identifier: Apache-2.0
/// Recorded events as text, a row each, for files that people and scripts read.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>

namespace npl::record {

using TextColumn = std::variant<std::span<const std::int64_t>, std::span<const double>>;

constexpr int most_decimals = 4096;

/// Rows begin .. end of columns, separated by tabs and ended by newlines: whole numbers as they are, others rounded exactly to `decimals`
/// places, halves to even. @param columns all at least `end` long; @param decimals 0 to most_decimals
std::string text_rows(std::span<const TextColumn> columns, std::size_t begin, std::size_t end, int decimals);

}  // namespace npl::record
