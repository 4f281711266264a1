// SPDX-License-Identifier: Apache-2.0
#include "connect/pair_rule.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/simd.hpp"
#include "connect/operations.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect {
namespace {

void check_size(const char* name, std::int64_t n, std::int64_t most) {
  if (n < 1 || n > most) throw BadParameter(name, std::to_string(n) + " nodes", "a set of 1 to " + std::to_string(most) + " nodes");
}

/// source[i] = rng::below(range, w0[i], w3[i]) with range = first_range + grow * i < 2^32, by 64-bit products so that the loop vectorises.
struct PickSources {
  NPL_INLINE static void run(const std::uint32_t* w0, const std::uint32_t* w3, std::uint32_t first_range, std::uint32_t grow,
                             std::uint32_t n, std::uint64_t* source) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t range = first_range + grow * i, low = (w3[i] & 0xffffu) * range;
      source[i] = (w0[i] * range + (low >> 16)) >> 32;
    }
  }
};

std::size_t padded(std::size_t n) { return n < 4 ? n : (n + 15) / 16 * 16; }  // whole vectors; fits the batch
static_assert(batch_capacity % 16 == 0);

/// PickSources for larger ranges, from 64 random bits (bias below range * 2^-64).
void pick_far_sources(const std::uint32_t* w0, const std::uint32_t* w3, std::uint64_t first_range, std::uint64_t grow, EdgeBatch& batch) {
  for (std::size_t i = 0; i < batch.n; ++i) {
    const std::uint64_t bits = std::uint64_t{w0[i]} << 32 | w3[i], range = first_range + grow * i;
    batch.source[i] = static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
  }
}

void draw_sources(const TargetDraw& t, std::uint64_t k, std::uint64_t first_range, std::uint32_t grow, EdgeBatch& batch) {
  std::uint32_t w0[batch_capacity], w3[batch_capacity];
  operations.draws += padded(batch.n);
  rng::draw_line(t.key, {t.gid, k, 0, 1}, padded(batch.n), {w0, batch.weight_word, batch.delay_word, w3});
  if (t.candidates >> 32) return pick_far_sources(w0, w3, first_range, grow, batch);
  Dispatch<PickSources>::run(w0, w3, static_cast<std::uint32_t>(first_range), grow, static_cast<std::uint32_t>(batch.n), batch.source);
}

/// Shifts positions from the excluded one on by 1, so that it is never chosen.
void skip_excluded(std::int64_t excluded, EdgeBatch& batch) {
  if (excluded < 0) return;
  const auto e = static_cast<std::uint64_t>(excluded);
  for (std::size_t i = 0; i < batch.n; ++i) batch.source[i] += batch.source[i] >= e;
}

}  // namespace

PairRule::PairRule(const RuleContext& c)
    : pre_(c.pre), post_(c.post), key_(c.key), autapses_(c.params.allow_autapses), multapses_(c.params.allow_multapses) {
  check_sizes(largest_set);
}

void PairRule::check_sizes(std::int64_t most) const {
  check_size("pre", pre_.size(), most);
  check_size("post", post_.size(), most);
}

std::int64_t array_size(std::uint64_t a, std::uint64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto size = static_cast<unsigned __int128>(a) * b;
  return size > static_cast<unsigned __int128>(most) ? most : static_cast<std::int64_t>(size);
}

void check_count(const char* name, std::int64_t value, std::uint64_t most, const char* why) {
  if (value >= 0 && static_cast<std::uint64_t>(value) <= most) return;
  throw BadParameter(name, std::to_string(value), "a whole number from 0 to " + std::to_string(most) + why);
}

void fill_words(rng::Key key, std::uint64_t gid, std::uint64_t k, EdgeBatch& batch) {
  if (!batch.with_words) return;
  operations.draws += padded(batch.n);
  std::uint32_t unused[2][batch_capacity];
  rng::draw_line(key, {gid, k, 0, 1}, padded(batch.n), {unused[0], batch.weight_word, batch.delay_word, unused[1]});
}

void draw_with_replacement(const TargetDraw& t, EdgeBatch& batch, EdgeSink& sink) {
  in_batches(t.n, batch, sink, [&](std::uint64_t k) {
    draw_sources(t, k, t.candidates, 0, batch);
    skip_excluded(t.excluded, batch);
    fill_index(t.first_index + k, batch);
  });
}

void draw_without_replacement(const TargetDraw& t, EdgeBatch& batch, EdgeSink& sink) {
  thread_local SeenSet seen;
  seen.start(t.n, t.candidates);
  const std::uint64_t first = t.candidates - t.n;
  in_batches(t.n, batch, sink, [&](std::uint64_t k) {
    draw_sources(t, k, first + k + 1, 1, batch);
    for (std::size_t i = 0; i < batch.n; ++i)
      if (!seen.insert(batch.source[i])) seen.insert(batch.source[i] = first + k + i);
    skip_excluded(t.excluded, batch);
    fill_index(t.first_index + k, batch);
  });
}

}  // namespace npl::connect
