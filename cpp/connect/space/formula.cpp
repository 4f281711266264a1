// SPDX-License-Identifier: Apache-2.0
#include "connect/space/formula.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "base/team.hpp"

namespace npl::connect::space {
namespace {

/// Loads coordinates of up to `batch` edges as the program reads them, and runs it.
class ProgramRun final : public rng::Formula::Evaluator {
 public:
  ProgramRun(const Program& program, const Places& places)
      : program_(program), places_(places), columns_(input_count * batch), work_(program.work_space()) {
    for (std::size_t i = 0; i < input_count; ++i) inputs_[i] = columns_.data() + i * batch;
  }
  void evaluate(const std::uint64_t* source, const std::int64_t* target, std::size_t n, double* out) override {
    for (std::size_t done = 0; done < n; done += batch) {
      const std::size_t some = std::min(batch, n - done);
      for (int k = 0; k < places_.dims; ++k) load(k, source + done, target + done, some);
      std::copy_n(program_.run(inputs_, some, work_), some, out + done);
    }
  }

 private:
  double* column(Input what, int k) {
    return program_.reads(what, k) ? columns_.data() + static_cast<std::size_t>(static_cast<int>(what) + k) * batch : nullptr;
  }
  void load(int k, const std::uint64_t* source, const std::int64_t* target, std::size_t n) {
    const double *from = places_.source[static_cast<std::size_t>(k)].data(), *to = places_.target[static_cast<std::size_t>(k)].data();
    if (double* out = column(Input::source, k))
      for (std::size_t i = 0; i < n; ++i) out[i] = from[source[i]];
    if (double* out = column(Input::target, k))
      for (std::size_t i = 0; i < n; ++i) out[i] = to[target[i]];
    double* out = column(Input::move, k);
    if (!out) return;
    for (std::size_t i = 0; i < n; ++i) out[i] = to[target[i]] - from[source[i]];
    if (places_.period.empty()) return;
    const double period = places_.period[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < n; ++i) out[i] -= period * std::floor(out[i] / period + 0.5);
  }

  const Program& program_;
  const Places& places_;
  std::vector<double> columns_, work_;
  const double* inputs_[input_count];
};

void check(const char* name, Numbers indices, std::int64_t n) {
  for (const std::int64_t i : indices)
    if (i < 0 || i >= n) throw BadParameter(name, static_cast<double>(i), "a position, from 0 to " + std::to_string(n - 1));
}

}  // namespace

std::unique_ptr<rng::Formula::Evaluator> PlacedFormula::evaluator() const { return std::make_unique<ProgramRun>(program_, *places_); }

std::uint64_t PlacedFormula::fingerprint() const {
  std::uint64_t found = static_cast<std::uint64_t>(n_sources()) << 32 ^ static_cast<std::uint64_t>(n_targets());
  const auto add = [&](std::uint64_t word) { found = (found ^ word) * 0x9E3779B97F4A7C15 + 0x1234567; };
  for (const Instruction& s : program_.code()) {
    add(static_cast<std::uint64_t>(s.op) << 48 ^ static_cast<std::uint64_t>(s.a) << 32 ^ static_cast<std::uint64_t>(s.b) << 16 ^
        static_cast<std::uint64_t>(s.c));
    add(std::bit_cast<std::uint64_t>(s.value));
  }
  return found;
}

void evaluate(const rng::Formula& formula, Numbers source, Numbers target, int threads, double* out) {
  check("source", source, formula.n_sources());
  check("target", target, formula.n_targets());
  const std::size_t edges = source.size(), groups = (edges + batch - 1) / batch;
  Team team(static_cast<int>(std::clamp<std::size_t>(groups / 64, 1, static_cast<std::size_t>(threads))));
  team.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread), all = static_cast<std::size_t>(team.size());
    const auto evaluator = formula.evaluator();
    std::uint64_t from[batch];
    for (std::size_t g = groups * t / all; g < groups * (t + 1) / all; ++g) {
      const std::size_t first = g * batch, n = std::min(batch, edges - first);
      std::copy_n(source.data() + first, n, from);
      evaluator->evaluate(from, target.data() + first, n, out + first);
    }
  });
}

}  // namespace npl::connect::space
