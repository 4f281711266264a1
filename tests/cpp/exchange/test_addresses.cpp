// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "exchange/address_book.hpp"

namespace npl::exchange::test_addresses {
namespace {

/// A book of so many senders and parts beside the plain list of what every address means.
struct Example {
  AddressBook book;
  std::vector<std::vector<AddressBook::Row>> rows;  ///< [sender][address]

  Example(std::size_t senders, std::size_t parts, std::size_t mine_before, unsigned most) : book(parts), rows(senders) {
    std::mt19937 random(senders * 31 + parts);
    std::vector<std::uint32_t> counts(parts), first(parts);
    const auto draw = [&] {
      for (auto& c : counts) c = random() % (most + 1);
    };
    for (std::size_t s = 0; s <= senders; ++s) {
      if (s == mine_before) {
        draw();
        book.add_mine(counts);
        for (std::size_t p = 0; p < parts; ++p) first[p] += counts[p];
      }
      if (s == senders) break;
      draw();
      book.add(counts);
      for (std::uint32_t p = 0; p < parts; ++p)
        for (std::uint32_t k = 0; k < counts[p]; ++k) rows[s].push_back({p, first[p]++});
    }
  }

  void expect(AddressBook::Reader& reader, std::size_t sender) const {
    reader.go_to(sender);
    AddressBook::Row row{};
    for (std::size_t a = 0; a < rows[sender].size(); ++a) {
      ASSERT_TRUE(reader.find(a, row));
      ASSERT_EQ(row.part, rows[sender][a].part) << "sender " << sender << ", address " << a;
      ASSERT_EQ(row.row, rows[sender][a].row) << "sender " << sender << ", address " << a;
    }
    EXPECT_FALSE(reader.find(rows[sender].size(), row));
  }
};

TEST(AddressBook, EveryAddressMeansItsRow) {
  for (std::size_t senders : {std::size_t{1}, std::size_t{5}, std::size_t{64}, std::size_t{300}})
    for (std::size_t parts : {std::size_t{1}, std::size_t{7}})
      for (std::size_t mine : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{128}, senders, SIZE_MAX}) {
        const Example e(senders, parts, mine, parts == 1 ? 300 : 3);
        AddressBook::Reader all(e.book), some(e.book), back(e.book);
        for (std::size_t s = 0; s < senders; ++s) e.expect(all, s);
        for (std::size_t s = 0; s < senders; s += 37) e.expect(some, s);
        for (std::size_t s = senders; s-- > 0;) e.expect(back, s);
        std::size_t most = 0;
        for (const auto& r : e.rows) most = std::max(most, r.size());
        EXPECT_EQ(e.book.most_addresses(), most);
      }
}

}  // namespace
}  // namespace npl::exchange::test_addresses
