// SPDX-License-Identifier: Apache-2.0
/// What synapses read of their targets besides spikes, of one group of neurons: contributions, kept for the steps in which they are not 0
/// until the slowest synapse has read them, and levels, kept for all of the last steps. Both may depend on what the neuron's state was
/// some steps before, which waits here.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace npl::synapses {

/// Contributions of one neuron, in order of time.
struct Contributions {
  std::vector<std::int32_t> stamp;  ///< [steps]
  std::vector<double> value;        ///< in the unit of the weight

  static constexpr std::size_t bytes_each = sizeof(std::int32_t) + sizeof(double);
};

/// What a checkpoint keeps of one neuron.
struct KeptHistory {
  Contributions contributions;
  std::vector<double> levels;   ///< per row, of the steps up to now, the last one last
  std::vector<double> waiting;  ///< per quantity, of the steps from now on
};

/// Not thread safe: used by the thread of the slice.
class TargetHistory {
 public:
  /// Nodes first .. first + n - 1 of the slice. @param quantities number of state variables that are seen with a delay
  /// @param rows levels per step
  TargetHistory(Local first, std::size_t n, std::size_t quantities, std::size_t rows = 1)
      : first_(first), n_(n), quantities_(quantities), rows_(rows), contributions_(n) {}

  Local first() const { return first_; }
  std::size_t size() const { return n_; }
  std::size_t quantities() const { return quantities_; }
  std::size_t rows() const { return rows_; }
  bool has(Local node) const { return node >= first_ && node - first_ < n_; }
  /// Stamp of the last step recorded [steps].
  Step now() const { return now_; }

  /// Makes room for levels of so many steps, and for values that wait so long [steps]. Never shrinks.
  void reserve(Step levels, Step longest_wait);
  Step levels() const { return levels_; }
  Step longest_wait() const { return waits_ - 1; }

  /// fill(double* [n][each]) says what synapses need to know of the parameters of their targets; not part of checkpoints.
  template <class Fill>
  void keep_constants(std::size_t each, const Fill& fill) {
    std::vector<double> now(n_ * each);
    fill(now.data());
    if (now == constants_) return;
    constants_ = std::move(now), digests_.clear();
    are_alike_ = std::equal(constants_.begin() + static_cast<std::ptrdiff_t>(each), constants_.end(), constants_.begin());
  }

  // --- recording a step: begin, put all quantities, then waited and level_row may be used, add, end
  /// @param stamp end of the step; one more than at the last call, but for the first one
  void begin(Step stamp) { now_ = stamp; }
  /// Value of neuron i, to be seen `delay` steps from now.
  void put(std::size_t quantity, std::size_t i, Step delay, double value) { waiting_[slot(now_ + delay, quantity) + i] = value; }
  /// [n] what was put for this step; 0 where nothing was.
  const double* waited(std::size_t quantity) const { return &waiting_[slot(now_, quantity)]; }
  /// [rows][n] levels of this step.
  double* level_row() { return &level_[place(now_)]; }
  /// [n] one row of levels of a step that is not done yet.
  double* early_row(Step stamp, std::size_t row) { return &level_[place(stamp) + row * n_]; }
  /// Keeps those that are not 0. @param contributions [n]
  void add(std::span<const double> contributions);
  void end();

  // --- reading
  /// Level after the step that ends at `stamp`, which must be one of the last levels() ones; 0 before time 0.
  double level(Local node, Step stamp) const { return stamp > 0 ? level_[place(stamp) + (node - first_)] : 0.0; }
  /// [rows][n] levels of the step that ends at `stamp` > 0.
  const double* levels_at(Step stamp) const { return &level_[place(stamp)]; }
  /// Goes through the levels of steps, one after the other.
  class Walk {
   public:
    const double* at() const { return begin_ + now_; }
    void next() { now_ = now_ + row_ == size_ ? 0 : now_ + row_; }
    /// @param steps fewer than are kept
    void skip(Step steps) {
      now_ += static_cast<std::size_t>(steps) * row_;
      if (now_ >= size_) now_ -= size_;
    }

   private:
    friend class TargetHistory;
    Walk(const double* begin, std::size_t now, std::size_t row, std::size_t size) : begin_(begin), now_(now), row_(row), size_(size) {}
    const double* begin_;
    std::size_t now_, row_, size_;
  };
  /// From the step that ends at `stamp` > 0 on.
  Walk walk(Step stamp) const { return {level_.data(), place(stamp), rows_ * n_, level_.size()}; }
  /// [n][each] what was kept.
  const double* constants() const { return constants_.data(); }
  bool are_alike() const { return are_alike_; }  ///< the constants of all nodes
  const Contributions& contributions(Local node) const { return contributions_[node - first_]; }
  const double* constants(Local node) const { return &constants_[(node - first_) * (constants_.size() / n_)]; }

  /// What readers compute of levels and constants, and keep as long as these are the same.
  struct Digest {
    virtual ~Digest() = default;
    virtual std::size_t bytes() const = 0;
  };
  /// That of the readers with a number; they all use one class.
  template <class D>
  D& digest(double number) const {
    auto found = std::find_if(digests_.begin(), digests_.end(), [&](const auto& d) { return d.first == number; });
    if (found == digests_.end()) found = digests_.emplace(found, number, std::make_unique<D>(*this, number));
    return static_cast<D&>(*found->second);
  }

  /// Drops contributions with stamp <= oldest [steps], which no synapse needs any more.
  void forget(Step oldest);
  /// Number of contributions kept, of all neurons.
  std::size_t kept() const { return kept_; }
  std::size_t bytes() const;
  /// Bytes per neuron but for contributions. @param rows per step, with those of digests
  static double bytes_per_node(Step levels, Step longest_wait, std::size_t quantities, double rows, std::size_t constants) {
    const auto waiting = static_cast<double>((longest_wait + 1) * static_cast<Step>(quantities));
    return sizeof(Contributions) + sizeof(double) * (static_cast<double>(levels) * rows + waiting + static_cast<double>(constants));
  }

  // --- checkpoints
  KeptHistory kept_of(Local node) const;
  /// @param now stamp of the last step recorded; the same for all nodes
  void restore(Local node, KeptHistory kept, Step now);

 private:
  std::size_t place(Step stamp) const { return static_cast<std::size_t>(stamp % levels_) * rows_ * n_; }
  std::size_t slot(Step stamp, std::size_t quantity) const {
    return (static_cast<std::size_t>(stamp % waits_) * quantities_ + quantity) * n_;
  }

  Local first_;
  std::size_t n_, quantities_, rows_;
  Step now_ = 0, levels_ = 0, waits_ = 0;  ///< lengths of the rings [steps]
  std::vector<double> level_;              ///< [levels][rows][n]
  std::vector<double> waiting_;            ///< [waits][quantities][n]; 0: nothing was put
  std::vector<Contributions> contributions_;
  std::vector<double> constants_;
  bool are_alike_ = true;
  std::size_t kept_ = 0;
  mutable std::vector<std::pair<double, std::unique_ptr<Digest>>> digests_;
};

/// Histories of a slice, one per group that keeps one. References stay valid.
class TargetHistories {
 public:
  std::deque<TargetHistory>& all() { return all_; }
  const std::deque<TargetHistory>& all() const { return all_; }
  /// Of a node that has one.
  const TargetHistory& of(Local node) const {
    return *std::find_if(all_.begin(), all_.end(), [&](const TargetHistory& h) { return h.has(node); });
  }

 private:
  std::deque<TargetHistory> all_;
};

}  // namespace npl::synapses
