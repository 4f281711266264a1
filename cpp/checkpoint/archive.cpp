// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/archive.hpp"

#include <cstring>

namespace npl::checkpoint {
namespace {

constexpr std::uint64_t most_objects = std::uint64_t{1} << 32;

/// Of an archive that saves.
class NoSource final : public Source {
 public:
  int shards() const override { return 0; }
  std::uint64_t size(int, const std::string&, const std::string&) override { return 0; }
  void read(int, const std::string&, const std::string&, std::uint64_t, std::uint64_t, void*) override {}
};

template <Number T>
void hand_over(Columns& to, const std::string& path, const std::vector<std::byte>& data) {
  std::vector<T> values(data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data.data(), data.size());
  to.keep(path, std::move(values));
}

using HandOver = void (*)(Columns&, const std::string&, const std::vector<std::byte>&);
const std::map<std::string, HandOver>& hand_overs() {
  static const auto all = [] {
    std::map<std::string, HandOver> made;
    const auto add = [&]<class... T>(T...) { (made.emplace(dtype_of<T>(), &hand_over<T>), ...); };
    add(std::int8_t{}, std::uint8_t{}, std::int16_t{}, std::uint16_t{}, std::int32_t{}, std::uint32_t{}, std::int64_t{}, std::uint64_t{},
        float{}, double{});
    return made;
  }();
  return all;
}

}  // namespace

Source& Archive::none() {
  static NoSource source;
  return source;
}

void Archive::operator()(const char* name, std::string& text) {
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  (*this)(name, bytes);
  text.assign(bytes.begin(), bytes.end());
}

void Archive::move(const std::string& name, const Type& type, std::byte* data, std::size_t n) {
  const std::string path = prefix_ + name;
  if (!loading()) {
    Bytes& b = columns_[path];
    b.dtype = type.dtype, b.item = type.item;
    b.data.insert(b.data.end(), data, data + n * type.item);
    return;
  }
  Bytes& b = load(path, type);
  if (b.data.size() - b.at < n * type.item) throw BadCheckpoint("column " + path + " ends too early");
  if (n) std::memcpy(data, b.data.data() + b.at, n * type.item);
  b.at += n * type.item;
}

Archive::Bytes& Archive::load(const std::string& path, const Type& type) {
  Bytes& b = columns_[path];
  if (b.dtype.empty()) {
    b.dtype = type.dtype, b.item = type.item;
    b.data = from_.bytes(path, type.dtype, type.item);
  }
  if (b.dtype != type.dtype) throw BadCheckpoint("column " + path + " has type " + b.dtype + " instead of " + type.dtype);
  return b;
}

std::uint64_t Archive::checked(const std::string& name, std::uint64_t n, const Type& type) {
  if (type.dtype.empty()) {
    if (n > most_objects) throw BadCheckpoint("column " + prefix_ + name + ": a length of " + std::to_string(n));
    return n;
  }
  const Bytes& b = load(prefix_ + name, type);
  if (n > (b.data.size() - b.at) / type.item) throw BadCheckpoint("column " + prefix_ + name + " ends too early");
  return n;
}

void Archive::finish() {
  for (const auto& [path, b] : columns_) hand_overs().at(b.dtype)(*to_, path, b.data);
  columns_.clear();
}

}  // namespace npl::checkpoint
