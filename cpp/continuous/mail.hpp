// SPDX-License-Identifier: Apache-2.0
/// Exchange of values between ranks: each rank sends the values of the nodes that another rank has asked for, to that rank alone.
#pragma once
#include <functional>
#include <vector>

#include "comm/communicator.hpp"
#include "continuous/course.hpp"

namespace npl::continuous {

/// What a rank sends and receives of one course.
struct MailList {
  Course* course;
  std::vector<std::vector<std::uint32_t>> sent;  ///< [ranks] columns of own nodes, by rank
  std::vector<std::uint32_t> first, n;           ///< [ranks] columns first .. first + n - 1 are of nodes of that rank

  /// The same columns of another course, so many places further on.
  MailList shifted(Course& other, std::uint32_t by) const {
    MailList list{&other, sent, first, n};
    for (auto& columns : list.sent)
      for (std::uint32_t& column : columns) column += by;
    for (std::uint32_t& column : list.first) column += by;
    return list;
  }
};

class Mail {
 public:
  explicit Mail(comm::Communicator& comm) : comm_(comm) {}

  /// Asks the other ranks for nodes. Collective. @param wanted [ranks] gids @return [ranks] gids that these ranks ask of this one
  std::vector<std::vector<Gid>> ask(const std::vector<std::vector<Gid>>& wanted);
  /// Collective; call after all lists are complete.
  void set(std::vector<MailList> lists);
  /// Sends and receives the rows of steps [from, until). Collective.
  void exchange(Step from, Step until);
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  std::size_t bytes() const { return (send_.capacity() + recv_.capacity()) * sizeof(double); }

 private:
  comm::Communicator& comm_;
  std::vector<MailList> lists_;
  std::vector<int> sources_, destinations_;
  int topology_ = -1;
  std::vector<double> send_, recv_;
  std::vector<std::size_t> send_bytes_, recv_bytes_;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace npl::continuous
