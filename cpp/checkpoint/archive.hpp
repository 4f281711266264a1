// SPDX-License-Identifier: Apache-2.0
/// Small objects as columns. An owner has one function `visit(Archive&)`, which names its members; it saves and loads. Members of many
/// objects of one kind make one column each: `populations/first`, `populations/n`, ... Objects must be loaded in the order in which they
/// were saved.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "checkpoint/columns.hpp"

namespace npl::checkpoint {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// The type in which a plain member is stored.
template <Plain T>
struct StoredAs {
  using type = T;
};
template <>
struct StoredAs<bool> {
  using type = std::uint8_t;
};
template <>
struct StoredAs<char> {
  using type = std::uint8_t;
};
template <Plain T>
  requires std::is_enum_v<T>
struct StoredAs<T> {
  using type = std::int32_t;
};
template <Plain T>
using Stored = typename StoredAs<T>::type;

class Archive {
 public:
  /// Saves. What was saved is in `to` after finish().
  explicit Archive(Columns& to) : to_(&to) {}
  /// Loads. Members throw BadCheckpoint when their column has another type or ends too early.
  explicit Archive(Shard from) : from_(from) {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool loading() const { return to_ == nullptr; }
  /// Loading: whether a member is there; what former versions did not have keeps its initial value. @tparam T as it is stored
  template <Number T>
  bool has(const char* name) {
    return !loading() || from_.size<T>(prefix_ + name) > 0;
  }
  /// Saves: hands over the columns.
  void finish();

  template <Plain T>
  void operator()(const char* name, T& value) {
    auto stored = static_cast<Stored<T>>(value);
    values<Stored<T>>(name, {&stored, 1});
    value = static_cast<T>(stored);
  }
  template <Plain T>
  void operator()(const char* name, std::vector<T>& list) {
    std::uint64_t n = list.size();
    values<std::uint64_t>(std::string(name) + "#", {&n, 1});
    std::vector<Stored<T>> stored(loading() ? checked(name, n, type<Stored<T>>()) : n);
    for (std::size_t k = 0; !loading() && k < n; ++k) stored[k] = static_cast<Stored<T>>(list[k]);
    values<Stored<T>>(name, stored);
    list.resize(n);
    for (std::size_t k = 0; k < n; ++k) list[k] = static_cast<T>(stored[k]);
  }
  template <Plain T, std::size_t n>
  void operator()(const char* name, std::array<T, n>& list) {
    for (T& value : list) (*this)(name, value);
  }
  void operator()(const char* name, std::string& text);
  /// Lists of lists, and of other objects with a visit() found below.
  template <class X>
  void operator()(const char* name, std::vector<X>& list) {
    each(name, list, [this](X& x) { (*this)("of", x); });
  }
  /// Members of the objects of a list: visit(object). Loading resizes the list.
  template <class List, class F>
  void each(const char* name, List& list, F&& visit) {
    std::uint64_t n = list.size();
    (*this)(name, n);
    const Scope scope(*this, name);
    if (loading()) list = List(checked(name, n, {}));
    for (auto& x : list) visit(x);
  }
  /// Members with this prefix.
  template <class F>
  void in(const char* name, F&& visit) {
    const Scope scope(*this, name);
    visit();
  }

 private:
  struct Bytes {
    std::string dtype;
    std::size_t item = 1;
    std::vector<std::byte> data;
    std::size_t at = 0;  ///< loading: bytes that were taken
  };
  struct Scope {
    Scope(Archive& a, const char* name) : archive(a), length(a.prefix_.size()) { archive.prefix_.append(name).append("/"); }
    ~Scope() { archive.prefix_.resize(length); }
    Archive& archive;
    std::size_t length;
  };
  struct Type {
    std::string dtype;
    std::size_t item = 1;
  };
  template <Number T>
  static Type type() {
    return {dtype_of<T>(), sizeof(T)};
  }

  /// Saves or loads n values of a column.
  template <Number T>
  void values(const std::string& name, std::span<T> list) {
    move(name, type<T>(), reinterpret_cast<std::byte*>(list.data()), list.size());
  }
  void move(const std::string& name, const Type& type, std::byte* data, std::size_t n);
  Bytes& load(const std::string& path, const Type& type);
  /// A length that was read, so that a damaged one allocates nothing. @param type of the column; none: that of a list of objects
  std::uint64_t checked(const std::string& name, std::uint64_t n, const Type& type);

  Columns* to_ = nullptr;
  Shard from_{none(), Source::common};
  std::string prefix_;
  std::map<std::string, Bytes> columns_;

  static Source& none();
};

}  // namespace npl::checkpoint
