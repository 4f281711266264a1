// SPDX-License-Identifier: Apache-2.0
#include "rng/distribution.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/simd.hpp"
#include "rng/node_values.hpp"
#include "rng/philox.hpp"
#include "rng/quantile.hpp"
#include "rng/uniform_int.hpp"
#ifdef NPL_WITH_V4
#define NPL_VECTOR_LOADS
#include <immintrin.h>
#endif

namespace npl::rng {
namespace {

// The 32-bit word stands for a probability. Its distance from the nearer end, 0 or 1, selects a cell: 32 octaves of 32 cells on each side.
// So both tails are as precise as the middle, and most draws use few cells.
constexpr int cell_bits = 5, octaves = 32;
constexpr std::size_t cells_per_side = std::size_t{octaves} << cell_bits;
constexpr double cell_width = 1.0 / (1 << cell_bits);  // in units of the octave
constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << (52 - cell_bits)) - 1;
constexpr double largest_value = 3e38;      // random weights are float32
constexpr double largest_of_nodes = 1e300;  // where cubics through them stay finite
constexpr double most_values = 0x1p32 - 1;  // of uniform_int: a word each

/// value = ((c3 t + c2) t + c1) t + c0, t in [0, cell_width).
struct Cubic {
  double c0, c1, c2, c3;
};

/// Where a word lies: its cell (lower side, then upper side), and how far in it.
struct Place {
  std::size_t cell;
  double t;
};

NPL_INLINE Place place_of(std::uint32_t word) {
  const std::uint32_t upper = word >> 31, mirrored = word ^ (0u - upper);
  const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int32_t>(mirrored)) + 0.5);
  return {upper * cells_per_side + ((bits >> (52 - cell_bits)) - (std::uint64_t{1022} << cell_bits)),
          std::bit_cast<double>((bits & fraction_mask) | 0x3ff0000000000000u) - 1.0};
}

NPL_INLINE double at(const Cubic& c, double t) { return ((c.c3 * t + c.c2) * t + c.c1) * t + c.c0; }

NPL_INLINE double interpolate(const Cubic* cells, std::uint32_t word) {
  const Place p = place_of(word);
  return at(cells[p.cell], p.t);
}

template <class T>
struct Interpolate {
  NPL_INLINE static void run(const Cubic* cells, double low, double high, const std::uint32_t* words, std::size_t n, T* out) {
    for (std::size_t i = 0; i < n; ++i) {
      double v = interpolate(cells, words[i]);
      v = v < low ? low : v;
      out[i] = static_cast<T>(v > high ? high : v);
    }
  }
};

#ifdef NPL_VECTOR_LOADS
constexpr __mmask8 all = 0xff;  // gcc 12 warns of its own intrinsics without masks

/// The cubics at `cell` as four vectors, by loads of whole cubics: a loop would gather number by number, which takes twice as long.
NPL_TARGET_V4 inline void load_cubics(const Cubic* cells, const std::uint64_t* cell, __m512d* c) {
  const __m512i low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), high = _mm512_or_si512(low, _mm512_set1_epi64(2));
  __m512d pair[4];  // cubics k and k + 4
  for (std::size_t k = 0; k < 4; ++k)
    pair[k] = _mm512_maskz_insertf64x4(all, _mm512_castpd256_pd512(_mm256_loadu_pd(&cells[cell[k]].c0)),
                                       _mm256_loadu_pd(&cells[cell[k + 4]].c0), 1);
  const __m512d even[2] = {_mm512_maskz_unpacklo_pd(all, pair[0], pair[1]), _mm512_maskz_unpacklo_pd(all, pair[2], pair[3])};
  const __m512d odd[2] = {_mm512_maskz_unpackhi_pd(all, pair[0], pair[1]), _mm512_maskz_unpackhi_pd(all, pair[2], pair[3])};
  c[0] = _mm512_permutex2var_pd(even[0], low, even[1]), c[2] = _mm512_permutex2var_pd(even[0], high, even[1]);
  c[1] = _mm512_permutex2var_pd(odd[0], low, odd[1]), c[3] = _mm512_permutex2var_pd(odd[0], high, odd[1]);
}

