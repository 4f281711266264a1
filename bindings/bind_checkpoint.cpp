// SPDX-License-Identifier: Apache-2.0
/// Kernel: checkpoints as columns. Files are the affair of neuropil.checkpoint.
#include <algorithm>
#include <cstddef>
#include <map>
#include <span>

#include "base/crc32.hpp"
#include "kernel.hpp"

namespace npl::bindings {
namespace {

using sim::Snapshot;

/// A Python object with `shards`, `columns(shard)` and `read(shard, path, begin, out)`, where shard -1 is what all ranks have in common.
class PythonSource final : public checkpoint::Source {
 public:
  explicit PythonSource(nb::object source) : source_(std::move(source)), shards_(nb::cast<int>(source_.attr("shards"))) {}
  int shards() const override { return shards_; }
  std::uint64_t size(int shard, const std::string& path, const std::string& dtype) override {
    const auto& columns = of(shard);
    const auto found = columns.find(path);
    if (found == columns.end()) return 0;
    if (found->second.first != dtype) throw BadCheckpoint("column " + path + " has type " + found->second.first + " instead of " + dtype);
    return found->second.second;
  }
  void read(int shard, const std::string& path, const std::string& dtype, std::uint64_t begin, std::uint64_t n, void* out) override {
    const std::uint64_t known = size(shard, path, dtype);
    if (begin > known || n > known - begin) throw BadCheckpoint("column " + path + " ends too early");
    const nb::gil_scoped_acquire gil;
    const std::size_t item = static_cast<std::size_t>(dtype.back() - '0');
    nb::object bytes = nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(out, {n * item}, nb::handle()), nb::rv_policy::reference);
    source_.attr("read")(shard, path, begin, bytes.attr("view")(dtype));
  }

 private:
  using Columns = std::map<std::string, std::pair<std::string, std::uint64_t>>;
  const Columns& of(int shard) {
    if (const auto found = columns_.find(shard); found != columns_.end()) return found->second;
    const nb::gil_scoped_acquire gil;
    Columns& made = columns_[shard];
    for (nb::handle column : source_.attr("columns")(shard)) {
      const auto [path, dtype, n] = nb::cast<std::tuple<std::string, std::string, std::uint64_t>>(column);
      made[path] = {dtype, n};
    }
    return made;
  }

  nb::object source_;
  const int shards_;
  std::map<int, Columns> columns_;
};

const checkpoint::Columns& part(const Snapshot& s, bool common) { return common ? s.common : s.shard; }

std::vector<std::tuple<std::string, std::string, std::uint64_t>> columns_of(const Snapshot& s, bool common) {
  std::vector<std::tuple<std::string, std::string, std::uint64_t>> found;
  for (const std::string& path : part(s, common).paths()) {
    const auto& column = part(s, common).of(path);
    found.emplace_back(path, column.dtype, column.size);
  }
  return found;
}

using Room = nb::ndarray<nb::c_contig, nb::device::cpu>;

void read(const Snapshot& s, bool common, const std::string& path, std::uint64_t begin, const Room& out) {
  const auto& column = part(s, common).of(path);
  if (out.itemsize() != column.item) throw BadParameter("out", static_cast<double>(out.itemsize()), "an array of " + column.dtype);
  unlocked([&] { part(s, common).read(path, begin, out.size(), out.data()); });
}

/// The same; returns the CRC-32 of the values, which is computed while they are in the cache of the core.
std::uint32_t read_checked(const Snapshot& s, bool common, const std::string& path, std::uint64_t begin, const Room& out) {
  const auto& column = part(s, common).of(path);
  if (out.itemsize() != column.item) throw BadParameter("out", static_cast<double>(out.itemsize()), "an array of " + column.dtype);
  constexpr std::uint64_t cached = 1 << 18;  // bytes
  const std::uint64_t step = std::max<std::uint64_t>(cached / column.item, 1);
  return unlocked([&] {
    std::uint32_t checksum = 0;
    for (std::uint64_t at = 0; at < out.size(); at += step) {
      const std::uint64_t n = std::min<std::uint64_t>(step, out.size() - at);
      std::byte* to = static_cast<std::byte*>(out.data()) + at * column.item;
      part(s, common).read(path, begin + at, n, to);
      checksum = crc32(std::span(to, n * column.item), checksum);
    }
    return checksum;
  });
}

}  // namespace

void bind_checkpoint(nb::module_& m, nb::class_<Network>& kernel) {
  m.def(
      "crc32",
      [](const nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& bytes) {
        return unlocked([&] { return crc32(std::as_bytes(std::span(bytes.data(), bytes.size()))); });
      },
      "bytes"_a, "CRC-32 as of zlib.crc32, ten times faster.");
  nb::class_<Snapshot>(m, "Snapshot", "The columns of a checkpoint; the kernel must not change while there is one.")
      .def("columns", &columns_of, "common"_a, "Paths, dtypes and lengths; common: what all ranks have alike, else what this rank has.")
      .def("read", &read, "common"_a, "path"_a, "begin"_a, "out"_a,
           "Fills `out` with values of a column from `begin` on. Several threads may read.")
      .def("read_checked", &read_checked, "common"_a, "path"_a, "begin"_a, "out"_a, "The same; returns the CRC-32 of the values.");
  kernel
      .def(
          "snapshot",
          [](Network& net, bool store_all) {
            auto made = unlocked([&] { return net.snapshot({}, store_all); });
            return std::move(*made);
          },
          nb::keep_alive<0, 1>(), "store_all"_a = false,
          "Builds what is described and returns the columns of a checkpoint; store_all: also of static synapses that can be drawn again. "
          "Collective.")
      .def(
          "restore",
          [](Network& net, nb::object source) {
            PythonSource from(std::move(source));
            unlocked([&] { net.restore(from); });
          },
          "source"_a, "Makes this kernel, which has no nodes, what a checkpoint says. Collective.");
}

}  // namespace npl::bindings
