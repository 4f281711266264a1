// SPDX-License-Identifier: Apache-2.0
/// What a connection rule is: given a target, it names the sources of its edges, from counters alone (law 4). One file per rule in
/// connect/rules/, named like the rule. Edges are generated twice (count, then fill), so a rule must be a pure function.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "connect/edge_list.hpp"
#include "connect/node_set.hpp"
#include "connect/spread.hpp"
#include "rng/philox.hpp"

namespace npl::connect {

/// Up to this many edges at a time.
inline constexpr std::size_t batch_capacity = 256;

/// Edges that end on one target.
struct EdgeBatch {
  std::size_t n = 0;
  bool with_words;                            ///< in: are weight_word and delay_word wanted?
  std::uint64_t source[batch_capacity];       ///< position in the presynaptic set
  std::uint32_t weight_word[batch_capacity];  ///< random words for the weight and the delay of the edge
  std::uint32_t delay_word[batch_capacity];
  std::uint64_t value_index[batch_capacity];  ///< where explicit arrays keep this edge's value; set only when wants_index
  bool wants_index = false;
};

/// Takes batches; called once per full batch and once for the rest.
class EdgeSink {
 public:
  virtual void take(const EdgeBatch&) = 0;

 protected:
  ~EdgeSink() = default;
};

/// Parameters of a rule as the user gave them. A rule reads what it knows; unknown names were refused before.
struct RuleParams {
  double p = -1.0;      ///< pairwise_bernoulli
  std::int64_t n = -1;  ///< indegree, outdegree or total number
  bool allow_autapses = true, allow_multapses = true;
  std::vector<std::int64_t> sources, targets;  ///< explicit: positions in pre and post
  bool own_targets = false;                    ///< explicit: every rank gives the edges that end on its own nodes, and no others
  std::shared_ptr<const EdgeList> list;        ///< explicit: in place of sources and targets
  double edges_of_all_ranks = -1.0;            ///< their number, with own_targets; set by the network

  std::size_t n_listed() const { return list ? list->size() : targets.size(); }
  /// Targets that have edges; of sources and targets as often as they are there.
  const std::vector<std::int64_t>& listed_targets() const { return list ? list->target : targets; }
};

/// What a rule works on.
struct RuleContext {
  NodeSet pre, post;
  rng::Key key;  ///< of this projection
  RuleParams params;
};

class Rule {
 public:
  virtual ~Rule() = default;
  /// Mean number of edges, exact where the rule fixes it.
  virtual double expected_edges() const = 0;
  /// Length that arrays of weights or delays must have (row-major order as documented per rule), or -1 when arrays make no sense; the
  /// largest int64 stands for anything longer.
  virtual std::int64_t array_length() const = 0;
  /// How the edges spread over the sources, for the memory model; sizes and edges are filled in by who asks.
  virtual Spread spread() const { return {}; }
  /// Sends all edges that end on post position `target` to `sink`, in a fixed order; batch is scratch of the caller.
  virtual void edges(std::int64_t target, EdgeBatch& batch, EdgeSink& sink) const = 0;
};

struct RuleInfo {
  std::string name, doc;
  std::vector<std::string> parameters;  ///< names read from RuleParams: "p", "indegree", ...
  /// Checks the parameters (throws BadParameter, before anything else) and makes the rule.
  std::unique_ptr<Rule> (*make)(const RuleContext&);
};

const std::vector<const RuleInfo*>& rules();
/// Throws UnknownName with the nearest names.
const RuleInfo& find_rule(const std::string& name);

}  // namespace npl::connect

/// Registers a rule; `id` must be the file's name without .cpp.
#define NPL_RULE(id, Type, documentation, ...)                                                                                       \
  namespace npl::connect {                                                                                                           \
  const RuleInfo& rule_##id() {                                                                                                      \
    static const RuleInfo info{                                                                                                      \
        #id, documentation, {__VA_ARGS__}, [](const RuleContext& c) -> std::unique_ptr<Rule> { return std::make_unique<Type>(c); }}; \
    return info;                                                                                                                     \
  }                                                                                                                                  \
  }
