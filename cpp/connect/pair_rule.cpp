// SPDX-License-Identifier: Apache-2.0
#include "connect/pair_rule.hpp"

#include "base/error.hpp"
#include "base/simd.hpp"
#include "connect/seen_set.hpp"

namespace npl::connect {
namespace {

void check_size(const char* name, std::int64_t n) {
  if (n < 1 || n > 0xffffffffll) throw BadParameter(name, std::to_string(n) + " nodes", "a set of 1 to 2^32 - 1 nodes");
}

/// Sources below(first_range + grow * i) and words for edges k + i of one target.
struct DrawEdges {
  NPL_INLINE static void run(rng::Key key, std::uint64_t gid, std::uint64_t k, std::uint32_t first_range, std::uint32_t grow, EdgeBatch* b) {
    for (std::size_t i = 0; i < b->n; ++i) {
      const rng::Words w = rng::draw(key, gid, k + i);
      const std::uint64_t range = first_range + grow * static_cast<std::uint32_t>(i);
      // rng::below in 64-bit products, which vectorise; range < 2^32.
      b->source[i] = static_cast<std::uint32_t>((w[0] * range + (((w[3] & 0xffffu) * range) >> 16)) >> 32);
      b->weight_word[i] = w[1];
      b->delay_word[i] = w[2];
    }
  }
};

struct DrawWords {
  NPL_INLINE static void run(rng::Key key, std::uint64_t gid, std::uint64_t k, EdgeBatch* b) {
    for (std::size_t i = 0; i < b->n; ++i) {
      const rng::Words w = rng::draw(key, gid, k + i);
      b->weight_word[i] = w[1];
      b->delay_word[i] = w[2];
    }
  }
};

/// Makes room for the excluded position.
void skip_excluded(std::int64_t excluded, EdgeBatch& batch) {
  if (excluded < 0) return;
  const auto e = static_cast<std::uint32_t>(excluded);
  for (std::size_t i = 0; i < batch.n; ++i) batch.source[i] += batch.source[i] >= e;
}

}  // namespace

PairRule::PairRule(const RuleContext& c)
    : pre_(c.pre), post_(c.post), key_(c.key), autapses_(c.params.allow_autapses), multapses_(c.params.allow_multapses) {
  check_size("pre", pre_.size());
  check_size("post", post_.size());
}

void check_count(const char* name, std::int64_t value, std::uint64_t most, const char* why) {
  if (value >= 0 && static_cast<std::uint64_t>(value) <= most) return;
  throw BadParameter(name, std::to_string(value), "a whole number from 0 to " + std::to_string(most) + why);
}

void fill_words(rng::Key key, std::uint64_t gid, std::uint64_t k, EdgeBatch& batch) {
  if (batch.with_words) Dispatch<DrawWords>::run(key, gid, k, &batch);
}

void draw_with_replacement(const TargetDraw& t, EdgeBatch& batch, EdgeSink& sink) {
  in_batches(t.n, batch, sink, [&](std::uint64_t k) {
    Dispatch<DrawEdges>::run(t.key, t.gid, k, static_cast<std::uint32_t>(t.candidates), 0u, &batch);
    skip_excluded(t.excluded, batch);
    fill_index(t.first_index + k, batch);
  });
}

void draw_without_replacement(const TargetDraw& t, EdgeBatch& batch, EdgeSink& sink) {
  thread_local SeenSet seen;
  seen.start(t.n);
  const std::uint64_t first = t.candidates - t.n;
  in_batches(t.n, batch, sink, [&](std::uint64_t k) {
    Dispatch<DrawEdges>::run(t.key, t.gid, k, static_cast<std::uint32_t>(first + k + 1), 1u, &batch);
    for (std::size_t i = 0; i < batch.n; ++i)
      if (!seen.insert(batch.source[i])) seen.insert(batch.source[i] = static_cast<std::uint32_t>(first + k + i));
    skip_excluded(t.excluded, batch);
    fill_index(t.first_index + k, batch);
  });
}

}  // namespace npl::connect
