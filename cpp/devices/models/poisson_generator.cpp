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

namespace npl::devices::poisson_generator {
namespace {

constexpr std::size_t n_rate = n_window;
constexpr std::size_t n_pairs = 4;  ///< pairs of steps in a block, a word each
constexpr Step block_steps = 2 * n_pairs;
constexpr double likely = 2.0;                                  ///< spikes of a part per step: it sends in 6 of 7 steps
constexpr Step never = INT64_MAX / 2;                           ///< a delay later, it is still a step
constexpr std::size_t worth_pieces = 1024;                      ///< targets; fewer sums stay in the L1 cache anyway
constexpr std::uint32_t most_in_a_byte = 255;                   ///< spikes per step
constexpr std::uint64_t lower_halves = std::uint64_t{1} << 63;  ///< the second block has this bit in its counter

/// Counts of two steps are packed in one number: the one in the lower or the upper half.
template <class Pair>
NPL_INLINE std::uint32_t half_of(Pair pair, bool upper) {
  constexpr int bits = 4 * sizeof(Pair);
  return upper ? pair >> bits : pair & ((1u << bits) - 1);
}

/// sums[i] += each * count of target i. Products are formed in double precision, exactly since |each * count| < 2^51: two to three times
/// faster than 64-bit integer products.
template <class Pair, bool upper>
struct AddBody {
  NPL_INLINE static void run(Fixed each, const Pair* pair, Fixed* sums, std::size_t n) {
    constexpr double middle = 0x1.8p52;  // x + middle has the whole number x in its low bits
    const auto factor = static_cast<double>(each);
    NPL_IVDEP
    for (std::size_t i = 0; i < n; ++i) {
      const double product = static_cast<double>(static_cast<std::int32_t>(half_of(pair[i], upper))) * factor;
      add_wrapping(sums[i], std::bit_cast<Fixed>(product + middle) - std::bit_cast<Fixed>(middle));
    }
  }
};

/// The counts of all targets in a block of steps, [pair of steps][target]: bytes when the rate allows, else 16 bits each.
class BlockOfCounts {
 public:
  explicit BlockOfCounts(std::size_t n) : n_(n), memory_(n_pairs * n) {}
  /// Chooses the width; the counts are lost.
  void set_highest(std::uint32_t count) {
    wide_ = count > most_in_a_byte;
    if (const std::size_t needed = (wide_ ? 2 : 1) * n_pairs * n_; memory_.size() != needed) memory_ = Buffer<std::uint16_t>(needed);
  }
  /// Calls f(pairs of the targets).
  template <class F>
  void visit(std::size_t pair, F&& f) {
    wide_ ? f(reinterpret_cast<std::uint32_t*>(memory_.data()) + pair * n_) : f(memory_.data() + pair * n_);
  }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  std::size_t n_;
  bool wide_ = false;
  Buffer<std::uint16_t> memory_;
};

/// In cache lines of its own: parts of several slices may lie side by side, and each step writes to them.
class alignas(64) PoissonPart final : public Part {
 public:
  PoissonPart(const Device& device, Targets targets)
      : counts_(targets.local.size()),
        targets_(std::move(targets)),
        device_(device),
        key_(rng::Key::of(targets_.seed, rng::Purpose::poisson, (static_cast<std::uint64_t>(device.gid) << 24) ^ targets_.link)),
        pieces_(pieces_of(targets_.gid)) {
    targets_.gid = {};
    contiguous_ = true;
    for (std::size_t i = 1; i < targets_.local.size(); ++i) contiguous_ &= targets_.local[i] == targets_.local[0] + i;
  }