/// Interpolate for whole vectors; returns the number of words done.
template <class T>
NPL_TARGET_V4 std::size_t interpolate_vectors(const Cubic* cells, double low, double high, const std::uint32_t* words, std::size_t n,
                                              T* out) {
  const __m512d least = _mm512_set1_pd(low), most = _mm512_set1_pd(high), half = _mm512_set1_pd(0.5), one = _mm512_set1_pd(1.0);
  const __m512i fraction = _mm512_set1_epi64(static_cast<long long>(fraction_mask)), exponent = _mm512_castpd_si512(one);
  const __m512i lowest_cell = _mm512_set1_epi64(std::int64_t{1022} << cell_bits);
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + i)), upper = _mm256_srai_epi32(word, 31);
    const __m512i bits =
        _mm512_castpd_si512(_mm512_add_pd(_mm512_maskz_cvtepi32_pd(all, _mm256_xor_si256(word, upper)), half));  // see place_of()
    const __m512i side = _mm512_and_si512(_mm512_maskz_cvtepi32_epi64(all, upper), _mm512_set1_epi64(cells_per_side));
    alignas(64) std::uint64_t cell[8];
    _mm512_store_si512(cell, _mm512_add_epi64(side, _mm512_sub_epi64(_mm512_maskz_srli_epi64(all, bits, 52 - cell_bits), lowest_cell)));
    __m512d c[4];
    load_cubics(cells, cell, c);
    const __m512d t = _mm512_sub_pd(_mm512_castsi512_pd(_mm512_or_si512(_mm512_and_si512(bits, fraction), exponent)), one);
    __m512d v = _mm512_add_pd(_mm512_mul_pd(c[3], t), c[2]);
    v = _mm512_add_pd(_mm512_mul_pd(v, t), c[1]);
    v = _mm512_add_pd(_mm512_mul_pd(v, t), c[0]);
    v = _mm512_maskz_min_pd(all, most, _mm512_maskz_max_pd(all, least, v));  // in this order as the comparisons of Interpolate
    if constexpr (sizeof(T) == sizeof(float))
      _mm256_storeu_ps(out + i, _mm512_maskz_cvtpd_ps(all, v));
    else
      _mm512_storeu_pd(out + i, v);
  }
  return i;
}
#endif

template <class T>
void interpolate_all(const Cubic* cells, double low, double high, const std::uint32_t* words, std::size_t n, T* out) {
  std::size_t done = 0;
#ifdef NPL_VECTOR_LOADS
  if (isa() == Isa::v4) done = interpolate_vectors(cells, low, high, words, n, out);
#endif
  if (done < n) Dispatch<Interpolate<T>>::run(cells, low, high, words + done, n - done, out + done);
}

/// The cubic through the values at four Chebyshev nodes, from divided differences.
template <class F>
Cubic fit(F&& f) {
  // (1 - cos((2j + 1) pi / 8)) / 2
  constexpr double node[4] = {0.03806023374435663, 0.3086582838174551, 0.6913417161825449, 0.9619397662556434};
  double x[4], d[4];
  for (int j = 0; j < 4; ++j) d[j] = f(x[j] = node[j] * cell_width);
  for (int order = 1; order < 4; ++order)
    for (int j = 3; j >= order; --j) d[j] = (d[j] - d[j - 1]) / (x[j] - x[j - order]);
  const double c2 = d[2] - d[3] * (x[0] + x[1] + x[2]);
  const double c1 = d[1] - d[2] * (x[0] + x[1]) + d[3] * (x[0] * x[1] + x[0] * x[2] + x[1] * x[2]);
  return {d[0] - x[0] * (d[1] - x[1] * (d[2] - x[2] * d[3])), c1, c2, d[3]};
}

std::string describe(const ValueSpec& s) {
  constexpr const char* names[] = {"constant", "array", "uniform", "normal", "lognormal", "exponential", "uniform_int", "formula"};
  std::ostringstream text;
  text.precision(10);
  if (s.kind == Kind::constant && !s.bits) return text << s.a, text.str();
  if (s.shift != 0 || s.factor != 1) text << s.shift << " + " << s.factor << " * ";
  text << names[static_cast<int>(s.kind)] << '(';
  if (s.kind == Kind::formula)
    text << "of edges";
  else if (s.kind == Kind::array)
    text << (s.values ? s.values->size() : 0) << " values";
  else
    text << s.a;
  if (s.kind != Kind::array && s.kind != Kind::exponential && s.kind != Kind::uniform_int && s.kind != Kind::formula) text << ", " << s.b;
  text << ')';
  if (s.limit != Limit::none) text << (s.limit == Limit::clip ? ".clip(" : ".redraw(") << "min=" << s.min << ", max=" << s.max << ')';
  if (s.bits) text << ".coded(bits=" << s.bits << ')';
  return text.str();
}

void require(bool good, const ValueSpec& s, const std::string& parameter, const char* allowed) {
  if (!good) throw BadParameter(parameter, describe(s), allowed);
}

