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

/// A record whose lists have their length as a member.
struct Counted {
  std::int32_t id = 0;
  std::vector<double> values;
  std::vector<bool> marks;
  void visit(Archive& a) {
    auto n = static_cast<std::uint32_t>(values.size());
    a("id", id), a("n", n), a.values("values", values, n), a.values("marks", marks, n);
  }
  bool operator==(const Counted&) const = default;
};

template <class List>
void visit_lists(Archive& a, List& lists, std::vector<std::uint64_t> lengths) {
  for (std::size_t k = 0; k < lists.size(); ++k) a.records("list", lists[k], lengths[k], [&](Counted& c) { c.visit(a); });
}

TEST(Archive, RecordsOfListsWhoseLengthStandsElsewhere) {
  std::vector<std::vector<Counted>> lists{{{1, {1.5, 2.5}, {true, false}}, {2, {}, {}}}, {}, {{3, {4.5}, {true}}}}, found(3);
  Columns columns;
  Archive save(columns);
  visit_lists(save, lists, {0, 0, 0});
  save.finish();
  EXPECT_EQ(columns.paths(), (std::vector<std::string>{"list/id", "list/marks", "list/n", "list/values"}));
  EXPECT_EQ(columns.of("list/values").size, 3u);
  Memory memory(columns);
  Archive load(Shard(memory, 0));
  EXPECT_EQ(load.left<std::int32_t>("list/id"), 3u);
  visit_lists(load, found, {2, 0, 1});
  EXPECT_EQ(found, lists);
  EXPECT_EQ(load.left<std::int32_t>("list/id"), 0u);
  Archive again(Shard(memory, 0));
  EXPECT_THROW(visit_lists(again, found, {2, 0, std::uint64_t{1} << 60}), BadCheckpoint);
}

TEST(Archive, ColumnsOfAnEmptyListAreThereWhereItsRecordsAreDeclared) {
  std::vector<Counted> none;
  Columns columns;
  Archive save(columns);
  save.records("list", none, 0, [&](Counted& c) { c.visit(save); });
  save.finish();
  EXPECT_EQ(columns.paths(), (std::vector<std::string>{"list/id", "list/marks", "list/n", "list/values"}));
  for (const std::string& path : columns.paths()) EXPECT_EQ(columns.of(path).size, 0u) << path;
}

TEST(Archive, MembersAreFoundInAnyOrder) {
  Columns columns;
  Archive save(columns);
  for (int k : {1, 2, 3}) {
    int twice = 2 * k, more = 10 * k;
    if (k != 2)
      save("a", k), save("b", twice);
    else
      save("b", twice), save("a", k);
    save.in("in", [&] { save("a", more); });
  }
  save.finish();
  Memory memory(columns);
  const Shard shard(memory, 0);
  EXPECT_EQ(shard.all<std::int32_t>("a"), (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(shard.all<std::int32_t>("b"), (std::vector<std::int32_t>{2, 4, 6}));
  EXPECT_EQ(shard.all<std::int32_t>("in/a"), (std::vector<std::int32_t>{10, 20, 30}));
}

TEST(Archive, SavingLeavesRecordsAsTheyAre) {
  const Counted record{7, {1.0, 2.0}, {false, true}};
  const double* values = record.values.data();
  Columns columns;
  Archive save(columns);
  saved(record).visit(save);
  EXPECT_EQ(record, (Counted{7, {1.0, 2.0}, {false, true}}));
  EXPECT_EQ(record.values.data(), values);
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
