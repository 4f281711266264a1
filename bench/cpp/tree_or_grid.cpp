// SPDX-License-Identifier: Apache-2.0
/// Which index finds the overlaps of axons with dendrites and somata sooner, on one core: tree_or_grid CIRCUIT AXONS METHOD, where METHOD is
///   tree       one tree of boxes over the pieces of all cells, as cpp/circuit has it
///   grid SIDE  a uniform grid: every segment stands in all cells of SIDE um (a power of two) that its box meets
///   piece-grid SIDE  the same of pieces in place of the upper levels of the tree
///   two-level  a tree per morphology in its own frame, and one over the cells; the axon is turned into the frame of each cell that it meets
/// CIRCUIT is written by bench/tree_or_grid.py; AXONS of its cells, evenly taken, are searched for on all of them, touching themselves as well.
/// Prints a line of JSON: CPU seconds to build the index, to find the pairs whose boxes meet, and to find and test them; bytes of the index without
/// the segments, peak of the process; nodes of 8 boxes compared, pairs tested, overlaps, and their intervals summed.
#include <sys/resource.h>

#include <bit>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>

#include "circuit/spread.hpp"

namespace {

using namespace npl;
using namespace npl::circuit;

/// Seconds of this process alone: there is one thread, and others may compute on the machine.
double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Arrays one after another, each behind its number of bytes.
class Reader {
 public:
  explicit Reader(const char* path) : file_(path, std::ios::binary) {}
  template <class T>
  std::vector<T> next() {
    std::uint64_t bytes = 0;
    file_.read(reinterpret_cast<char*>(&bytes), sizeof bytes);
    std::vector<T> values(bytes / sizeof(T));
    file_.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes));
    if (!file_) std::fputs("the file of the circuit ends too soon\n", stderr), std::exit(1);
    return values;
  }

 private:
  std::ifstream file_;
};

struct Circuit {
  Morphologies shapes;
  std::vector<Gid> gid;
  std::vector<std::int32_t> shape;
  std::vector<double> position, rotation, spine;

  explicit Circuit(Reader file)
      : shapes(read(file)),
        gid(file.next<Gid>()),
        shape(file.next<std::int32_t>()),
        position(file.next<double>()),
        rotation(file.next<double>()),
        spine(file.next<double>()) {}
  static Morphologies read(Reader& file) {
    const auto points = file.next<double>(), radii = file.next<double>();
    const auto point_begin = file.next<std::int64_t>(), section_begin = file.next<std::int64_t>();
    const auto parent = file.next<std::int32_t>();
    const auto type = file.next<std::uint8_t>();
    const auto centre = file.next<double>(), radius = file.next<double>();
    return Morphologies({points, radii, point_begin, section_begin, parent, type, centre, radius});
  }
  Cells cells() const { return {gid, shape, position, rotation, spine}; }
};

constexpr std::uint32_t receiving = 1u << soma | 1u << basal | 1u << apical, sending = 1u << axon;

Pieces axons(const Circuit& circuit, std::size_t n) {
  Pieces pieces(Mode::tapered);
  const std::size_t all = circuit.gid.size();
  for (std::size_t k = 0; k < n; ++k) cut(circuit.shapes, circuit.cells(), all * k / n, all * k / n + 1, sending, pieces);
  return pieces;
}

Pieces dendrites(const Circuit& circuit) {
  Pieces pieces(Mode::tapered);
  cut(circuit.shapes, circuit.cells(), 0, circuit.gid.size(), receiving, pieces);
  return pieces;
}

/// Takes pairs whose boxes meet and tests them, or only counts them.
class Pairs {
 public:
  Pairs(const Pairs&) = delete;  // gcc 12 misaligns the block where one is returned
  std::uint64_t boxes = 0, tested = 0, overlaps = 0;
  double parts = 0;  ///< of presynaptic segments, summed
  explicit Pairs(bool test) : test_(test) {}

  void add(const Segment& p, const Pieces& post, std::uint32_t slot) {
    ++tested;
    if (!test_) return;
    block_.add(p, post.segment(slot / lanes, slot % lanes));
    if (block_.full()) flush();
  }
  void flush() {
    block_.evaluate();
    for (std::size_t k = 0; k < block_.size; ++k)
      if (block_.lo[k] <= block_.hi[k]) ++overlaps, parts += block_.hi[k] - block_.lo[k];
    block_.size = 0;
  }

