// SPDX-License-Identifier: Apache-2.0
/// Translates the addresses in arriving spikes to rows. An address is a number among all rows that this rank has for the neurons of the
/// sender, part after part; a part is a table (sparse regime), or the list of all sources (dense regime). Only a count per sender and part
/// is stored, in a byte or two.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/varint.hpp"

namespace npl::exchange {

class AddressBook {
 public:
  AddressBook() = default;
  explicit AddressBook(std::size_t parts) : first_(parts), mine_(parts) {}
  /// Adds the next sender. @param counts [parts] its rows, which follow those of the senders before
  void add(std::span<const std::uint32_t> counts);
  /// Skips the rows of this rank's own neurons; once, between two senders. @param counts [parts]
  void add_mine(std::span<const std::uint32_t> counts);
  /// After the last sender: releases spare memory.
  void finish();
  std::size_t parts() const { return first_.size(); }
  std::uint64_t most_addresses() const { return most_; }  ///< of one sender
  std::size_t bytes() const;

  struct Row {
    std::uint32_t part, row;
  };

  /// Looks up addresses, sender by sender; fast when senders ascend.
  class Reader {
   public:
    explicit Reader(const AddressBook& book) : book_(&book), start_(book.parts()), base_(book.parts() + 1) {}
    /// @param sender its index among those added
    void go_to(std::size_t sender);
    /// False for an address that was never given to this sender.
    bool find(std::uint64_t address, Row& row) const {
      if (address >= base_.back()) return false;
      const std::uint64_t* end = base_.data() + 1;  // of the part; a search without branches, since addresses are in no order
      for (std::size_t n = start_.size(); n > 1; n -= n / 2) end += (end[n / 2 - 1] <= address) * (n / 2);
      const auto part = static_cast<std::uint32_t>(end - base_.data() - 1);
      row = {part, start_[part] + static_cast<std::uint32_t>(address - base_[part])};
      return true;
    }

   private:
    void jump(std::size_t sender);
    void advance();

    const AddressBook* book_;
    std::size_t next_ = SIZE_MAX;       ///< the sender whose counts come next
    bool fresh_ = false;                ///< no counts were read since the last jump
    const std::uint8_t* at_ = nullptr;  ///< its counts
    std::vector<std::uint32_t> start_;  ///< first row of the present sender in every part
    std::vector<std::uint64_t> base_;   ///< its first address there
  };

 private:
  static constexpr std::size_t stretch = 64;  ///< senders; reading can begin at every stretch

  std::vector<std::uint32_t> first_;  ///< while adding: first row of the next sender
  std::vector<std::uint32_t> mine_;
  std::size_t mine_before_ = SIZE_MAX;  ///< sender that this rank's own rows precede
  std::size_t n_ = 0;
  std::uint64_t most_ = 0;
  std::vector<std::uint8_t> counts_;  ///< of all senders and parts
  std::vector<std::uint64_t> begin_;  ///< of every stretch: first byte,
  std::vector<std::uint32_t> rows_;   ///< and first rows
};

}  // namespace npl::exchange
