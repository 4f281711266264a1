// SPDX-License-Identifier: Apache-2.0
#include "connect/space/formula.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "base/team.hpp"
#include "rng/node_values.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect::space {
namespace {

std::uint64_t mixed(std::uint64_t found, std::uint64_t word) { return (found ^ word) * 0x9E3779B97F4A7C15 + 0x1234567; }

std::uint64_t fingerprint_of(const rng::ValueSpec& law, rng::Key key) {
  std::uint64_t found = std::uint64_t{key.k1} << 32 | key.k0;
  for (const double x : {law.a, law.b, law.min, law.max, law.shift, law.factor}) found = mixed(found, std::bit_cast<std::uint64_t>(x));
  return mixed(found, static_cast<std::uint64_t>(law.kind) << 32 ^ static_cast<std::uint64_t>(law.limit) << 16 ^
                          static_cast<std::uint64_t>(law.bits));
}

const rng::ValueSpec& checked(const rng::ValueSpec& law) {
  rng::check_node_values(law, "value");
  return law;
}

/// Loads coordinates and numbers of up to `batch` edges as the program reads them, and runs it.
class ProgramRun final : public rng::Formula::Evaluator {
 public:
  ProgramRun(const Program& program, const Places* places, const std::vector<Draw>& draws)
      : program_(program),
        places_(places),
        draws_(draws),
        columns_((input_count + draws.size()) * batch),
        work_(program.work_space()),
        inputs_(input_count + draws.size()) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i] = columns_.data() + i * batch;
  }
  void evaluate(const std::uint64_t* source, const std::int64_t* target, const std::uint64_t* key, std::size_t n, double* out) override {
    for (std::size_t done = 0; done < n; done += batch) {
      const std::size_t some = std::min(batch, n - done);
      for (int k = 0; places_ && k < places_->dims; ++k) load(k, source + done, target + done, some);
      for (std::size_t k = 0; k < draws_.size(); ++k) draws_[k].values(key + done, some, columns_.data() + (input_count + k) * batch);
      std::copy_n(program_.run(inputs_.data(), some, work_), some, out + done);
    }
  }

 private:
  double* column(Input what, int k) {
    return program_.reads(what, k) ? columns_.data() + static_cast<std::size_t>(static_cast<int>(what) + k) * batch : nullptr;
  }
  void load(int k, const std::uint64_t* source, const std::int64_t* target, std::size_t n) {
    const double *from = places_->source[static_cast<std::size_t>(k)].data(), *to = places_->target[static_cast<std::size_t>(k)].data();
    if (double* out = column(Input::source, k))
      for (std::size_t i = 0; i < n; ++i) out[i] = from[source[i]];
    if (double* out = column(Input::target, k))
      for (std::size_t i = 0; i < n; ++i) out[i] = to[target[i]];
    double* out = column(Input::move, k);
    if (!out) return;
    for (std::size_t i = 0; i < n; ++i) out[i] = to[target[i]] - from[source[i]];
    if (places_->period.empty()) return;
    const double period = places_->period[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < n; ++i) out[i] -= period * std::floor(out[i] / period + 0.5);
  }

  const Program& program_;
  const Places* places_;  ///< null: none
  const std::vector<Draw>& draws_;
  std::vector<double> columns_, work_;
  std::vector<const double*> inputs_;
};

void check(const char* name, Numbers indices, std::int64_t n) {
  if (n < 0) return;  // positions are not read
  for (const std::int64_t i : indices)
    if (i < 0 || i >= n) throw BadParameter(name, static_cast<double>(i), "a position, from 0 to " + std::to_string(n - 1));
}

}  // namespace

Draw::Draw(const rng::ValueSpec& law, std::uint64_t seed, std::uint64_t stream)
    : sampler_(checked(law), rng::Sampler::Table::when_worth),
      key_(rng::Key::of(seed, rng::Purpose::node_value, stream)),
      fingerprint_(fingerprint_of(law, key_)) {}

void Draw::values(const std::uint64_t* key, std::size_t n, double* out) const {
  static constexpr std::uint64_t zeros[batch] = {};
  std::uint32_t word[4][batch];
  rng::draw_listed(key_, key, zeros, n, {word[0], word[1], word[2], word[3]});
  sampler_.draw({word[0], n}, out);
}

std::unique_ptr<rng::Formula::Evaluator> ProgramFormula::evaluator() const {
  return std::make_unique<ProgramRun>(program_, places_.get(), draws_);
}

std::uint64_t ProgramFormula::fingerprint() const {
  std::uint64_t found = static_cast<std::uint64_t>(n_sources()) << 32 ^ static_cast<std::uint64_t>(n_targets());
  for (const Instruction& s : program_.code()) {
    found = mixed(found, static_cast<std::uint64_t>(s.op) << 48 ^ static_cast<std::uint64_t>(s.a) << 32 ^
                             static_cast<std::uint64_t>(s.b) << 16 ^ static_cast<std::uint64_t>(s.c));
    found = mixed(found, std::bit_cast<std::uint64_t>(s.value));
  }
  for (const Draw& draw : draws_) found = mixed(found, draw.fingerprint());
  return found;
}

void evaluate(const rng::Formula& formula, const KnownEdges& known, int threads, double* out) {
  check("source", known.source, formula.n_sources());
  check("target", known.target, formula.n_targets());
  const std::size_t edges = known.source.size(), groups = (edges + batch - 1) / batch;
  Team team(static_cast<int>(std::clamp<std::size_t>(groups / 64, 1, static_cast<std::size_t>(threads))));
  team.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread), all = static_cast<std::size_t>(team.size());
    const auto evaluator = formula.evaluator();
    std::uint64_t from[batch];
    for (std::size_t g = groups * t / all; g < groups * (t + 1) / all; ++g) {
      const std::size_t first = g * batch, n = std::min(batch, edges - first);
      std::copy_n(known.source.data() + first, n, from);
      evaluator->evaluate(from, known.target.data() + first, known.key.empty() ? nullptr : known.key.data() + first, n, out + first);
    }
  });
}

}  // namespace npl::connect::space
