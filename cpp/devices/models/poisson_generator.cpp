// SPDX-License-Identifier: Apache-2.0
/// An independent Poisson train for each connection, drawn by counter: (device, link; target, step). One Philox block of four words serves
/// eight steps: step 2 c + b of a block of steps uses half b of word c. These 16 bits are the upper half of the word that is compared with
/// the cumulative distribution. In about one case in some thousands they do not decide; only then the lower half is drawn, from a second
/// block.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/buffer.hpp"
#include "base/simd.hpp"
#include "devices/device.hpp"
#include "devices/pieces.hpp"
#include "rng/philox_line.hpp"
#include "rng/poisson.hpp"

namespace npl::devices {
namespace {

constexpr std::size_t n_rate = n_window;
constexpr std::size_t chunk = piece_size;
constexpr std::size_t n_pairs = 4;  ///< pairs of steps in a block, a word each
constexpr Step block_steps = 2 * n_pairs;
constexpr double likely = 2.0;                                  ///< spikes of a part per step: it sends in 6 of 7 steps
constexpr Step never = INT64_MAX / 2;                           ///< a delay later, it is still a step
constexpr std::uint64_t lower_halves = std::uint64_t{1} << 63;  ///< the second block has this bit in its counter

/// Counts of two steps are packed in one word: the one at `shift` (0 or 16).
NPL_INLINE std::uint32_t half_of(std::uint32_t pair, int shift) { return pair >> shift & 0xffffu; }

/// sums[i] += each * count of target i. Products are formed in double precision, exactly since |each * count| < 2^51: two to three times
/// faster than 64-bit integer products.
struct AddBody {
  NPL_INLINE static void run(Fixed each, const std::uint32_t* pair, int shift, Fixed* sums, std::size_t n) {
    constexpr double middle = 0x1.8p52;  // x + middle has the whole number x in its low bits
    const auto factor = static_cast<double>(each);
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
      const double product = static_cast<double>(static_cast<std::int32_t>(half_of(pair[i], shift))) * factor;
      sums[i] += std::bit_cast<Fixed>(product + middle) - std::bit_cast<Fixed>(middle);
    }
  }
};

class PoissonPart final : public Part {
 public:
  PoissonPart(const Device& device, Targets targets)
      : device_(device),
        targets_(std::move(targets)),
        key_(rng::Key::of(targets_.seed, rng::Purpose::poisson, (static_cast<std::uint64_t>(device.gid) << 24) ^ targets_.link)),
        pairs_(n_pairs * targets_.local.size()) {
    pieces_ = pieces_of(targets_.gid);
    targets_.gid = {};
    contiguous_ = true;
    for (std::size_t i = 1; i < targets_.local.size(); ++i) contiguous_ &= targets_.local[i] == targets_.local[0] + i;
  }

  void apply(Step step, const PartInput& in) override {
    const Step sent = step - targets_.delay;
    wakes_ = targets_.since + targets_.delay;
    if (sent < targets_.since) return;
    const Setting& setting = device_.at(sent);
    const Window& window = window_.of(device_, setting);
    const Step holds = device_.holds_until(sent);
    if (!window.spikes(sent) || setting.values[n_rate] <= 0.0) {
      wakes_ = std::min(holds, sent <= window.start ? window.start + 1 : never) + targets_.delay;
      return;
    }
    fill(sent, setting);
    const auto in_block = static_cast<unsigned>(sent % block_steps);
    if (sends_ >> in_block & 1) add(pairs_.data() + in_block / 2 * targets_.local.size(), in_block % 2 ? 16 : 0, in);
    wakes_ = std::min(holds, sent + 1 + std::countr_zero(sends_ >> (in_block + 1))) + targets_.delay;
  }
  std::size_t bytes() const override {
    return pairs_.bytes() + pieces_.size() * sizeof(Piece) + targets_.local.size() * sizeof(Local) +
           targets_.weight.size() * sizeof(double);
  }

