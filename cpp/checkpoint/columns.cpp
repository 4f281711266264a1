// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/columns.hpp"

#include <algorithm>

namespace npl::checkpoint {

std::vector<std::string> Columns::paths() const {
  std::vector<std::string> found;
  for (const auto& [path, entry] : entries_) found.push_back(path);
  return found;
}

void Columns::append(const std::string& path, const std::string& dtype, std::size_t item, std::uint64_t n, Read read) {
  Entry& e = entries_[path];
  if (e.dtype.empty()) e.dtype = dtype, e.item = item;
  if (e.dtype != dtype) throw BadParameter(path, dtype, "of one type, " + e.dtype);
  if (n == 0) return;
  e.pieces.push_back({e.size, e.size + n, std::move(read)});
  e.size += n;
}

const Columns::Entry& Columns::entry(const std::string& path) const {
  const auto found = entries_.find(path);
  if (found == entries_.end()) throw BadParameter("path", path, "a column of the snapshot");
  return found->second;
}

void Columns::read(const std::string& path, std::uint64_t begin, std::uint64_t n, void* out) const {
  if (check_) check_();
  const Entry& e = entry(path);
  if (begin > e.size || n > e.size - begin) throw BadParameter("begin", static_cast<double>(begin), "within the column " + path);
  auto* to = static_cast<std::byte*>(out);
  auto piece = std::upper_bound(e.pieces.begin(), e.pieces.end(), begin, [](std::uint64_t b, const Piece& p) { return b < p.end; });
  for (const std::uint64_t end = begin + n; begin < end; ++piece) {
    const std::uint64_t some = std::min(end, piece->end) - begin;
    piece->read(begin - piece->begin, some, to);
    begin += some, to += some * e.item;
  }
}

}  // namespace npl::checkpoint
