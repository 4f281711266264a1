// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "checkpoint/archive.hpp"

namespace npl::checkpoint::test_columns {
namespace {

/// A source of one shard: the columns of a snapshot.
class Memory final : public Source {
 public:
  explicit Memory(const Columns& columns) : columns_(columns) {}
  int shards() const override { return 1; }
  std::uint64_t size(int, const std::string& path, const std::string& dtype) override {
    const auto paths = columns_.paths();
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) return 0;
    if (columns_.of(path).dtype != dtype) throw BadCheckpoint("another type");
    return columns_.of(path).size;
  }
  void read(int, const std::string& path, const std::string&, std::uint64_t begin, std::uint64_t n, void* out) override {
    columns_.read(path, begin, n, out);
  }

 private:
  const Columns& columns_;
};

TEST(Columns, PiecesFollowOneAnother) {
  const std::vector<float> lying{0, 1, 2};
  Columns columns;
  columns.refer("x", std::span<const float>(lying));
  columns.keep("x", std::vector<float>{3, 4});
  columns.make<float>("x", 5,
                      [](std::uint64_t begin, std::uint64_t n, float* out) { std::iota(out, out + n, 5.0f + static_cast<float>(begin)); });
  EXPECT_EQ(columns.of("x").size, 10u);
  EXPECT_EQ(columns.of("x").dtype, "<f4");
  for (std::uint64_t begin = 0; begin <= 10; ++begin)
    for (std::uint64_t n = 0; n <= 10 - begin; ++n) {
      std::vector<float> found(n), expected(n);
      columns.read("x", begin, n, found.data());
      std::iota(expected.begin(), expected.end(), static_cast<float>(begin));
      EXPECT_EQ(found, expected);
    }
  float one = 0;
  EXPECT_THROW(columns.read("x", 10, 1, &one), BadParameter);
  EXPECT_THROW(columns.read("y", 0, 1, &one), BadParameter);
  EXPECT_THROW(columns.keep("x", std::vector<double>{1}), BadParameter);
}

enum class Colour { red, blue };
struct Thing {
  std::string name;
  bool big = false;
  Colour colour = Colour::red;
  std::vector<double> values;
  std::vector<std::vector<int>> lists;
  std::array<double, 2> pair{};
  void visit(Archive& a) { a("name", name), a("big", big), a("colour", colour), a("values", values), a("lists", lists), a("pair", pair); }
  bool operator==(const Thing&) const = default;
};

TEST(Archive, LoadsWhatItSaves) {
  std::vector<Thing> things{{"a", true, Colour::blue, {1.5, 2.5}, {{1}, {}, {2, 3}}, {1, 2}}, {"", false, Colour::red, {}, {}, {3, 4}}},
      found;
  Columns columns;
  Archive save(columns);
  save.each("things", things, [&](Thing& t) { t.visit(save); });
  save.finish();
  Memory memory(columns);
  Archive load(Shard(memory, 0));
  load.each("things", found, [&](Thing& t) { t.visit(load); });
  EXPECT_EQ(found, things);
}

TEST(Archive, RefusesColumnsThatEndTooEarlyOrHaveAnotherType) {
  Columns columns;
  columns.keep("n", std::vector<std::int32_t>{1});
  columns.keep("list#", std::vector<std::uint64_t>{1000});
  columns.keep("list", std::vector<double>{1, 2});
  columns.keep("things", std::vector<std::uint64_t>{std::uint64_t{1} << 60});
  Memory memory(columns);
  Archive load(Shard(memory, 0));
  std::int32_t n = 0;
  load("n", n);
  EXPECT_THROW(load("n", n), BadCheckpoint);
  std::int64_t wider = 0;
  EXPECT_THROW(load("n", wider), BadCheckpoint);
  std::vector<double> list;
  EXPECT_THROW(load("list", list), BadCheckpoint);
  std::vector<Thing> things;
  EXPECT_THROW(load.each("things", things, [](Thing&) {}), BadCheckpoint);
  EXPECT_THROW(load("missing", n), BadCheckpoint);
}

TEST(Cursor, ReadsAColumnOnce) {
  Columns columns;
  columns.keep("x", std::vector<std::int64_t>{1, 2, 3, 4, 5});
  Memory memory(columns);
  Cursor<std::int64_t> cursor(Shard(memory, 0), "x");
  EXPECT_EQ(cursor.next(2), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(cursor.next(0), std::vector<std::int64_t>{});
  EXPECT_EQ(cursor.next(3), (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_THROW(cursor.next(1), BadCheckpoint);
}

}  // namespace
}  // namespace npl::checkpoint::test_columns
