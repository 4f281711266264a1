// SPDX-License-Identifier: Apache-2.0
/// Law 2: building allocates per table, never per synapse. Counts allocations by replacing operator new and mmap in this program.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

#include "small.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NPL_SANITIZED  // sanitizers replace the same functions
#endif

namespace {
std::atomic<std::uint64_t> allocations{0}, bytes_asked_for{0};
thread_local std::int64_t until_failure = -1;  ///< allocations of this thread until some fail; < 0: they have begun
thread_local std::int64_t failures = 1;        ///< number of those

std::atomic<std::int64_t> until_common_failure{-1}, common_failures{1};  ///< the same of all threads together but those that are exempt
thread_local bool exempt = false;

bool fails() {
  if (until_failure > -failures && until_failure-- <= 0) return true;
  const std::int64_t last = -common_failures.load(std::memory_order_relaxed);
  if (exempt || until_common_failure.load(std::memory_order_relaxed) <= last) return false;
  const std::int64_t left = until_common_failure.fetch_sub(1);
  return left <= 0 && left > last;
}

/// As the standard wants it of operator new.
template <class F>
void* allocated(F&& allocate) {
  for (;;) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (!fails())
      if (void* p = allocate()) return p;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}
}  // namespace

namespace npl::sim {
void fail_allocation(std::int64_t n, std::int64_t times) { failures = times, until_failure = n < 0 ? -times : n; }
void fail_common_allocation(std::int64_t n, std::int64_t times) { common_failures = times, until_common_failure = n < 0 ? -times : n; }
bool has_failed() { return until_common_failure.load() < 0; }
std::uint64_t bytes_allocated() { return bytes_asked_for.load(); }
bool set_exempt(bool is) { return std::exchange(exempt, is); }
}  // namespace npl::sim

#ifndef NPL_SANITIZED
// Not inlined: gcc would see memory of malloc that is deleted, and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  bytes_asked_for.fetch_add(bytes, std::memory_order_relaxed);
  return allocated([&] { return std::malloc(bytes ? bytes : 1); });
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  bytes_asked_for.fetch_add(bytes, std::memory_order_relaxed);
  return allocated([&] { return std::aligned_alloc(a, (bytes + a - 1) / a * a); });
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  bytes_asked_for.fetch_add(bytes, std::memory_order_relaxed);
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}
#endif

namespace npl::sim {
namespace {

/// Allocations and synapses of the build of n neurons with k random inputs each.
struct Built {
  std::uint64_t allocations, synapses;
};

Built built(std::int64_t n, std::int64_t k, const std::string& rule, const std::string& synapse, bool spread) {
  Settings settings;
  settings.threads = 1;
  Network net(settings);
  const Gid first = net.create("iaf_psc_exp", n, {});
  ConnectCall c = call(nodes(first, n), nodes(first, n), rule, 20.0, 1.0);
  c.synapse = synapse;
  if (rule == "fixed_total_number") c.rule_params = {{"N", n * k}};
  if (rule == "fixed_indegree") c.rule_params = {{"indegree", k}};
  if (rule == "fixed_outdegree") c.rule_params = {{"outdegree", k}};
  if (spread) c.weight = clipped_normal(20.0, 2.0, 0.0, 40.0), c.delay = clipped_normal(1.5, 0.5, 0.1, 5.0);
  net.connect(c);
  const std::uint64_t before = allocations.load();
  net.build({});
  return {allocations.load() - before, net.connection_count()};
}

#ifndef NPL_SANITIZED  // sanitizers count allocations of their own
TEST(Allocations, OfBuildingDoNotGrowWithTheSynapses) {
  for (const char* rule : {"fixed_indegree", "fixed_total_number", "fixed_outdegree"})
    for (const char* synapse : {"static_synapse", "stdp_synapse"})
      for (const bool spread : {false, true}) {
        const Built few = built(2000, 50, rule, synapse, spread), many = built(2000, 800, rule, synapse, spread);
        EXPECT_EQ(few.synapses, 100'000u);
        EXPECT_EQ(many.synapses, 1'600'000u);
        EXPECT_GT(few.allocations, 0u);
        EXPECT_LE(many.allocations, few.allocations + 16) << rule << " " << synapse << spread;
        EXPECT_LE(many.allocations, 400u) << rule << " " << synapse << spread;
      }
}

TEST(Allocations, OfStepsWithoutSpikesAreNone) {
  for (const int threads : {1, 2})
    for (const char* synapse : {"static_synapse", "stdp_synapse"}) {
      Settings settings;
      settings.threads = threads;
      Network net(settings);
      const Gid first = net.create("iaf_psc_exp", 100, {});
      ConnectCall c = call(nodes(first, 100), nodes(first, 100), "all_to_all", 20.0, 1.0);
      c.synapse = synapse;
      net.connect(c);
      const auto of = [&](Step steps) {
        const std::uint64_t before = allocations.load();
        net.run(steps, nullptr);
        return allocations.load() - before;
      };
      of(1000);
      const std::uint64_t few = of(1000);
      const std::uint64_t many = std::min({of(20000), of(20000), of(20000)});  // a helper thread may begin late, once
      EXPECT_LE(many, few) << threads << " threads, " << synapse;
    }
}

/// With one rank nothing can fail once weights are set, so no old ones are kept.
TEST(Allocations, OfWeightsThatAreSetAgainAreNone) {
  Settings settings;
  settings.threads = 2;
  Network net(settings);
  const Gid first = net.create("iaf_psc_exp", 100, {});
  for (const char* synapse : {"static_synapse", "stdp_synapse"}) {
    ConnectCall c = call(nodes(first, 100), nodes(first, 100), "all_to_all", 20.0, 1.0);
    c.synapse = synapse, c.weight = clipped_normal(20.0, 2.0, 0.0, 40.0);
    net.connect(c);
  }
  net.build({});
  const Handles all = net.connections(nullptr, nullptr, "");
  const auto of = [&](const std::vector<double>& weights) {
    const ConnectionEdits edits = weights_of(all, weights);
    const std::uint64_t before = allocations.load();
    net.edit(edits);
    return allocations.load() - before;
  };
  const std::vector<double> one{3.0}, each(all.size(), 4.0);
  EXPECT_EQ(all.size(), 20'000u);
  of(one);
  EXPECT_EQ(of(each), 0u);
  EXPECT_EQ(net.connections(nullptr, nullptr, "").weight, each);
}
#endif

}  // namespace
}  // namespace npl::sim
