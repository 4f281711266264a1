// SPDX-License-Identifier: Apache-2.0
#include "connect/space/batch.hpp"

#include <algorithm>
#include <cmath>

#include "base/simd.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect::space {
namespace {

/// to[i] = sign * (at[i] - base), folded to the shortest way where period > 0.
struct Moves {
  NPL_INLINE static void run(const double* __restrict at, double base, double sign, double period, std::size_t n, double* __restrict to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = sign * (at[i] - base);
    if (period > 0.0)
      for (std::size_t i = 0; i < n; ++i) to[i] -= period * std::floor(to[i] / period + 0.5);
  }
};

struct Uniforms {
  NPL_INLINE static void run(const std::uint32_t* w0, const std::uint32_t* w1, const std::uint32_t* w2, const std::uint32_t* w3,
                             std::size_t blocks, double* u) {
    for (std::size_t i = 0; i < blocks; ++i) {
      u[4 * i] = (static_cast<double>(w0[i]) + 0.5) * 0x1p-32;
      u[4 * i + 1] = (static_cast<double>(w1[i]) + 0.5) * 0x1p-32;
      u[4 * i + 2] = (static_cast<double>(w2[i]) + 0.5) * 0x1p-32;
      u[4 * i + 3] = (static_cast<double>(w3[i]) + 0.5) * 0x1p-32;
    }
  }
};

}  // namespace

Batch::Batch(const Sides& sides, const Runs& runs, const Program& program, const rng::Key* key)
    : sides_(sides),
      runs_(runs),
      program_(program),
      key_(key),
      columns_(input_count * batch),
      work_(program.work_space()),
      result_(batch),
      uniform_(batch) {
  for (std::size_t i = 0; i < input_count; ++i) inputs_[i] = columns_.data() + i * batch;
}

std::size_t Batch::add(std::size_t run, std::int64_t first) {
  const Piece piece{run, first, size_, std::min(batch - size_, static_cast<std::size_t>(runs_.length[run] - first))};
  load(piece);
  load_positions(piece);
  if (key_) draw(piece);
  pieces_.push_back(piece);
  size_ += piece.n;
  return piece.n;
}

void Batch::load(const Piece& piece) {
  const double to_place = sides_.mask_around_centre ? 1.0 : -1.0, to_move = sides_.centre_is_target ? -1.0 : 1.0;
  for (int k = 0; k < sides_.dims; ++k) {
    const double period = sides_.period.empty() ? 0.0 : sides_.period[static_cast<std::size_t>(k)], base = runs_.base[k][piece.run];
    const double* at = sides_.folded[k].data() + place(piece);
    if (program_.reads(Input::in_mask, k)) Dispatch<Moves>::run(at, base, to_place, 0.0, piece.n, column(Input::in_mask, k) + piece.at);
    if (program_.reads(Input::move, k)) Dispatch<Moves>::run(at, base, to_move, period, piece.n, column(Input::move, k) + piece.at);
  }
}

void Batch::load_positions(const Piece& piece) {
  const auto centre = static_cast<std::size_t>(runs_.centre[piece.run]);
  const Input of_centre = sides_.centre_is_target ? Input::target : Input::source,
              of_other = sides_.centre_is_target ? Input::source : Input::target;
  for (int k = 0; k < sides_.dims; ++k) {
    if (program_.reads(of_centre, k)) std::fill_n(column(of_centre, k) + piece.at, piece.n, sides_.centre_at[k][centre]);
    if (program_.reads(of_other, k)) std::copy_n(sides_.other_at[k].data() + place(piece), piece.n, column(of_other, k) + piece.at);
  }
}

void Batch::draw(const Piece& piece) {
  std::uint32_t words[4][batch / 4 + 2];
  double u[batch + 8];
  const std::uint64_t start = place(piece), block = start / 4, blocks = (start + piece.n + 3) / 4 - block;
  const std::uint64_t image = static_cast<std::uint64_t>(runs_.image[piece.run]) << 40;
  rng::draw_line(*key_, {static_cast<std::uint64_t>(runs_.centre[piece.run]), image | block, 0, 1}, blocks,
                 {words[0], words[1], words[2], words[3]});
  Dispatch<Uniforms>::run(words[0], words[1], words[2], words[3], static_cast<std::size_t>(blocks), u);
  std::copy_n(u + start % 4, piece.n, uniform_.data() + piece.at);
}

const double* Batch::values() {
  const double* found = program_.run(inputs_, size_, work_);
  if (sides_.centre_gid.empty()) return found;
  std::copy_n(found, size_, result_.data());
  forbid_loops();
  return result_.data();
}

void Batch::forbid_loops() {
  for (const Piece& piece : pieces_) {
    const std::int64_t self = sides_.centre_gid[static_cast<std::size_t>(runs_.centre[piece.run])];
    const std::int64_t* gid = sides_.other_gid.data() + place(piece);
    for (std::size_t i = 0; i < piece.n; ++i)
      if (gid[i] == self) result_[piece.at + i] = 0.0;
  }
}

}  // namespace npl::connect::space
