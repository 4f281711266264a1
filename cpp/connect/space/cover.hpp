// SPDX-License-Identifier: Apache-2.0
/// Upper bounds of the formula on cells of the others, for rules without a mask: most pairs then need not be looked at.
#pragma once
#include <memory>
#include <vector>

#include "connect/space/cells.hpp"
#include "connect/space/interval.hpp"
#include "connect/space/pairs.hpp"

namespace npl::connect::space {

/// Both sides in cells.
struct CellSides {
  Cells centres, others;
  std::vector<std::uint32_t> groups;  ///< cells of centres that are not divided: all centres of a group share a cover
  bool skips = false;                 ///< whether skipping() pays
  std::vector<double> other_at[3];    ///< coordinates of the others in the order of their cells
};

/// Others begin .. end - 1 in the order of their cells; the formula is at most `bound` for each of them.
struct Stretch {
  std::uint32_t begin, end;
  double bound;
  std::uint32_t size() const { return end - begin; }
};

/// Bounds the formula between cells. One per thread.
class Bounder {
 public:
  /// Keeps references to its arguments.
  Bounder(const Sides&, const Program&);
  /// All values for a centre and another node in these boxes.
  Interval between(const Box& centres, const Box& others);

 private:
  Interval from_dimension(int k);
  bool folds(int k) const { return !sides_.period.empty() && program_.reads(Input::move, k); }

  const Sides& sides_;
  const Program& program_;
  Interval inputs_[input_count];
  std::vector<Interval> work_;
};

/// Stretches that hold all others for which the formula can be positive, for the centres of a group.
class Cover {
 public:
  Cover(const Candidates& c, const CellSides& in) : in_(in), bounder_(c.sides, c.program) {}
  /// @param most bounds above it count as this: probabilities above 1 are 1
  const std::vector<Stretch>& of(const Box& centres, double most);
  /// With bounds whose sum further cells would hardly lower, in order of places; not limited by `most`. Empty where a bound is infinite or
  /// none is positive.
  const std::vector<Stretch>& close(const Box& centres);
  /// Of the last close(): sum of the lower bounds / sum of the upper ones.
  double low_share() const { return low_share_; }
  /// Cells that the last cover looked at.
  std::size_t visits() const { return visits_; }

 private:
  /// A cell with its bounds; `waste`: what the sums of its bounds differ by.
  struct Bounded {
    double waste, low, high;
    std::uint32_t cell;
    bool operator<(const Bounded& other) const { return waste < other.waste || (waste == other.waste && cell < other.cell); }
  };
  Bounded bounded(const Box& centres, std::uint32_t cell);
  void keep(const Bounded&);
  double sum_of_waste() const;

  const CellSides& in_;
  Bounder bounder_;
  std::vector<Stretch> found_;
  std::vector<std::uint32_t> open_;
  std::vector<Bounded> heap_;
  std::size_t visits_ = 0;
  double low_share_ = 1.0;
};

/// Both sides in cells, at least one node each.
CellSides divided_sides(const Candidates&);
/// The same; null with a mask or few others. Depends on nothing but the candidates: not on ranks, threads and the centres that are asked
/// for.
std::shared_ptr<const CellSides> cell_sides(const Candidates&);

}  // namespace npl::connect::space
