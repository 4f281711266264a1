// SPDX-License-Identifier: Apache-2.0
/// A change that is made whole or not at all: how to undo each step is noted before the step is made.
#pragma once
#include <memory>
#include <utility>
#include <vector>

namespace npl {

class Undo {
 public:
  Undo() = default;
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  /// Undoes what was noted, the last first, unless forget() was called.
  ~Undo() {
    while (!steps_.empty()) steps_.back()->undo(), steps_.pop_back();
  }
  /// @param f must not throw. If there is no memory to note it, it is destroyed without being called: make the change afterwards.
  template <class F>
  void note(F f) {
    steps_.push_back(std::make_unique<StepOf<F>>(std::move(f)));
  }
  /// The change is complete.
  void forget() noexcept { steps_.clear(); }

 private:
  struct Step {
    virtual ~Step() = default;
    virtual void undo() noexcept = 0;
  };
  template <class F>
  struct StepOf final : Step {
    explicit StepOf(F g) : f(std::move(g)) {}
    void undo() noexcept override { f(); }
    F f;
  };
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace npl