  void apply(Step step, const PartInput& in) override {
    if (!begin(step)) return;
    const std::size_t n = targets_.local.size();
    if (draws_) draw(0, n), note_steps();
    draws_ = false;
    if (sends_ >> in_block_ & 1) add(0, n, in);
    wakes_ += std::countr_zero(sends_ >> (in_block_ + 1));
    wakes_ = std::min(wakes_, holds_ + targets_.delay);
  }
  const Targets& targets() const override { return targets_; }
  Stretch stretch() const override {
    const std::size_t n = targets_.local.size();
    if (!contiguous_ || n < worth_pieces) return {};
    return {targets_.local[0], targets_.local[0] + static_cast<Local>(n)};
  }
  /// Counts of the block of eight steps around it will be drawn, unless they are there already.
  bool begin(Step step) override {
    if (block_began_ <= step && step < same_until_) return go_on(step);
    const Step sent = step - targets_.delay;
    wakes_ = targets_.since + targets_.delay;
    if (sent < targets_.since) return false;
    const Setting& setting = device_.at(sent);
    const Window& window = window_.of(device_, setting);
    holds_ = device_.holds_until(sent);
    if (!window.spikes(sent) || setting.values[n_rate] <= 0.0) {
      wakes_ = std::min(holds_, sent <= window.start ? window.start + 1 : never) + targets_.delay;
      return false;
    }
    wakes_ = step + 1;
    const double mean = setting.values[n_rate] * device_.resolution * 1e-3;
    draws_ = sent / block_steps != block_ || mean != table_.mean();
    if (mean != table_.mean()) {
      table_ = rng::PoissonTable(mean);
      counts_.set_highest(table_.highest());
    }
    if (draws_) sends_ = ~0u;
    block_ = sent / block_steps;
    in_block_ = static_cast<std::size_t>(sent % block_steps);
    block_began_ = block_ * block_steps + targets_.delay;
    same_until_ = std::min({holds_ + targets_.delay, window.stop + targets_.delay, block_began_ + block_steps});
    return true;
  }
  void add(Stretch piece, const PartInput& in) override {
    const Local first = targets_.local[0];
    add(piece.from - first, piece.until - first, in);
  }
  std::size_t bytes() const override {
    return counts_.bytes() + pieces_.size() * sizeof(Piece) + targets_.local.size() * sizeof(Local) +
           targets_.weight.size() * sizeof(double);
  }

 private:
  /// A further step of the block, of the same rate.
  bool go_on(Step step) {
    in_block_ = static_cast<std::size_t>(step - block_began_);
    draws_ = false;
    wakes_ = step + 1;
    return true;
  }
  /// Targets from .. until - 1.
  void add(std::size_t from, std::size_t until, const PartInput& in) {
    if (draws_) draw(from, until);
    counts_.visit(in_block_ / 2, [&](const auto* pairs) { send(pairs, from, until, in); });
  }

  void draw(std::size_t from, std::size_t until) {
    auto p = std::partition_point(pieces_.begin(), pieces_.end(), [&](const Piece& q) { return q.begin + q.n <= from; });
    for (; p != pieces_.end() && p->begin < until; ++p) {
      const std::size_t begin = std::max(p->begin, from), end = std::min(p->begin + p->n, until);
      draw({begin, end - begin, p->first + (begin - p->begin) * p->stride, p->stride});
    }
  }
  /// In which steps of the block some target gets a spike; where that is likely, all.
  void note_steps() {
    const std::size_t n = targets_.local.size();
    if (static_cast<double>(n) * table_.mean() > likely || n > piece_size) return;
    sends_ = 1u << block_steps;  // then the next block is drawn
    for (std::size_t c = 0; c < n_pairs; ++c)
      counts_.visit(c, [&](const auto* pairs) {
        auto any = pairs[0];
        for (std::size_t i = 1; i < n; ++i) any |= pairs[i];
        sends_ |= (half_of(any, false) != 0 ? 1u : 0u) << 2 * c | (half_of(any, true) != 0 ? 2u : 0u) << 2 * c;
      });
  }
  void draw(const Piece& p) {
    std::array<std::array<std::uint32_t, piece_size>, n_pairs> words;
    std::array<std::uint16_t, 2 * piece_size> undecided;
    rng::draw_line(key_, {p.first, static_cast<std::uint64_t>(block_), p.stride, 0}, p.n,
                   {words[0].data(), words[1].data(), words[2].data(), words[3].data()});
    for (std::size_t c = 0; c < n_pairs; ++c)
      counts_.visit(c, [&](auto* pairs) {
        const std::size_t found = table_.counts_of_halves(words[c].data(), pairs + p.begin, p.n, undecided.data());
        for (std::size_t u = 0; u < found; ++u) {
          const std::size_t i = undecided[u] / 2;
          decide(p.first + i * p.stride, c, undecided[u] % 2, words[c][i], pairs[p.begin + i]);
        }
      });
  }