 private:
  /// Draws the counts of the block of eight steps around `sent`, unless they are drawn already.
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
    std::array<std::array<std::uint32_t, chunk>, n_pairs> words;
    std::array<std::uint16_t, 2 * chunk> undecided;
    for (const Piece& p : pieces_) {
      rng::draw_line(key_, {p.first, static_cast<std::uint64_t>(block), p.stride, 0}, p.n,
                     {words[0].data(), words[1].data(), words[2].data(), words[3].data()});
      for (std::size_t c = 0; c < n_pairs; ++c) {
        std::uint32_t* pairs = pairs_.data() + c * n + p.begin;
        const std::size_t found = table_.counts_of_halves(words[c].data(), pairs, p.n, undecided.data());
        for (std::size_t u = 0; u < found; ++u) {
          const std::size_t i = undecided[u] / 2;
          decide(p.first + i * p.stride, c, undecided[u] % 2 ? 16 : 0, words[c][i], pairs[i]);
        }
      }
    }
    note_steps();
  }

  /// In which steps of the block some target gets a spike; where that is likely, all.
  void note_steps() {
    const std::size_t n = targets_.local.size();
    sends_ = ~0u;
    if (static_cast<double>(n) * table_.mean() > likely || n > piece_size) return;
    sends_ = 1u << block_steps;  // then the next block is drawn
    for (std::size_t c = 0; c < n_pairs; ++c) {
      std::uint32_t any = 0;
      for (std::size_t i = 0; i < n; ++i) any |= pairs_[c * n + i];
      sends_ |= (half_of(any, 0) != 0 ? 1u : 0u) << 2 * c | (half_of(any, 16) != 0 ? 2u : 0u) << 2 * c;
    }
  }

  /// For a half of `upper` that does not decide: draws the lower bits too and writes the count to that half of `pair`.
  void decide(std::uint64_t gid, std::size_t word, int shift, std::uint32_t upper, std::uint32_t& pair) const {
    const std::uint32_t lower = rng::draw(key_, gid, static_cast<std::uint64_t>(block_) + lower_halves)[word];
    const std::uint32_t whole = half_of(upper, shift) << 16 | half_of(lower, shift);
    std::uint16_t count;
    table_.counts(&whole, &count, 1);
    pair = (pair & ~(0xffffu << shift)) | std::uint32_t{count} << shift;
  }

  void add(const std::uint32_t* pair, int shift, const PartInput& in) const {
    const std::size_t n = targets_.local.size();
    if (targets_.count || targets_.weight.size() == 1) {
      const Fixed each = targets_.count ? 1 : round_to_fixed(targets_.weight[0] * in.to_fixed);
      if (contiguous_ && std::fabs(static_cast<double>(each)) * table_.highest() < 0x1p51) {
        Dispatch<AddBody>::run(each, pair, shift, in.sums + targets_.local[0], n);
      } else {
        for (std::size_t i = 0; i < n; ++i) in.sums[targets_.local[i]] += each * half_of(pair[i], shift);
      }
      return;
    }
    for (std::size_t i = 0; i < n; ++i)
      in.sums[targets_.local[i]] += round_to_fixed(targets_.weight[i] * in.to_fixed) * half_of(pair[i], shift);
  }

  const Device& device_;
  Targets targets_;
  rng::Key key_;
  rng::PoissonTable table_;
  Step block_ = -1;
  unsigned sends_ = 0;  ///< bit k: something is sent in step k of the block
  KnownWindow window_;
  std::vector<Piece> pieces_;
  Buffer<std::uint32_t> pairs_;  ///< counts of two steps, [pair][target]
  bool contiguous_ = false;
};

void check_rate(const Device& d, const Setting& s) {
  const double mean = s.values[n_rate] * d.resolution * 1e-3;
  if (mean > 6e4) throw BadParameter("rate", s.values[n_rate], "at most 60 000 spikes per step");
}

}  // namespace
}  // namespace npl::devices

NPL_DEVICE(poisson_generator,
           {"poisson_generator",
            "Sends an independent Poisson spike train to every target.",
            Effect::spikes,
            {NPL_WINDOW_FIELDS, {"rate", "spikes/s", 0.0, "Mean rate of each train", Bound::non_negative}},
            {},
            check_rate,
            [](const Device& d, Targets t) -> std::unique_ptr<Part> { return std::make_unique<PoissonPart>(d, std::move(t)); },
            nullptr})
