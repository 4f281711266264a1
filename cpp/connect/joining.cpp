// SPDX-License-Identifier: Apache-2.0
/// Rule::edges_of() for any rule: joins the short batches of single targets.
#include <algorithm>

#include "connect/rule.hpp"

namespace npl::connect {
namespace {

class Joiner final : public EdgeSink {
 public:
  Joiner(EdgeBatches& scratch, EdgeSink& sink) : joined_(scratch.joined), single_(scratch.single), sink_(sink) { joined_.n = 0; }
  void start(Local target) { target_ = target; }
  void take(const EdgeBatch& b) override {
    if (b.n > batch_capacity / 2) return pass_on();
    if (joined_.n + b.n > batch_capacity) finish();
    const auto copy = [&](const auto* from, auto* to) { std::copy_n(from, b.n, to + joined_.n); };
    copy(b.source, joined_.source);
    if (b.with_words) copy(b.weight_word, joined_.weight_word), copy(b.delay_word, joined_.delay_word);
    if (b.wants_index) copy(b.value_index, joined_.value_index);
    std::fill_n(joined_.target + joined_.n, b.n, target_);
    joined_.n += b.n;
  }
  void finish() {
    if (joined_.n) sink_.take(joined_);
    joined_.n = 0;
  }

 private:
  /// A long batch needs no other.
  void pass_on() {
    finish();
    std::fill_n(single_.target, single_.n, target_);
    sink_.take(single_);
  }

  EdgeBatch &joined_, &single_;
  EdgeSink& sink_;
  Local target_ = 0;
};

}  // namespace

void Rule::edges_of(const TargetBatch& targets, EdgeBatches& scratch, EdgeSink& sink) const {
  Joiner joiner(scratch, sink);
  for (std::size_t i = 0; i < targets.n; ++i) {
    joiner.start(targets.local[i]);
    edges(targets.position[i], scratch.single, joiner);
  }
  joiner.finish();
}

}  // namespace npl::connect
