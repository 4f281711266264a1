// SPDX-License-Identifier: Apache-2.0
/// What a loop must move whatever its code: for `./run bench limits`, which puts it beside the bandwidth of the machine.
#pragma once
#include <benchmark/benchmark.h>

#include <initializer_list>
#include <string>

namespace npl::bench {

/// Bytes that a loop reads, writes, or reads and writes again (update: counted twice) for each item.
struct Stream {
  const char* what;
  const char* way;  ///< read, write or update
  double per_item;  ///< [bytes]
  double set;       ///< bytes that the loop goes through before it comes back
};

/// Tells them as counters stream/way/what and set/way/what.
inline void note(benchmark::State& state, std::initializer_list<Stream> streams) {
  for (const Stream& s : streams) {
    const std::string name = std::string("/") + s.way + "/" + s.what;
    state.counters["stream" + name] = s.per_item;
    state.counters["set" + name] = s.set;
  }
}

}  // namespace npl::bench