 private:
  bool test_;
  PairBlock block_;
};

Index index_of(Pieces pieces) {
  const auto alone = comm::single();
  return spread(*alone, *make_mail(*alone, "alltoallv"), std::move(pieces));
}

class OneTree {
 public:
  OneTree(const Circuit&, Pieces post) : index_(index_of(std::move(post))) {}
  std::size_t bytes() const { return index_.tree.bytes(); }
  std::size_t segment_bytes() const { return index_.pieces.bytes(); }

  void piece(const Pieces& pre, std::size_t i, Pairs& pairs) {
    leaves_.clear();
    pairs.boxes += index_.tree.find(pre.box(i), leaves_);
    for (std::size_t lane = 0; lane < pre[i].segments && !leaves_.empty(); ++lane) {
      const Segment p = pre.segment(i, lane);
      index_.tree.narrow(pre.box(i, lane), leaves_, slots_);
      pairs.boxes += leaves_.size();
      for (std::uint32_t slot : slots_) pairs.add(p, index_.pieces, slot);
    }
  }

 private:
  Index index_;
  std::vector<std::uint32_t> leaves_, slots_;
};

/// Boxes in all cells that they meet: entries sorted by the number of their cell, in nodes of 8 so that they are compared as those of the tree
/// are; a dense table says where cells begin.
class Grid {
 public:
  /// @param boxes empty ones are left out
  Grid(const std::vector<Box>& boxes, float side) : side_(side) {
    Box all;
    for (const Box& box : boxes) all.add(box);
    for (int k = 0; k < 3; ++k) first_[k] = cell(all.lo[k]), n_[k] = cell(all.hi[k]) - first_[k] + 1;
    begin_.assign(static_cast<std::size_t>(n_[0]) * static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(n_[2]) + 1, 0);
    count(boxes);
    fill(boxes);
  }
  std::size_t bytes() const { return begin_.capacity() * 4 + nodes_.capacity() * sizeof(Node) + items_.capacity() * 4; }

  /// Gives the numbers of the boxes that meet this one, each once. Returns the number of nodes looked into.
  template <class Simd, class Take>
  [[gnu::always_inline]] std::size_t find(const Box& box, Take&& take) const {
    const Range r = range(box);
    std::size_t looked = 0;
    each_cell(r, [&](int x, int y, int z) {
      const int at[3] = {x, y, z};
      float from[3];  // what meets in several cells is taken in the first of them
      for (int k = 0; k < 3; ++k) from[k] = at[k] > r.lo[k] ? static_cast<float>(at[k] + first_[k]) * side_ : -Box::inf;
      const std::size_t c = number(x, y, z);
      looked += begin_[c + 1] - begin_[c];
      for (std::size_t n = begin_[c]; n < begin_[c + 1]; ++n) scan<Simd>(n, box, from, take);
    });
    return looked;
  }

 private:
  struct Range {
    int lo[3], hi[3];
  };
  int cell(float x) const { return static_cast<int>(std::floor(x / side_)); }  // exact: the side is a power of two
  std::size_t number(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(n_[1]) + static_cast<std::size_t>(y)) * static_cast<std::size_t>(n_[0]) +
           static_cast<std::size_t>(x);
  }
  Range range(const Box& box) const {
    Range r;
    for (int k = 0; k < 3; ++k)
      r.lo[k] = std::max(cell(box.lo[k]) - first_[k], 0), r.hi[k] = std::min(cell(box.hi[k]) - first_[k], n_[k] - 1);
    return r;
  }
  template <class Visit>
  [[gnu::always_inline]] void each_cell(const Range& r, Visit&& visit) const {
    for (int z = r.lo[2]; z <= r.hi[2]; ++z)
      for (int y = r.lo[1]; y <= r.hi[1]; ++y)
        for (int x = r.lo[0]; x <= r.hi[0]; ++x) visit(x, y, z);
  }
  template <class Simd, class Take>
  [[gnu::always_inline]] void scan(std::size_t n, const Box& box, const float* from, Take& take) const {
    const Node& node = nodes_[n];
    for (unsigned mask = Simd::meets(node, box); mask; mask &= mask - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(mask));
      if (node.lo[0][k] >= from[0] && node.lo[1][k] >= from[1] && node.lo[2][k] >= from[2]) take(items_[n * lanes + k]);
    }
  }
  /// begin_[c]: the first node of cell c.
  void count(const std::vector<Box>& boxes) {
    for (const Box& box : boxes)
      if (!box.empty()) each_cell(range(box), [&](int x, int y, int z) { ++begin_[number(x, y, z)]; });
    std::uint32_t nodes = 0;
    for (std::uint32_t& b : begin_) nodes += static_cast<std::uint32_t>((std::exchange(b, nodes) + lanes - 1) / lanes);
    nodes_.resize(nodes);
    items_.resize(std::size_t{nodes} * lanes);
  }
  void fill(const std::vector<Box>& boxes) {
    std::vector<std::uint32_t> in(begin_.size(), 0);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].empty()) continue;
      each_cell(range(boxes[i]), [&](int x, int y, int z) {
        const std::size_t c = number(x, y, z), at = std::size_t{begin_[c]} * lanes + in[c]++;
        nodes_[at / lanes].set(at % lanes, boxes[i]);
        items_[at] = static_cast<std::uint32_t>(i);
      });
    }
  }

  float side_;
  int first_[3], n_[3];
  std::vector<std::uint32_t> begin_, items_;
  std::vector<Node> nodes_;
};

