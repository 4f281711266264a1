// SPDX-License-Identifier: Apache-2.0
#include "base/reserve.hpp"

#include <new>
#include <utility>

#include "base/buffer.hpp"

namespace npl {
namespace {

thread_local Reserve* in_use = nullptr;
std::new_handler others = nullptr;  ///< the handler of the program that uses this library

}  // namespace

bool give_reserve() { return in_use && in_use->give(); }

namespace {

/// operator new calls this when it fails, and tries again when this returns.
void on_failure() {
  if (give_reserve()) return;
  if (others) return others();
  throw std::bad_alloc();
}

}  // namespace

void Reserve::fill() {
  static const bool installed = (others = std::set_new_handler(&on_failure), true);
  static_cast<void>(installed);
  if (!used()) return;
  held_ = map_pages(bytes);
}

bool Reserve::give() noexcept {
  void* held = held_.exchange(nullptr);
  if (held) unmap_pages(held, bytes);
  return held != nullptr;
}

Reserve::Scope::Scope(Reserve& reserve) : before_(std::exchange(in_use, &reserve)) {}
Reserve::Scope::~Scope() { in_use = before_; }

}  // namespace npl