  /// For a half of `upper` that does not decide: draws the lower bits too and writes the count to that half of `pair`.
  template <class Pair>
  void decide(std::uint64_t gid, std::size_t word, bool second, std::uint32_t upper, Pair& pair) const {
    const std::uint32_t lower = rng::draw(key_, gid, static_cast<std::uint64_t>(block_) + lower_halves)[word];
    const std::uint32_t whole = half_of(upper, second) << 16 | half_of(lower, second);
    std::uint16_t count;
    table_.counts(&whole, &count, 1);
    constexpr int bits = 4 * sizeof(Pair);
    pair = static_cast<Pair>(second ? half_of(pair, false) | std::uint32_t{count} << bits : half_of(pair, true) << bits | count);
  }

  template <class Pair>
  void send(const Pair* pairs, std::size_t from, std::size_t until, const PartInput& in) const {
    const bool upper = in_block_ % 2;
    const bool one = targets_.count || targets_.weight.size() == 1;
    const Fixed each = targets_.count ? 1 : one ? round_to_fixed(targets_.weight[0] * in.to_fixed) : 0;
    if (one && contiguous_ && std::fabs(static_cast<double>(each)) * table_.highest() < 0x1p51) {
      Fixed* sums = in.sums + targets_.local[from];
      return upper ? Dispatch<AddBody<Pair, true>>::run(each, pairs + from, sums, until - from)
                   : Dispatch<AddBody<Pair, false>>::run(each, pairs + from, sums, until - from);
    }
    for (std::size_t i = from; i < until; ++i)
      add_wrapping(in.sums[targets_.local[i]], (one ? each : round_to_fixed(targets_.weight[i] * in.to_fixed)) * half_of(pairs[i], upper));
  }

  // what each step reads comes first
  Step block_began_ = 0;      ///< step in which the first spikes of the block arrive
  std::size_t in_block_ = 0;  ///< the step
  unsigned sends_ = ~0u;      ///< bit k: something may be sent in step k of the block
  bool draws_ = false;        ///< the block begins
  bool contiguous_ = false;
  Step holds_ = 0;  ///< until then the setting of the last step holds
  BlockOfCounts counts_;
  Targets targets_;
  const Device& device_;
  Step block_ = -1;  ///< whose counts are there
  rng::Key key_;
  std::vector<Piece> pieces_;
  rng::PoissonTable table_;
  KnownWindow window_;
};

void check_rate(const Device& d, const Setting& s) {
  const double mean = s.values[n_rate] * d.resolution * 1e-3;
  if (mean > 6e4) throw BadParameter("rate", s.values[n_rate], "at most 60 000 spikes per step");
}

}  // namespace
}  // namespace npl::devices::poisson_generator

NPL_DEVICE(poisson_generator,
           {"poisson_generator",
            "Sends an independent Poisson spike train to every target.",
            Effect::spikes,
            {NPL_WINDOW_FIELDS, {"rate", "spikes/s", 0.0, "Mean rate of each train", Bound::non_negative}},
            {},
            check_rate,
            [](const Device& d, Targets t) -> std::unique_ptr<Part> { return std::make_unique<PoissonPart>(d, std::move(t)); },
            nullptr})