std::uint64_t along_curve(double x, double y, double z) {
  const auto place = [](double c) { return static_cast<std::uint32_t>(std::clamp(c * 16 + 0x1p20, 0.0, 0x1p21 - 1)); };
  return hilbert(place(x), place(y), place(z));
}

class SegmentGrid {
 public:
  SegmentGrid(const Circuit&, Pieces post, float side) : post_(arranged(std::move(post))), grid_(boxes(post_), side) {}
  std::size_t bytes() const { return grid_.bytes(); }
  std::size_t segment_bytes() const { return post_.bytes(); }

  void piece(const Pieces& pre, std::size_t i, Pairs& pairs) {
    if (isa() == Isa::baseline)
      search<Scalar>(pre, i, pairs);
    else
      search_avx(pre, i, pairs);
  }

 private:
  /// As the tree has them: what is near is near in memory, too.
  static Pieces arranged(Pieces pieces) {
    std::vector<std::uint64_t> keys(pieces.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Box box = pieces.box(i);
      keys[i] = along_curve(0.5 * (box.lo[0] + box.hi[0]), 0.5 * (box.lo[1] + box.hi[1]), 0.5 * (box.lo[2] + box.hi[2]));
    }
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    pieces.arrange(order);
    return pieces;
  }
  static std::vector<Box> boxes(const Pieces& post) {
    std::vector<Box> all(post.size() * lanes);
    for (std::size_t i = 0; i < post.size(); ++i)
      for (std::size_t lane = 0; lane < post[i].segments; ++lane) all[i * lanes + lane] = post.box(i, lane);
    return all;
  }
  template <class Simd>
  [[gnu::always_inline]] void search(const Pieces& pre, std::size_t i, Pairs& pairs) const {
    for (std::size_t lane = 0; lane < pre[i].segments; ++lane) {
      const Segment p = pre.segment(i, lane);
      pairs.boxes += grid_.find<Simd>(pre.box(i, lane), [&](std::uint32_t slot) { pairs.add(p, post_, slot); });
    }
  }
  NPL_TARGET_V3 void search_avx(const Pieces& pre, std::size_t i, Pairs& pairs) const { search<Avx>(pre, i, pairs); }

  Pieces post_;
  Grid grid_;
};

/// Cells hold pieces; the boxes of their segments are compared as in the tree.
class PieceGrid {
 public:
  PieceGrid(const Circuit&, Pieces post, float side) : index_(index_of(std::move(post))), grid_(boxes(index_.pieces), side) {}
  std::size_t bytes() const { return grid_.bytes() + index_.tree.leaves().capacity() * sizeof(Node); }
  std::size_t segment_bytes() const { return index_.pieces.bytes(); }

  void piece(const Pieces& pre, std::size_t i, Pairs& pairs) {
    near_.clear();
    pairs.boxes += isa() == Isa::baseline ? find<Scalar>(pre.box(i)) : find_avx(pre.box(i));
    for (std::size_t lane = 0; lane < pre[i].segments && !near_.empty(); ++lane) {
      const Segment p = pre.segment(i, lane);
      index_.tree.narrow(pre.box(i, lane), near_, slots_);
      pairs.boxes += near_.size();
      for (std::uint32_t slot : slots_) pairs.add(p, index_.pieces, slot);
    }
  }

