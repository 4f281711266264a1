// SPDX-License-Identifier: Apache-2.0
/// What a checkpoint consists of: columns, named one-dimensional arrays of plain values. Columns that are written may be huge, so they are
/// not copied: a column is a list of pieces, which lie in memory or are made when they are read. Files are the affair of the caller.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace npl::checkpoint {

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// The type of the values of a column, as numpy writes it.
template <Number T>
std::string dtype_of() {
  static_assert(std::endian::native == std::endian::little);
  const char* kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
  std::string name = sizeof(T) == 1 ? "|" : "<";
  name += kind, name += std::to_string(sizeof(T));
  return name;
}

/// Columns to be written. The data that they refer to must not change while they are read, which several threads may do.
class Columns {
 public:
  struct Column {
    std::string dtype;
    std::size_t item = 1;  ///< bytes of a value
    std::uint64_t size = 0;
  };

  /// Appends values that stay where they are.
  template <Number T>
  void refer(const std::string& path, std::span<const T> values) {
    add<T>(path, values.size(), [values](std::uint64_t begin, std::uint64_t n, void* out) {
      if (n) std::memcpy(out, values.data() + begin, n * sizeof(T));
    });
  }
  /// Appends values, which are kept.
  template <Number T>
  void keep(const std::string& path, std::vector<T> values) {
    auto kept = std::make_shared<const std::vector<T>>(std::move(values));
    add<T>(path, kept->size(), [kept](std::uint64_t begin, std::uint64_t n, void* out) {
      if (n) std::memcpy(out, kept->data() + begin, n * sizeof(T));
    });
  }
  /// The same for values of `item` bytes each.
  void keep(const std::string& path, const std::string& dtype, std::size_t item, std::vector<std::byte> values) {
    auto kept = std::make_shared<const std::vector<std::byte>>(std::move(values));
    append(path, dtype, item, kept->size() / item, [kept, item](std::uint64_t begin, std::uint64_t n, void* out) {
      if (n) std::memcpy(out, kept->data() + begin * item, n * item);
    });
  }
  /// Appends values that fill(begin, n, out) makes when they are read; several threads may call it.
  template <Number T, class F>
  void make(const std::string& path, std::uint64_t size, F fill) {
    add<T>(path, size, [fill](std::uint64_t begin, std::uint64_t n, void* out) { fill(begin, n, static_cast<T*>(out)); });
  }

  /// Calls check() before each read(): it throws if the values that are referred to are no longer what they were.
  void check_before_reading(std::function<void()> check) { check_ = std::move(check); }

  std::vector<std::string> paths() const;
  const Column& of(const std::string& path) const { return entry(path); }
  /// Writes values begin .. begin + n - 1 of a column to `out`. Throws BadParameter for columns and values that do not exist.
  void read(const std::string& path, std::uint64_t begin, std::uint64_t n, void* out) const;

 private:
  using Read = std::function<void(std::uint64_t begin, std::uint64_t n, void* out)>;
  struct Piece {
    std::uint64_t begin, end;  ///< in the column
    Read read;
  };
  struct Entry : Column {
    std::vector<Piece> pieces;
  };
  template <Number T>
  void add(const std::string& path, std::uint64_t n, Read read) {
    append(path, dtype_of<T>(), sizeof(T), n, std::move(read));
  }
  void append(const std::string& path, const std::string& dtype, std::size_t item, std::uint64_t n, Read read);
  const Entry& entry(const std::string& path) const;

  std::map<std::string, Entry> entries_;
  std::function<void()> check_;
};

/// Columns that were written, of the description (shard -1) and of the ranks that saved. Throws BadCheckpoint.
class Source {
 public:
  static constexpr int common = -1;
  virtual ~Source() = default;
  virtual int shards() const = 0;
  /// Number of values; 0: there is no such column.
  virtual std::uint64_t size(int shard, const std::string& path, const std::string& dtype) = 0;
  virtual void read(int shard, const std::string& path, const std::string& dtype, std::uint64_t begin, std::uint64_t n, void* out) = 0;
};

/// The columns of one shard.
class Shard {
 public:
  Shard(Source& source, int number) : source_(source), number_(number) {}
  int number() const { return number_; }
  template <Number T>
  std::uint64_t size(const std::string& path) const {
    return source_.size(number_, path, dtype_of<T>());
  }
  template <Number T>
  void read(const std::string& path, std::uint64_t begin, std::span<T> out) const {
    if (!out.empty()) source_.read(number_, path, dtype_of<T>(), begin, out.size(), out.data());
  }
  /// A whole column as bytes. @param item bytes of a value
  std::vector<std::byte> bytes(const std::string& path, const std::string& dtype, std::size_t item) const {
    std::vector<std::byte> data(source_.size(number_, path, dtype) * item);
    if (!data.empty()) source_.read(number_, path, dtype, 0, data.size() / item, data.data());
    return data;
  }
  template <Number T>
  std::vector<T> all(const std::string& path) const {
    std::vector<T> values(size<T>(path));
    read(path, 0, std::span<T>(values));
    return values;
  }

 private:
  Source& source_;
  int number_;
};

/// Reads a column from its beginning, piece by piece.
template <Number T>
class Cursor {
 public:
  Cursor(const Shard& shard, std::string path) : shard_(shard), path_(std::move(path)) {}
  void read(std::span<T> out) { shard_.read(path_, std::exchange(at_, at_ + out.size()), out); }
  std::vector<T> next(std::uint64_t n) {
    if (n > left()) throw BadCheckpoint("column " + path_ + " ends too early");
    std::vector<T> values(n);
    read(values);
    return values;
  }
  void skip(std::uint64_t n) { at_ += n; }
  std::uint64_t left() const {
    const std::uint64_t size = shard_.size<T>(path_);
    return size < at_ ? 0 : size - at_;
  }

 private:
  const Shard shard_;
  const std::string path_;
  std::uint64_t at_ = 0;
};

}  // namespace npl::checkpoint