void check_shape(const ValueSpec& s, const std::string& parameter) {
  require(std::isfinite(s.a) && std::isfinite(s.b) && std::isfinite(s.shift) && std::isfinite(s.factor), s, parameter,
          "made of finite numbers");
  require(s.factor != 0, s, parameter, "a distribution times a number other than 0");
  if (s.kind == Kind::uniform) require(s.a <= s.b, s, parameter, "a uniform distribution with low <= high");
  if (s.kind == Kind::normal || s.kind == Kind::lognormal) require(s.b >= 0, s, parameter, "a distribution with standard deviation >= 0");
  if (s.kind == Kind::exponential) require(s.a > 0, s, parameter, "an exponential distribution with scale > 0");
  if (s.kind == Kind::uniform_int)
    require(s.a >= 1 && s.a <= most_values && s.a == std::floor(s.a), s, parameter, "a whole number of values from 1 to 2^32 - 1");
}

void check_mass(const ValueSpec& s, const std::string& parameter, double largest) {
  double value;
  if (is_single_value(s, &value)) {
    const bool inside = s.limit != Limit::redraw || (value >= s.min && value <= s.max);
    return require(inside, s, parameter, "within its own bounds: the one value it gives would be redrawn for ever");
  }
  double low, high;
  constexpr const char* no_mass = "given bounds that some values fall between";
  if (s.kind == Kind::uniform_int) {
    const UniformInt whole(s);
    require(whole.count() > 0, s, parameter, no_mass);
    low = whole.value(0), high = whole.value(whole.count() - 1);
  } else {
    const Quantile quantile(s);
    require(s.limit != Limit::redraw || quantile.mass() > 1e-280, s, parameter, no_mass);
    low = quantile({uniform_end, 1 - uniform_end}), high = quantile({1 - uniform_end, uniform_end});
  }
  const bool narrow = largest == largest_value;
  const char* allowed = narrow ? "a distribution whose values stay below 3e38" : "a distribution whose values stay below 1e300";
  require(std::abs(low) < largest && std::abs(high) < largest, s, parameter, allowed);
}

void check_up_to(double largest, const ValueSpec& s, const std::string& parameter) {
  require(s.bits >= 0 && s.bits <= most_code_bits, s, parameter, "coded in 1 to 16 bits");
  require(!s.bits || s.is_drawn(), s, parameter, "a distribution where it is coded");
  if (s.kind == Kind::formula) return require(s.formula != nullptr, s, parameter, "a formula");
  if (s.kind == Kind::array) {
    require(s.values != nullptr, s, parameter, "an array of finite numbers");
    for (std::size_t k = 0; k < s.values->size(); ++k)
      if (!std::isfinite((*s.values)[k])) throw BadParameter(parameter + "[" + std::to_string(k) + "]", (*s.values)[k], "a finite number");
    return;
  }
  check_shape(s, parameter);
  if (s.limit != Limit::none) require(s.min <= s.max, s, parameter, "given bounds with min <= max");  // false for NaN
  check_mass(s, parameter, s.bits ? largest_value : largest);                                         // codes are float32
}

}  // namespace

void check(const ValueSpec& s, const std::string& parameter) { check_up_to(largest_value, s, parameter); }
void check_node_values(const ValueSpec& s, const std::string& parameter) { check_up_to(largest_of_nodes, s, parameter); }

namespace {

constexpr std::uint64_t worth_a_table = cells_per_side;  ///< words; the cells of so many cost half of a table

/// The cubic of a cell.
Cubic cubic_of(const Quantile& quantile, std::size_t cell) {
  const std::size_t side = cell / cells_per_side, c = cell % cells_per_side;
  const double octave = std::ldexp(0x1p-33, static_cast<int>(c >> cell_bits));
  const double start = 1.0 + static_cast<double>(c % (1 << cell_bits)) * cell_width;
  return fit([&](double t) {
    const double p = (start + t) * octave;
    return quantile(side ? Tails{1 - p, p} : Tails{p, 1 - p});
  });
}

template <class T>
struct PickWhole {
  NPL_INLINE static void run(const UniformInt& whole, const std::uint32_t* words, std::size_t n, T* out) {
    const UniformInt here = whole;  // in registers: out cannot be part of it
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(here(words[i]));
  }
};

}  // namespace

struct Sampler::Tables {
  std::optional<Quantile> quantile;  ///< none where there is one value, or they are whole
  std::optional<UniformInt> whole;
  double low, high;                                 ///< what words 0 and 2^32 - 1 give; holds all others in between
  int bits;                                         ///< of codes; 0: not coded
  std::vector<float> book;                          ///< (coded) values by code
  mutable std::vector<Cubic> cells;                 ///< lower side, then upper side
  mutable std::atomic<const Cubic*> made{nullptr};  ///< `cells`, once they are made
  mutable std::atomic<std::uint64_t> drawn{0};      ///< words before that
  mutable std::once_flag once;

