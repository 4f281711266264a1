// SPDX-License-Identifier: Apache-2.0
// Letters arrive as they were sent, by any strategy, in one round or in many, while others look after the exchange or not.
#include "circuit/mail.hpp"

#include "base/error.hpp"
#include "circuits.hpp"

namespace npl::circuit::test_mail {
namespace {

/// Of a length and with bytes that tell who wrote it to whom, in which exchange; many are empty.
std::vector<std::byte> letter(int from, int to, int exchange) {
  std::mt19937 random(static_cast<unsigned>(from + 100 * to + 10000 * exchange));
  const std::size_t lengths[] = {0, 0, 1, 63, 64, 65, 1000};
  std::vector<std::byte> bytes(lengths[random() % 7]);
  for (auto& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

class AnyMail : public testing::TestWithParam<std::tuple<std::string, std::size_t, int>> {};

TEST_P(AnyMail, BringsWhatWasSent) {
  // clang 14: lambdas see no structured bindings
  const std::string& strategy = std::get<0>(GetParam());
  const std::size_t at_once = std::get<1>(GetParam());
  const int ranks = std::get<2>(GetParam());
  as_ranks(ranks, [&](const auto& comm) {
    const auto mail = make_mail(*comm, strategy, at_once);
    std::uint64_t bytes = 0, messages = 0;
    for (int k = 0; k < 12; ++k) {
      Letters letters;
      for (int r = 0; r < ranks; ++r) letters.push_back(letter(comm->rank(), r, k));
      for (int r = 0; r < ranks; ++r)
        if (const auto n = letters[static_cast<std::size_t>(r)].size(); n && r != comm->rank()) bytes += n, ++messages;
      mail->start(std::move(letters));
      for (int i = 0; i < 20 * (k % 3); ++i) mail->progress();
      const Letters arrived = mail->finish();
      ASSERT_EQ(arrived.size(), static_cast<std::size_t>(ranks));
      for (int r = 0; r < ranks; ++r)
        EXPECT_EQ(arrived[static_cast<std::size_t>(r)], letter(r, comm->rank(), k)) << r << " in exchange " << k;
    }
    if (ranks > 1) {
      EXPECT_EQ(mail->counts().bytes, bytes);
      EXPECT_EQ(mail->counts().messages, messages);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, AnyMail,
                         testing::Combine(testing::ValuesIn(mail_strategies()), testing::Values(std::size_t{64}, std::size_t{1} << 24),
                                          testing::Values(1, 2, 5)));

}  // namespace
}  // namespace npl::circuit::test_mail
