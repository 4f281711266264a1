// SPDX-License-Identifier: Apache-2.0
/// An independent Poisson train for every connection, drawn by counter: (device, link; target, step). Four steps share one Philox block.
#include <algorithm>
#include <array>

#include "base/buffer.hpp"
#include "base/simd.hpp"
#include "devices/device.hpp"
#include "rng/philox_line.hpp"
#include "rng/poisson.hpp"

namespace npl::devices {
namespace {

constexpr std::size_t n_rate = n_window;
constexpr std::size_t chunk = 256;
constexpr Step block_steps = 4;

/// Targets begin .. begin + n have gids first, first + stride, ...: counters in a line are drawn several times faster.
struct Piece {
  std::size_t begin, n;
  std::uint64_t first, stride;
};

std::vector<Piece> pieces_of(const std::vector<Gid>& gid) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < gid.size(); ++i) {
    if (!pieces.empty() && pieces.back().n < chunk) {
      Piece& p = pieces.back();
      const auto stride = static_cast<std::uint64_t>(gid[i] - gid[i - 1]);
      if (p.n == 1) p.stride = stride;
      if (p.stride == stride) {
        ++p.n;
        continue;
      }
    }
    pieces.push_back({i, 1, static_cast<std::uint64_t>(gid[i]), 0});
  }
  return pieces;
}

struct AddBody {
  /// The product of 64 and 16 bits from two products of 32, which every level has.
  NPL_INLINE static void run(Fixed each, const std::uint16_t* count, Fixed* sums, std::size_t n) {
    const auto low = static_cast<std::uint32_t>(each), high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(each) >> 32);
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t c = count[i];
      sums[i] += static_cast<Fixed>(std::uint64_t{c} * low + ((std::uint64_t{c} * high) << 32));
    }
  }
};

class PoissonPart final : public Part {
 public:
  PoissonPart(const Device& device, Targets targets)
      : device_(device), targets_(std::move(targets)),
        key_(rng::Key::of(targets_.seed, rng::Purpose::poisson, (static_cast<std::uint64_t>(device.gid) << 24) ^ targets_.link)),
        counts_(block_steps * targets_.local.size()) {
    pieces_ = pieces_of(targets_.gid);
    targets_.gid = {};
    contiguous_ = true;
    for (std::size_t i = 1; i < targets_.local.size(); ++i) contiguous_ &= targets_.local[i] == targets_.local[0] + i;
  }

  void apply(Step step, const PartInput& in) override {
    const Step sent = step - targets_.delay;
    if (sent < targets_.since) return;
    const Setting& setting = device_.at(sent);
    if (!Window::of(device_, setting).spikes(sent) || setting.values[n_rate] <= 0.0) return;
    fill(sent, setting);
    add(counts_.data() + static_cast<std::size_t>(sent % block_steps) * targets_.local.size(), in);
  }
  std::size_t bytes() const override {
    return counts_.bytes() + pieces_.size() * sizeof(Piece) + targets_.local.size() * sizeof(Local) + targets_.weight.size() * sizeof(double);
  }

 private:
  /// Counts of the block of four steps that holds `sent`, unless they are there already.
  void fill(Step sent, const Setting& setting) {
    const Step block = sent / block_steps;
    const double mean = setting.values[n_rate] * device_.resolution * 1e-3;
    if (mean != table_.mean()) {
      table_ = rng::PoissonTable(mean);
      block_ = -1;
    }
    if (block == block_) return;
    block_ = block;
    const std::size_t n = targets_.local.size();
    std::array<std::array<std::uint32_t, chunk>, block_steps> words;
    for (const Piece& p : pieces_) {
      rng::draw_line(key_, {p.first, static_cast<std::uint64_t>(block), p.stride, 0}, p.n, {words[0].data(), words[1].data(), words[2].data(), words[3].data()});
      for (std::size_t s = 0; s < block_steps; ++s) table_.counts(words[s].data(), counts_.data() + s * n + p.begin, p.n);
    }
  }

  void add(const std::uint16_t* count, const PartInput& in) const {
    const std::size_t n = targets_.local.size();
    if (targets_.count || targets_.weight.size() == 1) {
      const Fixed each = targets_.count ? 1 : round_to_fixed(targets_.weight[0] * in.to_fixed);
      if (contiguous_) {
        Dispatch<AddBody>::run(each, count, in.sums + targets_.local[0], n);
      } else {
        for (std::size_t i = 0; i < n; ++i) in.sums[targets_.local[i]] += each * count[i];
      }
      return;
    }
    for (std::size_t i = 0; i < n; ++i) in.sums[targets_.local[i]] += round_to_fixed(targets_.weight[i] * in.to_fixed) * count[i];
  }

  const Device& device_;
  Targets targets_;
  rng::Key key_;
  rng::PoissonTable table_;
  Step block_ = -1;
  std::vector<Piece> pieces_;
  Buffer<std::uint16_t> counts_;  ///< [4 steps][targets]
  bool contiguous_ = false;
};

void check_rate(const Device& d, const Setting& s) {
  const double mean = s.values[n_rate] * d.resolution * 1e-3;
  if (mean > 6e4) throw BadParameter("rate", s.values[n_rate], "at most 60 000 spikes per step");
}

}  // namespace
}  // namespace npl::devices

NPL_DEVICE(poisson_generator, {"poisson_generator", "Sends an independent Poisson spike train to every target.", Effect::spikes,
                               {NPL_WINDOW_FIELDS, {"rate", "spikes/s", 0.0, "Mean rate of each train", Bound::non_negative}}, {},
                               check_rate,
                               [](const Device& d, Targets t) -> std::unique_ptr<Part> { return std::make_unique<PoissonPart>(d, std::move(t)); },
                               nullptr})
