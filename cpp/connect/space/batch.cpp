// SPDX-License-Identifier: Apache-2.0
#include "connect/space/batch.hpp"

#include <algorithm>
#include <cmath>

#include "base/simd.hpp"
#include "rng/philox_line.hpp"

namespace npl::connect::space {
namespace {

constexpr std::size_t most_blocks = batch / 4 + 2 * batch;  // Philox blocks of 4 words; pieces may begin and end inside a block

/// Displacements of all pieces: to = sign * (at - base), folded to the shortest periodic image when period > 0.
struct Moves {
  NPL_INLINE static void run(const Piece* pieces, std::size_t n, const double* at, const double* base, double sign, double period,
                             double* to) {
    for (std::size_t p = 0; p < n; ++p) {
      const double* __restrict from = at + pieces[p].place;
      double* __restrict moved = to + pieces[p].at;
      const double centre = base[pieces[p].run];
      for (std::size_t i = 0; i < pieces[p].n; ++i) moved[i] = sign * (from[i] - centre);
      if (period > 0.0)
        for (std::size_t i = 0; i < pieces[p].n; ++i) moved[i] -= period * std::floor(moved[i] / period + 0.5);
    }
  }
};

/// Converts the random words of all pieces to uniform numbers in the order of the batch; drawn[4 * blocks] is scratch.
struct Uniforms {
  NPL_INLINE static void run(const Piece* pieces, std::size_t n, const std::uint32_t* __restrict w0, const std::uint32_t* __restrict w1,
                             const std::uint32_t* __restrict w2, const std::uint32_t* __restrict w3, std::size_t blocks,
                             double* __restrict drawn, double* __restrict u) {
    for (std::size_t i = 0; i < blocks; ++i) {
      drawn[4 * i] = (static_cast<double>(w0[i]) + 0.5) * 0x1p-32;
      drawn[4 * i + 1] = (static_cast<double>(w1[i]) + 0.5) * 0x1p-32;
      drawn[4 * i + 2] = (static_cast<double>(w2[i]) + 0.5) * 0x1p-32;
      drawn[4 * i + 3] = (static_cast<double>(w3[i]) + 0.5) * 0x1p-32;
    }
    std::size_t from = 0;
    for (std::size_t p = 0; p < n; ++p) {
      const std::size_t skip = pieces[p].place % 4;
      for (std::size_t i = 0; i < pieces[p].n; ++i) u[pieces[p].at + i] = drawn[from + skip + i];
      from += 4 * ((skip + pieces[p].n + 3) / 4);
    }
  }
};

}  // namespace

Batch::Batch(const Sides& sides, const Runs& runs, const Program& program, const rng::Key* key)
    : sides_(sides),
      runs_(runs),
      program_(program),
      key_(key),
      columns_(new double[input_count * batch]),
      result_(new double[batch]),
      work_(program.work_space()) {
  for (std::size_t i = 0; i < input_count; ++i) inputs_[i] = columns_.get() + i * batch;
  if (!key) return;
  uniform_.reset(new double[batch]);
  drawn_.reset(new double[4 * most_blocks]);
  for (auto& column : words_) column.reset(new std::uint32_t[most_blocks]);
}

std::size_t Batch::add(std::size_t run, std::size_t first) {
  const std::size_t n = std::min(batch - size_, static_cast<std::size_t>(runs_.length[run]) - first);
  pieces_.push_back({run, static_cast<std::size_t>(runs_.start[run]) + first, size_, n});
  size_ += n;
  return n;
}

void Batch::load_moves() {
  const double to_place = sides_.mask_around_centre ? 1.0 : -1.0, to_move = sides_.centre_is_target ? -1.0 : 1.0;
  for (int k = 0; k < sides_.dims; ++k) {
    const double period = sides_.period.empty() ? 0.0 : sides_.period[static_cast<std::size_t>(k)];
    const auto load = [&](Input what, double sign, double wrap) {
      if (!program_.reads(what, k)) return;
      Dispatch<Moves>::run(pieces_.data(), pieces_.size(), sides_.folded[k].data(), runs_.base[k].data(), sign, wrap, column(what, k));
    };
    load(Input::in_mask, to_place, 0.0);
    load(Input::move, to_move, period);
  }
}

void Batch::load_positions(const Piece& piece) {
  const auto centre = static_cast<std::size_t>(runs_.centre[piece.run]);
  const Input of_centre = sides_.centre_is_target ? Input::target : Input::source,
              of_other = sides_.centre_is_target ? Input::source : Input::target;
  for (int k = 0; k < sides_.dims; ++k) {
    if (program_.reads(of_centre, k)) std::fill_n(column(of_centre, k) + piece.at, piece.n, sides_.centre_at[k][centre]);
    if (program_.reads(of_other, k)) std::copy_n(sides_.other_at[k].data() + piece.place, piece.n, column(of_other, k) + piece.at);
  }
}

const double* Batch::uniforms() {
  std::size_t blocks = 0;
  for (const Piece& piece : pieces_) {
    const std::uint64_t first = piece.place / 4, n = (piece.place + piece.n + 3) / 4 - first;
    const std::uint64_t image = static_cast<std::uint64_t>(runs_.image[piece.run]) << 40;
    rng::draw_line(*key_, {static_cast<std::uint64_t>(runs_.centre[piece.run]), image | first, 0, 1}, n,
                   {words_[0].get() + blocks, words_[1].get() + blocks, words_[2].get() + blocks, words_[3].get() + blocks});
    blocks += n;
  }
  Dispatch<Uniforms>::run(pieces_.data(), pieces_.size(), words_[0].get(), words_[1].get(), words_[2].get(), words_[3].get(), blocks,
                          drawn_.get(), uniform_.get());
  return uniform_.get();
}

const double* Batch::values() {
  load_moves();
  for (const Piece& piece : pieces_) load_positions(piece);
  const double* found = program_.run(inputs_, size_, work_);
  if (sides_.centre_gid.empty()) return found;
  std::copy_n(found, size_, result_.get());
  forbid_loops();
  return result_.get();
}

void Batch::forbid_loops() {
  for (const Piece& piece : pieces_) {
    const std::int64_t self = sides_.centre_gid[static_cast<std::size_t>(runs_.centre[piece.run])];
    const std::int64_t* gid = sides_.other_gid.data() + piece.place;
    for (std::size_t i = 0; i < piece.n; ++i)
      if (gid[i] == self) result_[piece.at + i] = 0.0;
  }
}

}  // namespace npl::connect::space
