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

/// The same with a range of its own for each edge, and an excluded position that is skipped; none: 2^32 - 1.
struct PickListed {
  NPL_INLINE static void run(const std::uint32_t* w0, const std::uint32_t* w3, const std::uint32_t* range, const std::uint32_t* excluded,
                             std::uint32_t n, std::uint64_t* source) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t r = range[i], low = (w3[i] & 0xffffu) * r, at = (w0[i] * r + (low >> 16)) >> 32;
      source[i] = at + (at >= excluded[i]);
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
    : pre_(c.pre),
      post_(c.post),
      key_(c.key),
      autapses_(c.params.flag("allow_autapses", true)),
      multapses_(c.params.flag("allow_multapses", true)) {
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

/// Fills lists of counters up to whole vectors.
std::size_t fill_up(std::uint64_t* gid, std::uint64_t* k, std::size_t n) {
  const std::size_t whole = (n + 15) / 16 * 16;
  std::fill(gid + n, gid + whole, 0), std::fill(k + n, k + whole, 0);
  operations.draws += whole;
  return whole;
}

void fill_words(rng::Key key, std::uint64_t* gid, std::uint64_t* k, EdgeBatch& batch) {
  if (!batch.with_words) return;
  std::uint32_t unused[2][batch_capacity];
  rng::draw_listed(key, gid, k, fill_up(gid, k, batch.n), {unused[0], batch.weight_word, batch.delay_word, unused[1]});
}

void ReplacementDraws::add(const TargetDraw& t, Local local) {
  constexpr std::size_t few = 4;
  if (t.n > few || batch_.n + few > batch_capacity || batch_.wants_index) return add_many(t, local);
  const std::size_t at = batch_.n;
  for (std::size_t i = 0; i < few; ++i) {  // always so many: what is too much is overwritten
    gid_[at + i] = t.gid, k_[at + i] = i;
    range_[at + i] = static_cast<std::uint32_t>(t.candidates);
    excluded_[at + i] = t.excluded < 0 ? 0xffffffffu : static_cast<std::uint32_t>(t.excluded);
    batch_.target[at + i] = local;
  }
  if ((batch_.n += t.n) == batch_capacity) finish();
}

void ReplacementDraws::add_many(const TargetDraw& t, Local local) {
  for (std::uint64_t k = 0; k < t.n;) {
    const std::size_t at = batch_.n, n = std::min<std::uint64_t>(batch_capacity - at, t.n - k);
    for (std::size_t i = at; i < at + n; ++i) {
      gid_[i] = t.gid, k_[i] = k + (i - at);
      range_[i] = static_cast<std::uint32_t>(t.candidates);
      excluded_[i] = t.excluded < 0 ? 0xffffffffu : static_cast<std::uint32_t>(t.excluded);
      batch_.target[i] = local;
    }
    if (batch_.wants_index)
      for (std::size_t i = 0; i < n; ++i) batch_.value_index[at + i] = t.first_index + k + i;
    k += n;
    if ((batch_.n += n) == batch_capacity) finish();
  }
}

void ReplacementDraws::finish() {
  if (batch_.n == 0) return;
  std::uint32_t w0[batch_capacity], w3[batch_capacity];
  rng::draw_listed(key_, gid_, k_, fill_up(gid_, k_, batch_.n), {w0, batch_.weight_word, batch_.delay_word, w3});
  Dispatch<PickListed>::run(w0, w3, range_, excluded_, static_cast<std::uint32_t>(batch_.n), batch_.source);
  sink_.take(batch_);
  batch_.n = 0;
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
