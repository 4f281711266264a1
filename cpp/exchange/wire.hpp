// SPDX-License-Identifier: Apache-2.0
/// Layout of messages. Pure functions: every count in a message of another rank is checked here against the length of that message before
/// anything is copied or allocated; a count that does not fit is a BadMessage. Numbers are in the byte order of the machine: the ranks of
/// a job run on machines of one kind.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace npl::exchange::wire {

using Bytes = std::span<const std::byte>;

/// Largest message [bytes], and largest part of one: counts of MPI are ints.
inline constexpr std::size_t max_bytes = 0x7fffffff;

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(std::byte* to, const T& value) {
  std::memcpy(to, &value, sizeof value);
}

inline void append(std::vector<std::byte>& to, Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

template <class T>
void append_value(std::vector<std::byte>& to, const T& value) {
  append(to, std::as_bytes(std::span(&value, 1)));
}

[[noreturn]] inline void refuse(const std::string& what, std::uint64_t value, std::uint64_t most) {
  throw BadMessage("message refused: " + what + " = " + std::to_string(value) + ", where at most " + std::to_string(most) + " is possible");
}

/// Bytes of so many records. Throws BadMessage where no message could hold them.
inline std::size_t bytes_of(std::uint64_t records, std::size_t record_bytes) {
  if (records > max_bytes / record_bytes) refuse("number of records", records, max_bytes / record_bytes);
  return static_cast<std::size_t>(records) * record_bytes;
}

/// Number of records in a message without a header. Throws BadMessage for an empty message, which is never sent, and for cut records.
inline std::size_t records_in(std::size_t bytes, std::size_t record_bytes) {
  if (bytes == 0 || bytes % record_bytes != 0)
    throw BadMessage("message refused: " + std::to_string(bytes) + " bytes are no records of " + std::to_string(record_bytes) + " bytes");
  return bytes / record_bytes;
}

/// Sizes in bytes from counts in records; returns their sum.
inline std::size_t sizes_of(std::span<const std::uint32_t> records, std::size_t record_bytes, std::span<std::size_t> sizes) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < records.size(); ++i) sum += sizes[i] = bytes_of(records[i], record_bytes);
  return sum;
}

/// In front of a block of fixed size. records: how many are in this block. most: how many its rank had to send, of which the block may hold
/// only the first; in alltoall the most that its rank had for any destination, so that all ranks know whether another round is needed.
struct BlockHeader {
  std::uint32_t records, most;
};

struct Block {
  Bytes data;
  std::size_t most;
};

inline Block read_block(Bytes block, std::size_t record_bytes) {
  if (block.size() < sizeof(BlockHeader)) refuse("header of a block", sizeof(BlockHeader), block.size());
  const auto header = load<BlockHeader>(block.data());
  const std::size_t room = (block.size() - sizeof(BlockHeader)) / record_bytes;
  if (header.records > room) refuse("records in a block", header.records, room);
  if (header.records > header.most) refuse("records in a block", header.records, header.most);
  bytes_of(header.most, record_bytes);
  return {block.subspan(sizeof(BlockHeader), header.records * record_bytes), header.most};
}

/// A block that may be followed by an overflow message: `most` counts the records of both. Only a full block has an overflow.
inline Block read_first_block(Bytes block, std::size_t record_bytes) {
  const Block first = read_block(block, record_bytes);
  const std::size_t room = (block.size() - sizeof(BlockHeader)) / record_bytes, records = first.data.size() / record_bytes;
  if (first.most > records && records < room) refuse("records after a block that is not full", first.most - records, 0);
  return first;
}

/// In front of the records of one source for one destination that travel through other ranks. 16 bytes: a multiple of every record size.
struct PacketHeader {
  std::uint32_t source, destination;
  std::uint64_t records;
};

struct Packet {
  std::uint32_t source, destination;
  Bytes data;
};

inline void append_packet(std::vector<std::byte>& to, int source, int destination, Bytes data, std::size_t record_bytes) {
  append_value(to, PacketHeader{static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(destination), data.size() / record_bytes});
  append(to, data);
}

/// Removes the first packet from the front of `rest` and returns it. Throws BadMessage.
inline Packet take_packet(Bytes& rest, std::size_t record_bytes) {
  if (rest.size() < sizeof(PacketHeader)) refuse("header of a packet", sizeof(PacketHeader), rest.size());
  const auto header = load<PacketHeader>(rest.data());
  const std::size_t room = (rest.size() - sizeof(PacketHeader)) / record_bytes;
  if (header.records == 0 || header.records > room) refuse("records in a packet", header.records, room);
  const Packet packet{header.source, header.destination, rest.subspan(sizeof(PacketHeader), header.records * record_bytes)};
  rest = rest.subspan(sizeof(PacketHeader) + packet.data.size());
  return packet;
}

/// In front of each part that a rank shows to its node (NodeBoard): bytes of all parts together.
struct PartHeader {
  std::uint64_t total;
};

inline std::size_t read_total(Bytes part) {
  if (part.size() < sizeof(PartHeader)) refuse("header of a part", sizeof(PartHeader), part.size());
  const auto header = load<PartHeader>(part.data());
  if (header.total > max_bytes) refuse("bytes shown to the node", header.total, max_bytes);
  return header.total;
}

}  // namespace npl::exchange::wire
