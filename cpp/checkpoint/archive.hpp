// SPDX-License-Identifier: Apache-2.0
/// Records as columns. A record has one function `visit`, which names its members; it saves and loads. Members of many records of one kind
/// make one column each: `populations/first`, `populations/n`, ... Records must be loaded in the order in which they were saved.
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
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

/// A record to be saved: visit() of an archive that saves leaves it as it is.
template <class X>
X& saved(const X& x) {
  return const_cast<X&>(x);
}

class Archive {
 public:
  /// Saves: records stay as they are. What was saved is in `to` after finish().
  explicit Archive(Columns& to) : to_(&to) {}
  /// Loads. Members throw BadCheckpoint when their column has another type or ends too early.
  explicit Archive(Shard from) : from_(from) {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool loading() const { return to_ == nullptr; }
  /// Loading: whether a member is there; what former versions did not have keeps its initial value. @tparam T as it is stored
  template <Number T>
  bool has(const char* name) {
    return !loading() || from_.size<T>(at_->path + name) > 0;
  }
  /// Loading: number of values of a column that were not loaded yet. @tparam T as it is stored
  template <Number T>
  std::uint64_t left(const char* name) {
    const Bytes& b = load(name, type<T>());
    return (b.data.size() - b.at) / b.item;
  }
  /// Saves: hands over the columns.
  void finish();

  template <Plain T>
  void operator()(const char* name, T& value) {
    auto stored = static_cast<Stored<T>>(value);
    move(name, std::span(&stored, 1));
    if (loading()) value = static_cast<T>(stored);
  }
  template <Plain T>
  void operator()(const char* name, std::vector<T>& list) {
    std::uint64_t n = list.size();
    (*this)((std::string(name) + "#").c_str(), n);
    values(name, list, n);
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
  /// A list whose length is a member of its own. @param n the length; loading resizes the list
  template <Plain T>
  void values(const char* name, std::vector<T>& list, std::uint64_t n) {
    if (loading()) list.resize(checked(name, n, type<Stored<T>>()));
    if constexpr (std::is_same_v<Stored<T>, T>) {
      move(name, std::span<T>(list));
    } else {
      std::vector<Stored<T>> stored(list.size());
      for (std::size_t k = 0; !loading() && k < n; ++k) stored[k] = static_cast<Stored<T>>(list[k]);
      move(name, std::span<Stored<T>>(stored));
      for (std::size_t k = 0; loading() && k < n; ++k) list[k] = static_cast<T>(stored[k]);
    }
  }
  /// The same for a list that may be huge: saving refers to it, so it must not change until the columns are read; loading reads no more of
  /// the column than this list. @param get the value of an item
  template <Number T, class Item, class Get = std::identity>
  void large(const char* name, std::vector<Item>& list, std::uint64_t n, Get get = {}) {
    if (declares_) return;
    const std::string path = at_->path + name;
    if (!loading()) return refer<T>(path, list, get);
    std::uint64_t& at = taken_[path];
    if (const std::uint64_t size = from_.size<T>(path); n > size - std::min(at, size))
      throw BadCheckpoint("column " + path + " ends too early");
    std::vector<T> values(n);
    from_.read(path, std::exchange(at, at + n), std::span<T>(values));
    list.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      auto& value = std::invoke(get, list[k]);
      value = static_cast<std::remove_reference_t<decltype(value)>>(values[k]);
    }
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
  /// Members of the records of a list whose length is a member of another record: visit(record). Saving makes the columns of an empty list,
  /// too. @param n (loading) the length
  template <class X, class F>
  void records(const char* name, std::vector<X>& list, std::uint64_t n, F&& visit) {
    const Scope scope(*this, name);
    items(list, n, visit);
  }
  /// The same without a prefix of their own.
  template <class X, class F>
  void items(std::vector<X>& list, std::uint64_t n, F&& visit) {
    if (loading()) {
      for (list.clear(); list.size() < n;) visit(list.emplace_back());  // a damaged length allocates nothing
      return;
    }
    for (X& x : list) visit(x);
    if (list.empty()) declare(X{}, visit);
  }
  /// When saving, writes empty columns for a list that has no records.
  template <class X, class F>
  void declare(X none, F&& visit) {
    const bool before = std::exchange(declares_, true);
    visit(none);
    declares_ = before;
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
  /// Entries by name; looking them up in the order of the last time costs one or two comparisons.
  template <class X>
  class Named {
   public:
    X* find(std::string_view name) {
      for (std::size_t k = 0; k < all_.size(); ++k, last_ = last_ + 1 < all_.size() ? last_ + 1 : 0)
        if (all_[last_].first == name) return &all_[last_].second;
      return nullptr;
    }
    X& add(std::string_view name, X x) {
      last_ = all_.size();
      return all_.emplace_back(name, std::move(x)).second;
    }

   private:
    std::vector<std::pair<std::string, X>> all_;
    std::size_t last_ = 0;
  };
  /// Members with one prefix.
  struct Place {
    std::string path = {};
    Named<Bytes*> columns = {};
    Named<std::unique_ptr<Place>> places = {};
  };
  struct Scope {
    Scope(Archive& a, const char* name) : archive(a), before(a.at_) { a.at_ = &a.place(name); }
    ~Scope() { archive.at_ = before; }
    Archive& archive;
    Place* before;
  };
  struct Type {
    std::string dtype = {};
    std::size_t item = 1;
  };
  template <Number T>
  static const Type& type() {
    static const Type made{dtype_of<T>(), sizeof(T)};
    return made;
  }

  /// Saves or loads values of a column.
  template <Number T>
  void move(const char* name, std::span<T> list) {
    move(name, type<T>(), reinterpret_cast<std::byte*>(list.data()), list.size_bytes());
  }
  void move(const char* name, const Type& type, std::byte* data, std::size_t bytes);
  template <Number T, class Item, class Get>
  void refer(const std::string& path, const std::vector<Item>& list, Get get) {
    if constexpr (std::is_same_v<Item, T>)
      to_->refer(path, std::span<const T>(list));
    else
      to_->make<T>(path, list.size(), [&list, get](std::uint64_t begin, std::uint64_t n, T* out) {
        for (std::uint64_t k = 0; k < n; ++k) out[k] = std::invoke(get, list[begin + k]);
      });
  }
  Place& place(const char* name);
  Bytes& column(const char* name);
  Bytes& load(const char* name, const Type& type);
  /// A length that was read, so that a damaged one allocates nothing. @param type of the column; none: that of a list of objects
  std::uint64_t checked(const char* name, std::uint64_t n, const Type& type);

  Columns* to_ = nullptr;
  Shard from_{none(), Source::common};
  Place root_;
  Place* at_ = &root_;
  bool declares_ = false;  ///< saving: columns are made, but nothing is added to them
  std::map<std::string, Bytes> columns_;
  std::map<std::string, std::uint64_t> taken_;  ///< loading: values of large columns

  static Source& none();
};

}  // namespace npl::checkpoint
