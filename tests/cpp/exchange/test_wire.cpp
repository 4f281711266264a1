// SPDX-License-Identifier: Apache-2.0
/// Decoders on bytes that were cut off or changed: refused, or read within what is there. Buffers are of exact size on the heap, so that
/// the address sanitizer sees every step outside.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "exchange/wire.hpp"

namespace npl::exchange::wire::test_wire {
namespace {

using Buffer = std::vector<std::byte>;

Buffer block_of(std::uint32_t records, std::uint32_t most, std::size_t room) {
  Buffer block;
  append_value(block, BlockHeader{records, most});
  block.resize(block.size() + room);
  return block;
}

Buffer some_packets(std::mt19937& draw, std::size_t record_bytes) {
  Buffer bytes;
  for (unsigned r = 0; r < 1 + draw() % 4; ++r)
    append_packet(bytes, draw() % 8, draw() % 8, Buffer((1 + draw() % 5) * record_bytes, std::byte{7}), record_bytes);
  return bytes;
}

// Reads every byte; returns how many.
std::size_t touch(Bytes data) {
  return std::accumulate(data.begin(), data.end(), std::size_t{0},
                         [](std::size_t n, std::byte b) { return n + 1 + (b == std::byte{255}) * 0; });
}

std::size_t read_all(Bytes rest, std::size_t record_bytes) {
  std::size_t bytes = 0;
  while (!rest.empty()) bytes += sizeof(PacketHeader) + touch(take_packet(rest, record_bytes).data);
  return bytes;
}

// Calls read on a copy of `good` with random bits flipped and cut off at a random place; counts what was refused.
template <class Read>
int corrupt_often(const Buffer& good, std::mt19937& draw, Read read) {
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    Buffer bad = good;
    for (unsigned flips = draw() % 4; flips-- > 0;) bad[draw() % bad.size()] ^= std::byte(1 << draw() % 8);
    if (draw() % 2) bad.resize(draw() % bad.size());
    bad.shrink_to_fit();
    try {
      EXPECT_LE(read(Bytes(bad)), bad.size());
    } catch (const BadMessage&) {
      ++refused;
    }
  }
  return refused;
}

TEST(Wire, BlocksRoundTrip) {
  const Buffer block = block_of(3, 5, 16);
  EXPECT_EQ(read_block(block, 4).data.size(), 12u);
  EXPECT_EQ(read_block(block, 4).most, 5u);
}

TEST(Wire, BlocksThatCannotBe) {
  EXPECT_THROW(read_block(Buffer(7), 4), BadMessage);
  EXPECT_THROW(read_block(block_of(5, 5, 16), 4), BadMessage) << "more records than fit";
  EXPECT_THROW(read_block(block_of(3, 2, 16), 4), BadMessage) << "more records than there are";
  EXPECT_THROW(read_block(block_of(0, 0xffffffff, 16), 4), BadMessage) << "more than any message holds";
  EXPECT_THROW(read_first_block(block_of(3, 5, 16), 4), BadMessage) << "overflow of a block that is not full";
  EXPECT_EQ(read_first_block(block_of(4, 5, 18), 4).most, 5u);
}

TEST(Wire, Numbers) {
  EXPECT_EQ(bytes_of(5, 8), 40u);
  EXPECT_THROW(bytes_of(0x10000000, 8), BadMessage);
  EXPECT_THROW(bytes_of(~std::uint64_t{0}, 2), BadMessage) << "the product would wrap around";
  EXPECT_EQ(records_in(12, 4), 3u);
  EXPECT_THROW(records_in(13, 4), BadMessage);
  EXPECT_THROW(records_in(0, 4), BadMessage);
  const std::vector<std::uint32_t> good{1, 0, 2}, bad{1, 0xffffffff};
  std::vector<std::size_t> sizes(3);
  EXPECT_EQ(sizes_of(good, 2, sizes), 6u);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 0, 4}));
  EXPECT_THROW(sizes_of(bad, 2, sizes), BadMessage);
}

TEST(Wire, TotalsOfParts) {
  Buffer part;
  append_value(part, PartHeader{17});
  EXPECT_EQ(read_total(part), 17u);
  store(part.data(), PartHeader{max_bytes + 1});
  EXPECT_THROW(read_total(part), BadMessage);
  EXPECT_THROW(read_total(Buffer(4)), BadMessage);
}

TEST(Wire, PacketsRoundTrip) {
  Buffer bytes;
  append_packet(bytes, 3, 9, Buffer(8, std::byte{1}), 4);
  append_packet(bytes, 2, 4, Buffer(4, std::byte{2}), 4);
  Bytes rest = bytes;
  const Packet first = take_packet(rest, 4), second = take_packet(rest, 4);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(first.source, 3u);
  EXPECT_EQ(first.destination, 9u);
  EXPECT_EQ(first.data.size(), 8u);
  EXPECT_EQ(second.source, 2u);
  EXPECT_EQ(second.data[3], std::byte{2});
}

TEST(Wire, PacketsThatCannotBe) {
  Buffer bytes(20);
  Bytes rest = bytes;
  EXPECT_THROW(take_packet(rest, 4), BadMessage) << "no records";
  for (const std::uint64_t records : {std::uint64_t{2}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    store(bytes.data(), PacketHeader{0, 0, records});
    EXPECT_THROW(take_packet(rest, 4), BadMessage) << records;
  }
  EXPECT_EQ(rest.size(), bytes.size()) << "nothing was taken";
}

TEST(Wire, CorruptedBlocksStayInBounds) {
  std::mt19937 draw(1);
  int refused = 0;
  for (const std::size_t record_bytes : {2, 4, 8, 16})
    for (const std::uint32_t records : {0u, 1u, 7u})
      refused += corrupt_often(block_of(records, records + 1, 7 * record_bytes), draw,
                               [&](Bytes b) { return touch(read_block(b, record_bytes).data); });
  EXPECT_GT(refused, 500);
}

TEST(Wire, CorruptedPacketsStayInBounds) {
  std::mt19937 draw(2);
  int refused = 0;
  for (int i = 0; i < 60; ++i)
    for (const std::size_t record_bytes : {2, 4, 8, 16})
      refused += corrupt_often(some_packets(draw, record_bytes), draw, [&](Bytes b) { return read_all(b, record_bytes); });
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace npl::exchange::wire::test_wire