  explicit Tables(const ValueSpec& spec, Table table) : bits(spec.bits) {
    if (spec.kind == Kind::uniform_int) {
      whole.emplace(spec);
      low = whole->value(0), high = whole->value(whole->count() - 1);
    } else if (is_single_value(spec, &low)) {
      high = low;
    } else {
      quantile.emplace(spec);
    }
    if (bits) {
      book = make_book();
      low = *std::min_element(book.begin(), book.end()), high = *std::max_element(book.begin(), book.end());
    }
    if (bits || !quantile) return;
    if (table == Table::at_once) make();
    low = quantile->clip(polynomial(0));
    high = quantile->clip(polynomial(0xffffffffu));
  }

  /// The values of a coded distribution.
  std::vector<float> make_book() const {
    std::vector<float> values(std::size_t{1} << bits, static_cast<float>(low));
    for (std::size_t c = 0; c < values.size(); ++c) {
      const double p = (static_cast<double>(c) + 0.5) / static_cast<double>(values.size());
      if (quantile) values[c] = static_cast<float>(quantile->clip((*quantile)({p, 1 - p})));
      if (whole) values[c] = static_cast<float>((*whole)(static_cast<std::uint32_t>(p * 0x1p32)));
    }
    return values;
  }

  const Cubic* make() const {
    std::call_once(once, [&] {
      cells.resize(2 * cells_per_side);
      for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = cubic_of(*quantile, c);
      made.store(cells.data(), std::memory_order_release);
    });
    return cells.data();
  }

  double polynomial(std::uint32_t word) const {
    const Place p = place_of(word);
    return at(cubic_of(*quantile, p.cell), p.t);
  }

  /// The table, when there is one or it is worth to make it for n more words.
  const Cubic* table_for(std::size_t n) const {
    if (const Cubic* table = made.load(std::memory_order_acquire)) return table;
    return drawn.fetch_add(n, std::memory_order_relaxed) + n < worth_a_table ? nullptr : make();
  }

  template <class T>
  void draw(std::span<const std::uint32_t> words, T* out) const {
    if (bits) {
      for (std::size_t i = 0; i < words.size(); ++i) out[i] = book[code_of(words[i], bits)];
      return;
    }
    if (whole) return Dispatch<PickWhole<T>>::run(*whole, words.data(), words.size(), out);
    if (!quantile) return void(std::fill_n(out, words.size(), static_cast<T>(low)));
    if (const Cubic* table = table_for(words.size())) return interpolate_all(table, low, high, words.data(), words.size(), out);
    for (std::size_t i = 0; i < words.size(); ++i) out[i] = static_cast<T>(std::min(std::max(polynomial(words[i]), low), high));
  }
};

Sampler::Sampler(const ValueSpec& spec, Table table) : tables_(std::make_unique<Tables>(spec, table)) {}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

void Sampler::draw(std::span<const std::uint32_t> words, float* out) const { tables_->draw(words, out); }
void Sampler::draw(std::span<const std::uint32_t> words, double* out) const { tables_->draw(words, out); }

double Sampler::lowest() const { return std::min<double>(tables_->low, static_cast<float>(tables_->low)); }
double Sampler::highest() const { return std::max<double>(tables_->high, static_cast<float>(tables_->high)); }

std::span<const float> Sampler::book() const { return tables_->book; }

double Sampler::share_below_zero() const {
  if (const auto& book = tables_->book; !book.empty())
    return static_cast<double>(std::count_if(book.begin(), book.end(), [](float x) { return x < 0; })) / static_cast<double>(book.size());
  constexpr double below_zero = -std::numeric_limits<double>::denorm_min();
  if (tables_->whole) return tables_->whole->cdf(below_zero);
  return tables_->quantile ? tables_->quantile->cdf(below_zero) : tables_->low < 0;
}

void draw_node_values(const ValueSpec& spec, std::uint64_t seed, std::uint64_t stream, std::span<const Gid> gids, double* out) {
  if (spec.kind == Kind::array) {
    if (spec.values->size() != gids.size()) throw BadLength("values", spec.values->size(), gids.size());
    return void(std::copy(spec.values->begin(), spec.values->end(), out));
  }
  const Sampler sampler(spec, Sampler::Table::when_worth);
  const Key key = Key::of(seed, Purpose::node_value, stream);
  std::vector<std::uint32_t> words(gids.size());
  for (std::size_t i = 0; i < gids.size(); ++i) words[i] = draw(key, static_cast<std::uint64_t>(gids[i]), 0)[0];
  sampler.draw(words, out);
}

}  // namespace npl::rng