 private:
  static std::vector<Box> boxes(const Pieces& post) {
    std::vector<Box> all;
    for (std::size_t i = 0; i < post.size(); ++i) all.push_back(post.box(i));
    return all;
  }
  template <class Simd>
  [[gnu::always_inline]] std::size_t find(const Box& box) {
    return grid_.find<Simd>(box, [&](std::uint32_t piece) { near_.push_back(piece); });
  }
  NPL_TARGET_V3 std::size_t find_avx(const Box& box) { return find<Avx>(box); }

  Index index_;
  Grid grid_;
  std::vector<std::uint32_t> near_, slots_;
};

class TwoLevels {
 public:
  explicit TwoLevels(const Circuit& circuit) {
    for (std::size_t m = 0; m < circuit.shapes.size(); ++m) shapes_.push_back(shape(circuit, static_cast<std::int32_t>(m)));
    for (std::size_t i = 0; i < circuit.gid.size(); ++i) place(circuit, i);
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < placed_.size(); ++i) order.emplace_back(along_curve(placed_[i].at.x, placed_[i].at.y, placed_[i].at.z), i);
    std::sort(order.begin(), order.end());
    std::vector<Placed> sorted;
    for (const auto& [_, i] : order) sorted.push_back(placed_[i]);
    placed_ = std::move(sorted);
    std::vector<Node> leaves((placed_.size() + lanes - 1) / lanes);
    for (std::size_t i = 0; i < placed_.size(); ++i) leaves[i / lanes].set(i % lanes, placed_[i].box);
    cells_ = Tree(std::move(leaves));
  }
  std::size_t bytes() const {
    std::size_t n = cells_.bytes() + placed_.capacity() * sizeof(Placed);
    for (const Index& s : shapes_) n += s.tree.bytes();
    return n;
  }
  std::size_t segment_bytes() const {
    std::size_t n = 0;
    for (const Index& s : shapes_) n += s.pieces.bytes();
    return n;
  }

  void piece(const Pieces& pre, std::size_t i, Pairs& pairs) {
    groups_.clear();
    const Box box = pre.box(i);
    pairs.boxes += cells_.find(box, groups_);
    cells_.narrow(box, groups_, near_);
    const auto at = [&](int k, float other) { return 0.5 * (static_cast<double>(box.hi[k]) + static_cast<double>(other)); };
    const Vec middle{at(0, box.lo[0]), at(1, box.lo[1]), at(2, box.lo[2])}, half{at(0, -box.lo[0]), at(1, -box.lo[1]), at(2, -box.lo[2])};
    for (std::uint32_t cell : near_)
      if (may_meet(placed_[cell], middle, norm(half), pairs)) in_frame(placed_[cell], pre, i, pairs);
  }

 private:
  struct Placed {
    std::int32_t shape;
    Vec at;
    Rotation back;
    Box box;
  };
  static Index shape(const Circuit& circuit, std::int32_t m) {
    const Gid gid = 0;
    const double zero[3] = {}, whole[4] = {1, 0, 0, 0}, spine = circuit.spine.front();  // of all cells the same here
    Pieces pieces(Mode::tapered);
    cut(circuit.shapes, {{&gid, 1}, {&m, 1}, zero, whole, {&spine, 1}}, 0, 1, receiving, pieces);
    return index_of(std::move(pieces));
  }
  void place(const Circuit& circuit, std::size_t i) {
    const double* q = circuit.rotation.data() + 4 * i;
    const double* p = circuit.position.data() + 3 * i;
    const Rotation rotate({q[0], q[1], q[2], q[3]});
    Placed cell{circuit.shape[i], {p[0], p[1], p[2]}, Rotation({q[0], -q[1], -q[2], -q[3]}), {}};
    for (const Box& part : shapes_[static_cast<std::size_t>(cell.shape)].tree.cover(512))
      for (unsigned corner = 0; corner < 8; ++corner) {
        const auto end = [&](unsigned k) { return static_cast<double>(corner >> k & 1 ? part.hi[k] : part.lo[k]); };
        cell.box.add(rotate({end(0), end(1), end(2)}) + cell.at, 0);
      }
    placed_.push_back(cell);
  }
  /// With a ball around the piece: one point to turn, and most cells are done with.
  bool may_meet(const Placed& cell, Vec middle, double radius, Pairs& pairs) {
    Box ball;
    ball.add(cell.back(middle - cell.at), radius);
    leaves_.clear();
    pairs.boxes += shapes_[static_cast<std::size_t>(cell.shape)].tree.find(ball, leaves_);
    return !leaves_.empty();
  }
  void in_frame(const Placed& cell, const Pieces& pre, std::size_t i, Pairs& pairs) {
    const Index& index = shapes_[static_cast<std::size_t>(cell.shape)];
    const auto given = pre.points(i);
    Point points[lanes + 1];
    Box all, boxes[lanes];
    for (std::size_t k = 0; k < given.size(); ++k) {
      points[k] = {cell.back(given[k].at - cell.at), given[k].radius};
      Box ball;
      ball.add(points[k].at, points[k].radius);
      if (k) boxes[k - 1].add(ball);
      if (k + 1 < given.size()) boxes[k].add(ball);
      all.add(ball);
    }
    leaves_.clear();
    pairs.boxes += index.tree.find(all, leaves_);
    for (std::size_t lane = 0; lane + 1 < given.size() && !leaves_.empty(); ++lane) {
      const Segment p = segment(points[lane], points[lane + 1], 0, Mode::tapered);
      index.tree.narrow(boxes[lane], leaves_, slots_);
      pairs.boxes += leaves_.size();
      for (std::uint32_t slot : slots_) pairs.add(p, index.pieces, slot);
    }
  }

  std::vector<Index> shapes_;
  std::vector<Placed> placed_;
  Tree cells_;  ///< slot i: placed_[i]
  std::vector<std::uint32_t> groups_, near_, leaves_, slots_;
};

