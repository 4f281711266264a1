// SPDX-License-Identifier: Apache-2.0
/// Pathway of connections that carry values in place of spikes: their table, which has nothing in flight. What they bring to their targets
/// is made of the tables (continuous/plan.hpp).
#include "pathways/queued.hpp"

namespace npl::pathways {
namespace {

class Continuous final : public Queued<Continuous, StaticEntry> {
 public:
  using Queued::Queued;
  std::uint64_t deliver(Step, const Inputs&) override { return 0; }
  void spike(std::span<const Fired>) {}

 protected:
  std::unique_ptr<Pathway> successor(std::unique_ptr<tables::EdgeTable> table) const override {
    return make_continuous(std::move(table), slice_);
  }
};

}  // namespace

std::unique_ptr<Pathway> make_continuous(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice) {
  return std::make_unique<Continuous>(std::move(table), slice);
}

}  // namespace npl::pathways
