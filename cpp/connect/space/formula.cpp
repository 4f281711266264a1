// SPDX-License-Identifier: Apache-2.0
#include "connect/space/formula.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/team.hpp"

namespace npl::connect::space {
namespace {

/// Coordinates of up to `batch` edges, as the program reads them. One per thread.
class Inputs {
 public:
  Inputs(const Program& program, const Ends& ends) : program_(program), ends_(ends), columns_(input_count * batch) {
    for (std::size_t i = 0; i < input_count; ++i) pointers_[i] = columns_.data() + i * batch;
  }
  /// Loads n edges from index `first` on.
  const double* const* load(std::size_t first, std::size_t n) {
    for (int k = 0; k < ends_.dims; ++k) {
      const std::int64_t *s = ends_.source.data() + first, *t = ends_.target.data() + first;
      const double *from = ends_.source_at[k].data(), *to = ends_.target_at[k].data();
      if (double* out = read(Input::source, k))
        for (std::size_t i = 0; i < n; ++i) out[i] = from[s[i]];
      if (double* out = read(Input::target, k))
        for (std::size_t i = 0; i < n; ++i) out[i] = to[t[i]];
      double* out = read(Input::move, k);
      if (!out) continue;
      for (std::size_t i = 0; i < n; ++i) out[i] = to[t[i]] - from[s[i]];
      if (ends_.period.empty()) continue;
      const double period = ends_.period[static_cast<std::size_t>(k)];
      for (std::size_t i = 0; i < n; ++i) out[i] -= period * std::floor(out[i] / period + 0.5);
    }
    return pointers_;
  }

 private:
  double* read(Input what, int k) {
    return program_.reads(what, k) ? columns_.data() + static_cast<std::size_t>(static_cast<int>(what) + k) * batch : nullptr;
  }

  const Program& program_;
  const Ends& ends_;
  std::vector<double> columns_;
  const double* pointers_[input_count];
};

void check(const char* name, Numbers indices, std::size_t n) {
  for (const std::int64_t i : indices)
    if (i < 0 || static_cast<std::size_t>(i) >= n)
      throw BadParameter(name, static_cast<double>(i), "a position, from 0 to " + std::to_string(static_cast<std::int64_t>(n) - 1));
}

}  // namespace

void evaluate(const Program& program, const Ends& ends, int threads, double* out) {
  check("source", ends.source, ends.source_at[0].size());
  check("target", ends.target, ends.target_at[0].size());
  const std::size_t edges = ends.source.size(), groups = (edges + batch - 1) / batch;
  Team team(static_cast<int>(std::clamp<std::size_t>(groups / 64, 1, static_cast<std::size_t>(threads))));
  team.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread), all = static_cast<std::size_t>(team.size());
    Inputs inputs(program, ends);
    std::vector<double> work = program.work_space();
    for (std::size_t g = groups * t / all; g < groups * (t + 1) / all; ++g) {
      const std::size_t first = g * batch, n = std::min(batch, edges - first);
      std::copy_n(program.run(inputs.load(first, n), n, work), n, out + first);
    }
  });
}

}  // namespace npl::connect::space
