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

Archive::Place& Archive::place(const char* name) {
  if (std::unique_ptr<Place>* known = at_->places.find(name)) return **known;
  return *at_->places.add(name, std::make_unique<Place>(Place{at_->path + name + "/"}));
}

Archive::Bytes& Archive::column(const char* name) {
  if (Bytes** known = at_->columns.find(name)) return **known;
  return *at_->columns.add(name, &columns_[at_->path + name]);
}

void Archive::move(const char* name, const Type& type, std::byte* data, std::size_t bytes) {
  if (!loading()) {
    Bytes& b = column(name);
    if (b.dtype.empty()) b.dtype = type.dtype, b.item = type.item;
    if (!declares_) b.data.insert(b.data.end(), data, data + bytes);
    return;
  }
  Bytes& b = load(name, type);
  if (b.data.size() - b.at < bytes) throw BadCheckpoint("column " + at_->path + name + " ends too early");
  if (bytes) std::memcpy(data, b.data.data() + b.at, bytes);
  b.at += bytes;
}

Archive::Bytes& Archive::load(const char* name, const Type& type) {
  Bytes& b = column(name);
  if (b.dtype.empty()) {
    b.dtype = type.dtype, b.item = type.item;
    b.data = from_.bytes(at_->path + name, type.dtype, type.item);
  }
  if (b.dtype != type.dtype) throw BadCheckpoint("column " + at_->path + name + " has type " + b.dtype + " instead of " + type.dtype);
  return b;
}

std::uint64_t Archive::checked(const char* name, std::uint64_t n, const Type& type) {
  if (type.dtype.empty()) {
    if (n > most_objects) throw BadCheckpoint("column " + at_->path + name + ": a length of " + std::to_string(n));
    return n;
  }
  const Bytes& b = load(name, type);
  if (n > (b.data.size() - b.at) / type.item) throw BadCheckpoint("column " + at_->path + name + " ends too early");
  return n;
}

void Archive::finish() {
  for (auto& [path, b] : columns_) to_->keep(path, b.dtype, b.item, std::move(b.data));
  columns_.clear();
  root_ = {};
}

}  // namespace npl::checkpoint
