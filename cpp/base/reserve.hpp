// SPDX-License-Identifier: Apache-2.0
/// Memory that is held back for a stretch of work that must not stop in the middle, such as an exchange between ranks. If an allocation
/// fails there, the reserve is given back and the allocation is tried again; the work ends in good order and then reports the failure.
#pragma once
#include <atomic>
#include <cstddef>

namespace npl {

class Reserve {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 20;  ///< address space only: nothing is written there

  Reserve() = default;
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;
  ~Reserve() { give(); }

  /// Holds the memory back, if it is not already. Throws std::bad_alloc. Not while a thread is in a Scope.
  void fill();
  /// An allocation has failed since fill().
  bool used() const { return !held_.load(std::memory_order_relaxed); }

  /// While it lives, failed allocations of this thread by operator new take the reserve. Several threads may share one.
  class Scope {
   public:
    explicit Scope(Reserve& reserve);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Reserve* before_;
  };

 private:
  friend bool give_reserve();
  bool give() noexcept;

  std::atomic<void*> held_{nullptr};
};

}  // namespace npl
