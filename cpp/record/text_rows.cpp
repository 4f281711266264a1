// SPDX-License-Identifier: Apache-2.0
#include "record/text_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace npl::record {
namespace {

constexpr std::size_t longest_whole = 20, longest_integer_part = 310;  ///< characters

/// Writes numbers with a fixed number of decimals.
class Writer {
 public:
  explicit Writer(int decimals) : decimals_(decimals) {
    for (int k = 0; k < std::min(decimals, most_quick); ++k) scale_ *= 10;
  }

  std::size_t longest() const { return longest_integer_part + static_cast<std::size_t>(decimals_) + 2; }

  char* write(double value, char* at) const {
    const double scaled = std::fabs(value) * static_cast<double>(scale_);
    if (decimals_ > most_quick || !(scaled < quick_below)) return exactly(value, at);
    const auto whole = static_cast<std::uint64_t>(scaled);
    const double rest = scaled - static_cast<double>(whole);
    if (std::fabs(rest - 0.5) < surely) return exactly(value, at);
    if (std::signbit(value)) *at++ = '-';
    return digits(whole + (rest > 0.5), at);
  }

 private:
  static constexpr int most_quick = 9;
  static constexpr double quick_below = 0x1p42, surely = 0x1p-10;  ///< `scaled` is wrong by at most 2^-53 of itself

  char* exactly(double value, char* at) const {
    if (std::isnan(value)) return std::copy_n("nan", 3, at);
    return std::to_chars(at, at + longest(), value, std::chars_format::fixed, decimals_).ptr;
  }

  char* digits(std::uint64_t n, char* at) const {
    at = std::to_chars(at, at + longest_whole, n / scale_).ptr;
    if (decimals_ == 0) return at;
    *at++ = '.';
    std::uint64_t rest = n % scale_;
    for (int k = decimals_; k-- > 0; rest /= 10) at[k] = static_cast<char>('0' + rest % 10);
    return at + decimals_;
  }

  int decimals_;
  std::uint64_t scale_ = 1;
};

}  // namespace

std::string text_rows(std::span<const TextColumn> columns, std::size_t begin, std::size_t end, int decimals) {
  const Writer writer(decimals);
  const std::size_t longest = columns.size() * (writer.longest() + 1);
  std::string out;
  std::size_t used = 0;
  for (std::size_t row = begin; row < end; ++row) {
    if (out.size() - used < longest) out.resize(2 * out.size() + longest + (end - row) * columns.size() * 8);
    char* at = out.data() + used;
    for (const TextColumn& column : columns) {
      if (const auto* whole = std::get_if<0>(&column))
        at = std::to_chars(at, at + longest_whole, (*whole)[row]).ptr;
      else
        at = writer.write(std::get<1>(column)[row], at);
      *at++ = '\t';
    }
    if (!columns.empty()) at[-1] = '\n';
    used = static_cast<std::size_t>(at - out.data());
  }
  out.resize(used);
  return out;
}

}  // namespace npl::record
