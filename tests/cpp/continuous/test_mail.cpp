// SPDX-License-Identifier: Apache-2.0
// Values between ranks: each gets those of the nodes that it asked for, and no others.
#include <gtest/gtest.h>

#include <thread>

#include "comm/communicator.hpp"
#include "comm/world.hpp"
#include "continuous/mail.hpp"

namespace npl::continuous::test_mail {
namespace {

constexpr int own = 10;  ///< rank r has gids 10 r .. 10 r + 9 in columns 0 .. 9

double value(Gid gid, Step step) { return static_cast<double>(gid) + 1e-3 * static_cast<double>(step); }

/// Which gids of rank b rank a wants.
std::vector<Gid> wanted_of(int a, int b, int round) {
  std::vector<Gid> gids;
  for (int k = 0; a != b && (a + 2 * b + round) % 3 && k < own; ++k)
    if ((k + a + round) % 4 == 0) gids.push_back(b * own + k);
  return gids;
}

MailList list_of(Mail& mail, Course& course, const std::vector<Asked>& wanted, int me) {
  MailList list{&course, {}, {}};
  std::uint32_t next = own;
  for (const Asked& w : wanted)
    list.received.push_back({w.rank, next, static_cast<std::uint32_t>(w.records.size())}), next += list.received.back().n;
  for (const Asked& a : mail.ask(wanted)) {
    list.sent.push_back({a.rank, {}});
    for (const Gid gid : a.records) list.sent.back().columns.push_back(static_cast<std::uint32_t>(gid - me * own));
  }
  return list;
}

void one_round(comm::Communicator& comm, Mail& mail, int round) {
  const int me = comm.rank();
  std::vector<Asked> wanted;
  std::vector<Gid> columns;
  for (int r = 0; r < comm.size(); ++r) {
    const std::vector<Gid> gids = wanted_of(me, r, round);
    if (!gids.empty()) wanted.push_back({r, gids});
    columns.insert(columns.end(), gids.begin(), gids.end());
  }
  Course now(4, own + columns.size()), after(4, 2 * (own + columns.size()));
  MailList list = list_of(mail, now, wanted, me);
  const auto further = static_cast<std::uint32_t>(own + columns.size());
  mail.set({list, list.shifted(after, further)});
  for (Step from = 0; from < 6; from += 3) {
    for (Step s = from; s < from + 3; ++s)
      for (int k = 0; k < own; ++k) now.row(s)[k] = value(me * own + k, s), after.row(s)[further + k] = -value(me * own + k, s);
    const auto before = mail.bytes_sent();
    mail.exchange(from, from + 3);
    std::size_t sent = 0;
    for (int r = 0; r < comm.size(); ++r) sent += wanted_of(r, me, round).size();
    EXPECT_EQ(mail.bytes_sent() - before, 3 * 2 * sent * sizeof(double));
    for (Step s = from; s < from + 3; ++s)
      for (std::size_t k = 0; k < columns.size(); ++k) {
        EXPECT_EQ(now.row(s)[own + k], value(columns[k], s));
        EXPECT_EQ(after.row(s)[further + own + k], -value(columns[k], s));
      }
  }
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, GetWhatTheyAskFor) {
  std::vector<std::thread> threads;
  for (auto& c : comm::threads(GetParam()))
    threads.emplace_back([c] {
      Mail mail(*c);
      for (int round = 0; round < 4; ++round) one_round(*c, mail, round);
    });
  for (auto& t : threads) t.join();
}

/// Each wants something of the next one: what it keeps is the same with any number of ranks.
TEST(Mail, KeepsNothingForRanksItDoesNotTalkTo) {
  std::vector<std::size_t> bytes;
  for (const int ranks : {3, 40}) {
    std::vector<std::thread> threads;
    for (auto& c : comm::threads(ranks))
      threads.emplace_back([c, ranks, &bytes] {
        const int me = c->rank(), next = (me + 1) % ranks;
        Mail mail(*c);
        Course course(4, own + 1);
        const std::vector<Asked> asked = mail.ask({{next, {Gid{next} * own + 2}}});
        ASSERT_EQ(asked.size(), 1u);
        EXPECT_EQ(asked[0].rank, (me + ranks - 1) % ranks);
        EXPECT_EQ(asked[0].records, std::vector<Gid>{Gid{me} * own + 2});
        mail.set({{&course, {{asked[0].rank, {2}}}, {{next, own, 1}}}});
        course.row(0)[2] = me;
        mail.exchange(0, 1);
        EXPECT_EQ(course.row(0)[own], next);
        if (me == 0) bytes.push_back(mail.bytes());
      });
    for (auto& t : threads) t.join();
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

INSTANTIATE_TEST_SUITE_P(Some, Ranks, testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace npl::continuous::test_mail
