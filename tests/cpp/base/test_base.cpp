// SPDX-License-Identifier: Apache-2.0
// Fixed point, buffers, error messages, teams of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>
#include <thread>
#include <typeinfo>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/fixed.hpp"
#include "base/memory.hpp"
#include "base/reserve.hpp"
#include "base/run_error.hpp"
#include "base/team.hpp"
#include "base/told_error.hpp"

namespace npl::test_base {
namespace {

TEST(Fixed, ConversionToDoubleIsCorrectlyRounded) {
  std::mt19937_64 random(1);
  std::vector<Fixed> values{0,
                            1,
                            -1,
                            std::numeric_limits<Fixed>::max(),
                            std::numeric_limits<Fixed>::min(),
                            Fixed{1} << 32,
                            -(Fixed{1} << 32),
                            (Fixed{1} << 53) + 1};
  for (int i = 0; i < 100000; ++i) values.push_back(static_cast<Fixed>(random()) >> (random() % 64));
  for (Fixed v : values) EXPECT_EQ(fixed_to_double(v), static_cast<double>(v)) << v;
}

TEST(Fixed, ScaleLeavesTwentyBitsForTheSum) {
  for (double largest : {1e-250, 1e-6, 1.0, 87.8, 1024.0, 1e9}) {
    const FixedScale scale = FixedScale::for_largest(largest);
    const Fixed one = round_to_fixed(largest * scale.to_fixed);
    EXPECT_GE(one, Fixed{1} << 42);
    EXPECT_LE(one, Fixed{1} << 43);
    EXPECT_NEAR(fixed_to_double(one) * scale.to_double, largest, largest * 0x1p-42);
  }
  EXPECT_EQ(FixedScale::for_largest(0.0).to_fixed, 1.0);
}

TEST(Fixed, SumsThatLeaveTheRangeOnTheWayComeBack) {
  for (const Fixed sign : {1, -1}) {
    Fixed sum = 5;
    for (int i = 0; i < 6; ++i) add_wrapping(sum, sign * most_sum);
    for (int i = 0; i < 6; ++i) add_wrapping(sum, -sign * most_sum);
    EXPECT_EQ(sum, 5);
  }
}

TEST(Buffer, IsZeroedAlignedAndKeepsItsBeginning) {
  for (std::size_t n : {std::size_t{1}, std::size_t{5000}, std::size_t{460'000}, std::size_t{1} << 20}) {
    Buffer<std::uint32_t> b(n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0u);
    for (std::uint32_t v : b) ASSERT_EQ(v, 0u);
    for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<std::uint32_t>(i);
    b.resize(2 * n);
    for (std::size_t i = 0; i < 2 * n; ++i) ASSERT_EQ(b[i], i < n ? i : 0u);
  }
}

TEST(Buffer, MovingLeavesAnEmptyOne) {
  Buffer<int> a(10), b;
  b = std::move(a);
  EXPECT_EQ(b.size(), 10u);
  EXPECT_TRUE(Buffer<int>(std::move(b)).size() == 10u && b.empty());
}

TEST(Error, NamesParameterValueAndWhatIsAllowed) {
  EXPECT_STREQ(BadParameter("tau_m", -1.0, "> 0").what(), "tau_m = -1: must be > 0");
  const UnknownName unknown("model", "iaf_psc_ex", {"iaf_psc_exp", "parrot_neuron"});
  EXPECT_EQ(unknown.near, std::vector<std::string>{"iaf_psc_exp"});
}

TEST(Team, WaitingIsCalledByTheCallerAfterItsOwnShareUntilTheOthersAreDone) {
  Team team(3);
  std::atomic<int> calls{0};
  std::atomic<bool> own_share_done{false};
  std::thread::id caller = std::this_thread::get_id();
  bool right_thread = true, after_own_share = true;
  team.run(
      [&](int thread) {
        if (thread == 0) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          own_share_done = true;
          return;
        }
        while (calls < 2) std::this_thread::yield();  // ends only if waiting is called
      },
      [&] {
        right_thread &= std::this_thread::get_id() == caller;
        after_own_share &= own_share_done;
        ++calls;
      });
  EXPECT_GE(calls, 2);
  EXPECT_TRUE(right_thread && after_own_share);
  const int before = calls;
  team.run([](int) {});
  EXPECT_EQ(calls, before);
}

TEST(Team, ErrorsAreThrownAgainAfterWaiting) {
  Team team(2);
  std::atomic<int> calls{0};
  const auto work = [&](int thread) {
    while (thread == 1 && calls < 1) std::this_thread::yield();
    if (thread == 1) throw std::runtime_error("one");
  };
  EXPECT_THROW(team.run(work, [&] { ++calls; }), std::runtime_error);
}

TEST(Memory, OfTheMachineAndOfTheControlGroup) {
  const auto folder = std::filesystem::temp_directory_path() / ("npl_memory_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder / name) << text; };
  const auto available = [&] { return available_memory(folder, folder); };
  EXPECT_EQ(available(), 1e18);
  write("meminfo", "MemTotal:  100 kB\nMemFree: 1 kB\nMemAvailable:     50 kB\nBuffers: 1 kB\n");
  EXPECT_EQ(available(), 50 * 1024);
  write("memory.max", "max\n"), write("memory.current", "30000\n");
  EXPECT_EQ(available(), 50 * 1024);
  write("memory.max", "40000\n");
  EXPECT_EQ(available(), 10000);
  write("memory.stat", "anon 1\ninactive_file 5000\nactive_file 700\nfile 9\n");  // what only caches files is given back first
  EXPECT_EQ(available(), 15700);
  write("memory.current", "90000\n");
  EXPECT_EQ(available(), 0);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(size_text(12e6), "12.0 MB");
  EXPECT_EQ(size_text(3.1e9), "3.10 GB");
}

TEST(RunError, NamesTheNeuron) {
  const NumericalInstability e("aeif_cond_exp", 17, "V_m", -4e8, 12.5);
  EXPECT_TRUE(std::string(e.what()).starts_with("neuron 17 (aeif_cond_exp) is numerically unstable: V_m = -4e+08 at 12.5 ms")) << e.what();
  EXPECT_EQ(text_of(std::make_exception_ptr(std::bad_alloc())), "out of memory");
  EXPECT_EQ(text_of(std::make_exception_ptr(e)), e.what());
}

template <class E>
void expect_told(const E& error) {
  const std::string text = packed(std::make_exception_ptr(error));
  try {
    throw_packed(text);
  } catch (const E& e) {
    EXPECT_STREQ(e.what(), error.what());
    EXPECT_EQ(typeid(e), typeid(E));
    EXPECT_EQ(packed(std::current_exception()), text);
  } catch (...) {
    ADD_FAILURE() << error.what() << " has become another error";
  }
}

TEST(ToldError, IsTheErrorThatWasPacked) {
  expect_told(BadParameter("tau_m", -1.0, "above 0: in ms"));
  expect_told(BadDelay("delay", 0.0, "at least one step"));
  expect_told(BadLength("weight", 3, 12));
  expect_told(UnknownName("model", std::string("iaf\0psc:3", 9), {"iaf_psc_exp", "iaf_psc_alpha", "iaf_psc_delta", "other"}));
  expect_told(UnknownName("model", "", {}));
  expect_told(IllegalConnection(""));
  EXPECT_EQ(packed(std::make_exception_ptr(TooLarge("it", 2.0, 1.0))), "");
  EXPECT_EQ(packed(std::make_exception_ptr(std::bad_alloc())), "");
  EXPECT_EQ(packed(nullptr), "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end the program where new would fail
TEST(Reserve, IsTakenOnceByAFailedAllocationInItsScope) {
  constexpr std::size_t too_much = std::size_t{1} << 60;  // fails with and without the reserve
  Reserve reserve;
  EXPECT_TRUE(reserve.used());
  reserve.fill();
  EXPECT_THROW(::operator delete(::operator new(too_much)), std::bad_alloc);
  EXPECT_FALSE(reserve.used());
  {
    const Reserve::Scope scope(reserve);
    EXPECT_THROW(::operator delete(::operator new(too_much)), std::bad_alloc);
    EXPECT_TRUE(reserve.used());
  }
  reserve.fill();
  EXPECT_FALSE(reserve.used());
}
#endif

TEST(Buffer, MakesRoomAtTheEndOfAList) {
  std::vector<std::int64_t> list;
  for (std::int64_t k = 0; k < 1'000'000; ++k) {  // past the size of a huge page
    const std::size_t before = list.capacity();
    make_room(list);
    EXPECT_TRUE(list.capacity() == before || list.capacity() >= 2 * before);
    list.push_back(k);
  }
  for (std::int64_t k = 0; k < 1'000'000; ++k) ASSERT_EQ(list[static_cast<std::size_t>(k)], k);
  make_room(list, 3'000'000);
  EXPECT_GE(list.capacity(), 4'000'000u);
  EXPECT_EQ(list.size(), 1'000'000u);
  EXPECT_EQ(list_bytes(list), 8'000'000u);  // not its room, which is addresses alone
  EXPECT_GE(next_room(2 << 20), std::size_t{4} << 20);
  std::vector<char> shorter;
  make_room(shorter, 1000);
  EXPECT_EQ(list_bytes(shorter), shorter.capacity());
}

}  // namespace
}  // namespace npl::test_base
