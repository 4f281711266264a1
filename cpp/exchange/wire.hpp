// SPDX-License-Identifier: Apache-2.0
/// What stands in messages, and how it is read. Pure functions: everything that comes from another rank is checked here against the
/// length of what has come, before anything is copied or allocated by it; what does not fit is a BadMessage. Numbers are in the byte
/// order of the machine: ranks of one job run on machines of one kind.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace npl::exchange::wire {

using Bytes = std::span<const std::byte>;

/// No message and no part of one is larger: counts of MPI are ints.
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

/// Bytes of `words` words, refused where no message could hold them.
inline std::size_t bytes_of(std::uint64_t words, std::size_t word_bytes) {
  if (words > max_bytes / word_bytes) refuse("number of words", words, max_bytes / word_bytes);
  return static_cast<std::size_t>(words) * word_bytes;
}

/// Number of words in a message of nothing but words. Empty ones are never sent.
inline std::size_t words_in(std::size_t bytes, std::size_t word_bytes) {
  if (bytes == 0 || bytes % word_bytes != 0)
    throw BadMessage("message refused: " + std::to_string(bytes) + " bytes are no words of " + std::to_string(word_bytes) + " bytes");
  return bytes / word_bytes;
}

/// Sizes in bytes from counts in words; returns their sum.
inline std::size_t sizes_of(std::span<const std::uint32_t> words, std::size_t word_bytes, std::span<std::size_t> sizes) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) sum += sizes[i] = bytes_of(words[i], word_bytes);
  return sum;
}

/// In front of a block of fixed size. words: in this block. most: how many there would be if the block were large enough; in alltoall the
/// most for any destination, so that all ranks know whether all need another round.
struct BlockHeader {
  std::uint32_t words, most;
};

struct Block {
  Bytes data;
  std::size_t most;
};

inline Block read_block(Bytes block, std::size_t word_bytes) {
  if (block.size() < sizeof(BlockHeader)) refuse("header of a block", sizeof(BlockHeader), block.size());
  const auto header = load<BlockHeader>(block.data());
  const std::size_t room = (block.size() - sizeof(BlockHeader)) / word_bytes;
  if (header.words > room) refuse("words in a block", header.words, room);
  if (header.words > header.most) refuse("words in a block", header.words, header.most);
  bytes_of(header.most, word_bytes);
  return {block.subspan(sizeof(BlockHeader), header.words * word_bytes), header.most};
}

/// A block whose `most` counts words of this block and of an overflow message: the overflow exists only where the block is full.
inline Block read_first_block(Bytes block, std::size_t word_bytes) {
  const Block first = read_block(block, word_bytes);
  const std::size_t room = (block.size() - sizeof(BlockHeader)) / word_bytes, words = first.data.size() / word_bytes;
  if (first.most > words && words < room) refuse("words after a block that is not full", first.most - words, 0);
  return first;
}

/// Words of one source for one destination on their way through others. 16 bytes: a multiple of all sizes of words.
struct RecordHeader {
  std::uint32_t source, destination;
  std::uint64_t words;
};

struct Record {
  std::uint32_t source, destination;
  Bytes data;
};

inline void append_record(std::vector<std::byte>& to, int source, int destination, Bytes data, std::size_t word_bytes) {
  append_value(to, RecordHeader{static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(destination), data.size() / word_bytes});
  append(to, data);
}

/// Takes the first record off the front of `rest`.
inline Record take_record(Bytes& rest, std::size_t word_bytes) {
  if (rest.size() < sizeof(RecordHeader)) refuse("header of a record", sizeof(RecordHeader), rest.size());
  const auto header = load<RecordHeader>(rest.data());
  const std::size_t room = (rest.size() - sizeof(RecordHeader)) / word_bytes;
  if (header.words == 0 || header.words > room) refuse("words in a record", header.words, room);
  const Record record{header.source, header.destination, rest.subspan(sizeof(RecordHeader), header.words * word_bytes)};
  rest = rest.subspan(sizeof(RecordHeader) + record.data.size());
  return record;
}

/// In front of each part of what a rank shows to its node: bytes in all, over all parts.
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