template <class Method>
void search(Method& method, const Pieces& pre, Pairs& pairs) {
  for (std::size_t i = 0; i < pre.size(); ++i) method.piece(pre, i, pairs);
  pairs.flush();
}

template <class Method, class... Rest>
void measure(const Circuit& circuit, const Pieces& pre, Rest... rest) {
  std::uint64_t segments = 0;
  for (std::int32_t m : circuit.shape) segments += count_segments(circuit.shapes, static_cast<std::size_t>(m), receiving);
  const double begin = now();
  Method method(circuit, std::move(rest)...);
  const double built = now();
  Pairs met(false), pairs(true);
  search(method, pre, met);
  const double counted = now();
  search(method, pre, pairs);
  const double tested = now();
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"segments\": %llu, \"pre_segments\": %llu, \"build\": %.4f, \"pairs_alone\": %.4f, \"search\": %.4f, \"index_bytes\": %zu, ",
      static_cast<unsigned long long>(segments), static_cast<unsigned long long>(pre.n_segments()), built - begin, counted - built,
      tested - counted, method.bytes());
  std::printf("\"segment_bytes\": %zu, \"peak_bytes\": %lld, \"boxes\": %llu, \"tested\": %llu, \"overlaps\": %llu, \"parts\": %.6f}\n",
              method.segment_bytes(), 1024ll * usage.ru_maxrss, static_cast<unsigned long long>(pairs.boxes),
              static_cast<unsigned long long>(pairs.tested), static_cast<unsigned long long>(pairs.overlaps), pairs.parts);
}

}  // namespace

int main(int n, char** words) {
  const std::string method = n > 3 ? words[3] : "";
  const float side = n > 4 ? std::stof(words[4]) : 0;
  int exponent;
  if (n < 4 || method.ends_with("grid") != (n == 5) || (n == 5 && std::frexp(side, &exponent) != 0.5f)) {
    std::fputs("usage: tree_or_grid CIRCUIT AXONS tree | grid SIDE | piece-grid SIDE | two-level (SIDE: um, a power of two)\n", stderr);
    return 1;
  }
  const Circuit circuit{Reader(words[1])};
  const Pieces pre = axons(circuit, std::min(static_cast<std::size_t>(std::stoul(words[2])), circuit.gid.size()));
  if (method == "grid")
    measure<SegmentGrid>(circuit, pre, dendrites(circuit), side);
  else if (method == "piece-grid")
    measure<PieceGrid>(circuit, pre, dendrites(circuit), side);
  else if (method == "two-level")
    measure<TwoLevels>(circuit, pre);
  else
    measure<OneTree>(circuit, pre, dendrites(circuit));
}
