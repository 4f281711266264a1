// SPDX-License-Identifier: Apache-2.0
/// Interface of connection rules: a rule generates the edges of a given target from counter-based random numbers, without communication
/// (law 4). One file per rule in connect/rules/, named like the rule. Edges are generated twice (count, then fill), so a rule must be a
/// pure function.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "connect/node_set.hpp"
#include "connect/rule_params.hpp"
#include "connect/spread.hpp"
#include "rng/philox.hpp"

namespace npl::connect {

/// Capacity of an EdgeBatch.
inline constexpr std::size_t batch_capacity = 256;

/// Edges of one target.
struct EdgeBatch {
  std::size_t n = 0;
  bool with_words;                            ///< in: weight_word and delay_word are needed
  std::uint64_t source[batch_capacity];       ///< position in the presynaptic set
  std::uint32_t weight_word[batch_capacity];  ///< random words for weight and delay
  std::uint32_t delay_word[batch_capacity];
  std::uint64_t value_index[batch_capacity];  ///< index of the edge in explicit arrays of weights or delays
  bool wants_index = false;                   ///< in: value_index is needed
  Local target[batch_capacity];               ///< local index of the target; of Rule::edges_of() alone
};

/// Scratch space of Rule::edges_of(). with_words and wants_index of both are inputs.
struct EdgeBatches {
  EdgeBatch joined, single;
  const std::uint8_t* in_degrees = nullptr;  ///< in: what Rule::in_degrees() gave, by position; null: not drawn yet
};

/// Some targets of a projection in one slice, ascending by position.
struct TargetBatch {
  static constexpr std::size_t capacity = 128;
  std::size_t n = 0;
  std::int64_t position[capacity];  ///< in the postsynaptic set
  Gid gid[capacity];
  Local local[capacity];
};

/// Receiver of batches: one call per full batch and one for the rest.
class EdgeSink {
 public:
  virtual void take(const EdgeBatch&) = 0;

 protected:
  ~EdgeSink() = default;
};

/// Input of a rule.
struct RuleContext {
  NodeSet pre, post;
  rng::Key key;  ///< random key of this projection
  RuleParams params;
  double edges_of_all_ranks = -1.0;  ///< where each rank lists edges of its own (connect/listed.hpp): how many all have; < 0: those here
};

/// A connection rule with its parameters. Thread safe.
class Rule {
 public:
  virtual ~Rule() = default;
  /// Expected number of edges on all ranks; exact where the rule fixes it.
  virtual double expected_edges() const = 0;
  /// Whether the number of edges is drawn: then expected_edges() is its mean.
  virtual bool draws_number() const { return false; }
  /// Required length of arrays of weights or delays (order documented per rule); -1: the rule accepts no arrays. Saturates at the largest
  /// int64.
  virtual std::int64_t array_length() const = 0;
  /// Distribution of out-degrees, for the memory model. The caller sets the numbers of sources, targets and edges.
  virtual Spread spread() const { return {}; }
  /// Sends all edges of the target at post position `target` to `sink`, in a fixed order. @param batch scratch space with its inputs set
  virtual void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const = 0;
  /// The edges of several targets: those of edges(), target by target, in full batches with EdgeBatch::target set. Rules whose targets have
  /// few edges override it: drawn together they take a fraction of the time.
  virtual void edges_of(const TargetBatch& targets, EdgeBatches& scratch, EdgeSink& sink) const;
  /// For rules whose edges_of() needs in-degrees that are worth drawing for all slices at once: writes those of the targets to
  /// to[position], or `many` for larger ones, which are drawn again. @param positions ascending. Returns false where a rule has none.
  virtual bool in_degrees(std::span<const std::int64_t> /*positions*/, std::uint8_t* /*to*/) const { return false; }
  static constexpr std::uint8_t many = 255;
};

/// A connection rule: name, documentation, parameters and factory.
struct RuleInfo {
  std::string name, doc;
  std::vector<const char*> rows;  ///< shape of two-dimensional arrays (param::rows)
  std::vector<RuleParam> parameters;
  std::unique_ptr<Rule> (*construct)(const RuleContext&);  ///< from parameters that are complete

  /// Checks the parameters (throws UnknownName, BadParameter, BadLength) and makes the rule.
  std::unique_ptr<Rule> make(RuleContext context) const {
    context.params = completed(name, parameters, std::move(context.params));
    return construct(context);
  }
};

/// All rules, sorted by name.
const std::vector<const RuleInfo*>& rules();
/// The rule of this name. Throws UnknownName with the nearest names.
const RuleInfo& find_rule(const std::string& name);

}  // namespace npl::connect

/// Registers a rule; `id` must be the file's name without .cpp. @param shape param::rows() or no_rows(); then the parameters
#define NPL_RULE(id, Type, documentation, shape, ...)                                                                        \
  namespace npl::connect {                                                                                                   \
  const RuleInfo& rule_##id() {                                                                                              \
    using namespace param;                                                                                                   \
    static const RuleInfo info{#id, documentation, shape, {__VA_ARGS__}, [](const RuleContext& c) -> std::unique_ptr<Rule> { \
                                 return std::make_unique<Type>(c);                                                           \
                               }};                                                                                           \
    return info;                                                                                                             \
  }                                                                                                                          \
  }
