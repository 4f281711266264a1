// SPDX-License-Identifier: Apache-2.0
/// Exchange of values between ranks: each rank sends the values of the nodes that another rank has asked for, to that rank alone. Lists
/// have an entry per partner: nothing is proportional to the number of ranks.
#pragma once
#include <vector>

#include "continuous/course.hpp"
#include "exchange/post.hpp"

namespace npl::continuous {

/// Nodes that a rank asks another for.
using Asked = exchange::Parcel<Gid>;

/// What a rank sends and receives of one course.
struct MailList {
  struct Sent {
    int to;
    std::vector<std::uint32_t> columns;  ///< of own nodes
  };
  struct Received {
    int from;
    std::uint32_t first, n;  ///< columns first .. first + n - 1
  };
  Course* course;
  std::vector<Sent> sent;          ///< by ascending rank
  std::vector<Received> received;  ///< by ascending rank

  /// The same columns of another course, so many places further on.
  MailList shifted(Course& other, std::uint32_t by) const {
    MailList list{&other, sent, received};
    for (Sent& s : list.sent)
      for (std::uint32_t& column : s.columns) column += by;
    for (Received& r : list.received) r.first += by;
    return list;
  }
};

class Mail {
 public:
  explicit Mail(comm::Communicator& comm) : comm_(comm), asking_(comm) {}

  /// Asks other ranks for nodes. Collective. @return what others ask of this one
  std::vector<Asked> ask(const std::vector<Asked>& wanted) { return asking_.exchange(wanted); }
  /// Collective; call after all lists are complete.
  void set(const std::vector<MailList>& lists);
  /// Sends and receives the rows of steps [from, until). Collective.
  void exchange(Step from, Step until);
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  std::size_t bytes() const;

 private:
  template <class Part>
  struct Of {
    Course* course;
    Part part;
  };

  comm::Communicator& comm_;
  exchange::Post asking_;
  std::vector<Of<MailList::Sent>> sent_;          ///< by destination, then as the lists
  std::vector<Of<MailList::Received>> received_;  ///< by source, then as the lists
  std::vector<int> sources_, destinations_;
  int topology_ = -1;
  std::vector<double> send_, recv_;
  std::vector<std::size_t> send_bytes_, recv_bytes_;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace npl::continuous
