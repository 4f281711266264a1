// SPDX-License-Identifier: Apache-2.0
#include "synapses/eprop.hpp"

#include "synapses/eligibility_steps.hpp"

namespace npl::synapses {
namespace {

bool learns_alike(const Learner& a, const Learner& b) {
  return a.first == b.first && a.interval == b.interval && a.lag == b.lag && a.hold == b.hold && a.window == b.window &&
         a.cutoff == b.cutoff;
}

/// Weights of lanes after an update.
template <bool Adam>
struct OptimizerStep {
  template <Isa level>
  NPL_INLINE static void run(EligibilityLanes* lanes, const Optimizer* optimizer, const Optimizer::Update* update) {
    using Vector = typename VectorOf<register_bytes(level)>::type;
    EligibilityLanes& l = *lanes;
    for (std::size_t k = 0; k < l.n; k += sizeof(Vector) / sizeof(double)) {
      auto w = load<Vector>(&l.w[k]), g = load<Vector>(&l.g[k]), sum = load<Vector>(&l.sum[k]);
      auto m = load<Vector>(&l.m[k]), v = load<Vector>(&l.v[k]);
      optimizer->apply<Adam>(*update, w, g, sum, m, v);
      store(&l.w[k], w), store(&l.g[k], g), store(&l.sum[k], sum);
      if constexpr (Adam) store(&l.m[k], m), store(&l.v[k], v);
    }
  }
};

}  // namespace

/// Constants of a lane.
void Eprop::fill(EligibilityLanes& l, std::size_t k, const Learner& of) const {
  const double kappa = of.filtered != 0.0 ? (rule_.by_interval ? rule_.kappa : of.kappa) : 0.0;
  l.decay[k] = of.decay, l.rho[k] = of.rho, l.beta[k] = of.beta, l.gain[k] = of.gain;
  l.kappa[k] = kappa, l.share[k] = rule_.by_interval ? 1.0 - kappa : 1.0;
  l.kappa_reg[k] = of.kappa_reg, l.c_reg[k] = of.c_reg, l.f_target[k] = of.f_target;
  l.adapts |= of.adapts();
}

/// What a chunk that begins with a synapse has to know of its targets.
void Eprop::meet(Chunk& c, const Due& due, std::uint32_t begin) {
  const Local target = due.target[begin];
  const TargetHistory& h = due.run.histories->of(target);
  const auto steps = [](double x) { return static_cast<Step>(x); };
  const Learner& one = learner_of(h, target - h.first());
  c.history = &h, c.begin = begin, c.one = &one;
  const Step arrival = due.part.stamp + due.part.delay;
  c.known = due.run.brought ? std::min<Step>(arrival, h.now()) : arrival;
  c.first = steps(one.first), c.interval = steps(one.interval), c.lag = steps(one.lag), c.hold = steps(one.hold), c.window = one.window;
  c.loses = one.filtered != 0.0 && c.interval > 0, c.cutoff = steps(one.cutoff);
}

/// Longest delay of synapses that may wait: what they have to learn from reaches back two strides, a delay and the hold of a target at most
/// (Pathway::catch_up), and further spikes of the source may be on their way.
constexpr Step longest_of_waiting = (SpikeSteps::steps - 2 * learning_stride) / 2 - LastSpikes::steps;

LastSpikes Eprop::spikes_before(const Due& due) const {
  const Step delay = due.part.delay;
  const bool all = rule_.by_interval && delay <= longest_of_waiting;
  return {due.part.before.last + delay, static_cast<std::uint64_t>(due.part.before.value[0]),
          all ? SpikeSteps(due.row_values + 1, due.row_last + delay) : SpikeSteps()};
}

/// Whether synapses may leave it to a later spike to learn: weights do not change within an interval, and arrivals stay known.
bool Eprop::may_wait(const Chunk& c, Step arrival) {
  const Step before = c.spikes.last;
  return c.interval > 0 && c.spikes.of_row && c.spikes.single() && arrival > before &&
         before / learning_stride == arrival / learning_stride && c.ended(before) == c.ended(arrival);
}

/// Synapses from the first of a chunk on whose targets say alike when they learn.
std::uint32_t Eprop::n_alike(const Chunk& c, const Due& due) {
  const TargetHistory& h = *c.history;
  std::uint32_t end = c.begin + 1;
  for (; end < due.part.n && h.has(due.target[end]); ++end)
    if (!h.are_alike() && !learns_alike(learner_of(h, due.target[end] - h.first()), *c.one)) break;
  return end - c.begin;
}

/// As many synapses from the first on as learn together.
void Eprop::gather(const Due& due, Chunk& c) const {
  const TargetHistory& h = *c.history;
  const Learner& one = *c.one;
  const std::uint32_t begin = c.begin;
  const std::size_t wide = width();
  const double* values = due.values + begin * wide;
  const auto steps = [](double x) { return static_cast<Step>(x); };
  const int kept = rule_.optimizer.values();
  c.through = steps(values[through]), c.closed = steps(values[closed]);
  EligibilityLanes& l = c.lanes;
  l.gaps = 0;
  const bool alike = h.are_alike();
  if (!alike || c.filled != &h) {
    l.adapts = false;
    for (std::size_t k = 0; k < (alike ? EligibilityLanes::capacity : 0); ++k) fill(l, k, one);
    c.filled = alike ? &h : nullptr;
  }
  const StoredWeights weight = due.part.weight.from(begin);
  for (l.n = 0; l.n < EligibilityLanes::capacity && begin + l.n < due.part.n; ++l.n, values += wide) {
    const std::size_t k = l.n;
    const Local target = due.target[begin + k];
    if (!h.has(target) || steps(values[through]) != c.through || steps(values[closed]) != c.closed) break;
    if (!alike) {
      const Learner& of = learner_of(h, target - h.first());
      if (!learns_alike(of, one)) break;
      fill(l, k, of);
    }
    l.at[k] = static_cast<std::uint32_t>(target - h.first());
    l.gaps |= std::uint64_t{k > 0 && l.at[k] != l.at[k - 1] + 1} << k;
    if (kept > 0) l.sum[k] = values[n_eligibility];
    if (kept > 1) l.m[k] = values[n_eligibility + 1], l.v[k] = values[n_eligibility + 2];
    l.z[k] = values[trace], l.a[k] = values[adapted], l.e[k] = values[filtered], l.r[k] = values[rate], l.g[k] = values[gradient];
    l.w[k] = ahead(weight[static_cast<std::uint32_t>(k)], values);
  }
  l.pad();
}

EligibilitySteps Eprop::steps_of(const Chunk& c, Step first, Step until) {
  const TargetHistory& h = *c.history;
  return {h.walk(first), h.walk(first + c.lag), h.size(), first, until, until, 0, c.spikes, nullptr, nullptr};
}

/// Goes through the steps up to `until`, which is at most the end of the interval.
void Eprop::learn(Chunk& c, Step until) const {
  EligibilityLanes& l = c.lanes;
  Step t = std::max(c.through, c.first - 1);
  if (until <= t) return;
  if (l.silent() && !c.spikes.any_after(t)) t = until;
  if (t < until) {
    EligibilitySteps steps = steps_of(c, t + 1, until);
    steps.known = c.known - c.lag, steps.deaf = c.end_of(c.closed) + 1;
    steps.blocks = &c.history->digest<EligibilityBlocks>(rule_.kappa);
    eligibility_steps<false, Updates::none>(l, steps);
  }
  c.through = until;
  if (until == c.end_of(c.closed + 1)) complete(c);
}

/// At the end of an interval the gradient is complete but for the optimizer.
void Eprop::complete(Chunk& c) {
  EligibilityLanes& l = c.lanes;
  if (l.silent()) return;
  const double* spikes = c.history->levels_at(c.through) + activity * c.history->size();
  for (std::size_t k = 0; k < l.n; ++k) {
    const double mean = spikes[l.at[k]] / static_cast<double>(c.interval);
    l.g[k] = l.gain[k] * (l.g[k] + l.c_reg[k] * (mean - l.f_target[k]) * l.r[k]);
    l.z[k] = l.a[k] = l.e[k] = l.r[k] = 0.0;
  }
}

/// The weight to go on from. Between spikes a synapse shows the weight of the last one.
double Eprop::ahead(double weight, const double* values) const {
  if (!rule_.each_step) return weight;
  const double learned = values[width() - 2], of = values[width() - 1];
  if (weight == of) return learned;
  return learned == of ? weight : rule_.optimizer.bounded(weight + (learned - of));  // it has been set since
}

/// The weights change by the gradients, as update number `nth`; then there are none.
void Eprop::apply(EligibilityLanes& l, Step nth, double eta) const {
  const Optimizer& o = rule_.optimizer;
  const Optimizer::Update update = o.update(nth, eta);
  o.adam != 0.0 ? Dispatch<OptimizerStep<true>>::run(&l, &o, &update) : Dispatch<OptimizerStep<false>>::run(&l, &o, &update);
}

/// Updates of all intervals up to this one.
void Eprop::close(Chunk& c, Step until) const {
  for (; c.closed < until; c.through = std::max(c.through, c.end_of(++c.closed))) {
    learn(c, c.end_of(c.closed + 1));
    if (rule_.averages)
      for (std::size_t k = 0; k < c.lanes.n; ++k) c.lanes.g[k] /= c.window;
    apply(c.lanes, c.closed + 1, c.end_of(c.closed) < rule_.eta_since ? rule_.eta_before : rule_.optimizer.eta);
  }
}

/// Without intervals: goes through the steps up to `until`, in which there may be updates.
void Eprop::learn_on(Chunk& c, Step until) const {
  const Step end = std::min(until, c.spikes.last - c.hold + c.cutoff);
  if (end <= c.through) return;
  EligibilitySteps steps = steps_of(c, c.through + 1, end);
  steps.optimizer = &rule_.optimizer;
  if (!rule_.each_step)
    eligibility_steps<true, Updates::none>(c.lanes, steps);
  else if (rule_.optimizer.adam == 0.0)
    eligibility_steps<true, Updates::descent>(c.lanes, steps);
  else
    eligibility_steps<true, Updates::adam>(c.lanes, steps);
  c.through = end;
}

/// Without intervals: the update by a spike. Beyond the cutoff traces decay.
void Eprop::update(Chunk& c, Step until) const {
  EligibilityLanes& l = c.lanes;
  learn_on(c, until);
  if (const auto left = static_cast<double>(until - c.through); left > 0.0)
    for (std::size_t k = 0; k < l.n; ++k) {
      l.z[k] *= math::pow(l.decay[k], left), l.e[k] *= math::pow(l.kappa[k], left);
      l.a[k] *= math::pow(l.rho[k], left), l.r[k] *= math::pow(l.kappa_reg[k], left);
    }
  c.through = until;
  if (rule_.each_step) return;
  while (c.closed < until) {
    apply(l, ++c.closed, rule_.optimizer.eta);
    if (rule_.optimizer.values() == 0) c.closed = until;
  }
}

void Eprop::store(const Chunk& c, const Due& due, bool spikes) const {
  const EligibilityLanes& l = c.lanes;
  const std::size_t wide = width();
  const int kept = rule_.optimizer.values();
  const StoredWeights weight = due.part.weight.from(c.begin);
  double* values = due.values + c.begin * wide;
  for (std::uint32_t k = 0; k < l.n; ++k, values += wide) {
    if (spikes) weight.set(k, l.w[k]);
    if (rule_.each_step) values[wide - 1] = weight[k], values[wide - 2] = spikes ? values[wide - 1] : l.w[k];
    values[through] = static_cast<double>(c.through), values[closed] = static_cast<double>(c.closed);
    values[trace] = l.z[k], values[adapted] = l.a[k], values[filtered] = l.e[k], values[rate] = l.r[k], values[gradient] = l.g[k];
    if (kept > 0) values[n_eligibility] = l.sum[k];
    if (kept > 1) values[n_eligibility + 1] = l.m[k], values[n_eligibility + 2] = l.v[k];
  }
}

void Eprop::send(const Chunk& c, const Due& due, std::uint32_t n, bool lost) {
  double largest = *due.run.largest;
  for (std::uint32_t k = c.begin; k < c.begin + n; ++k) {
    const double w = due.part.weight[k];
    due.sent[k] = lost ? nothing_sent : w;
    largest = std::max(largest, std::fabs(w));
  }
  *due.run.largest = largest;
}

/// Brings the synapses of a chunk up to date, c.lanes.n of them.
void Eprop::learn_now(Chunk& c, const Due& due, bool spikes, bool lost) const {
  gather(due, c);
  if (const std::uint32_t next = c.begin + static_cast<std::uint32_t>(c.lanes.n); next < due.part.n)
    prefetch_lines(due.values + next * width(),
                   std::min<std::size_t>(due.part.n - next, EligibilityLanes::capacity) * width() * sizeof(double));
  const Step until = c.known - c.hold;
  if (c.interval > 0) {
    if (spikes && !lost) close(c, c.ended(c.known));
    if (due.run.settles) close(c, c.ended(c.known - c.hold));  // spikes whose learning signals are all known
    const Step end = c.end_of(c.closed + 1);
    learn(c, std::min(until, end));
    if (c.through >= end && c.spikes.last <= end + 1) c.through = std::max(c.through, until);  // there is nothing to learn from after it
  } else if (due.part.before.last == 0) {
    c.through = std::max(c.through, until);
  } else {
    spikes ? update(c, until) : learn_on(c, until);
  }
  store(c, due, spikes || (due.run.settles && c.interval > 0));
}

void Eprop::process_part(const Due& due, bool spikes) const {
  const Step arrival = due.part.stamp + due.part.delay;  // of the spike; if there is none, now
  Chunk c;
  c.spikes = spikes_before(due);
  for (std::uint32_t begin = 0, n = 0; begin < due.part.n; begin += n) {
    meet(c, due, begin);
    const bool lost = spikes && c.loses && arrival >= c.first && (arrival - c.first) % c.interval == 0;
    if (spikes && may_wait(c, c.known)) {
      n = n_alike(c, due);
    } else {
      learn_now(c, due, spikes, lost);
      n = static_cast<std::uint32_t>(c.lanes.n);
    }
    if (spikes) send(c, due, n, lost);
  }
}

void Eprop::process_parts(const RunAt<Step>& run, bool spikes) const {
  double* sent = run.sent;
  for (const PartAt<Step>& p : run.parts) {
    const double* row = run.row_values + std::size_t{p.row} * static_cast<std::size_t>(row_values());
    process_part({run, p, run.target + p.first, run.values + p.first * width(), sent, row, run.row_last[p.row]}, spikes);
    sent += p.n;
  }
}

/// Whether all spikes since a synapse learned last are known: `counts` tells of the last steps before a spike that may be on its way.
bool Eprop::settles(Step arrived, Step now, Step delay) const {
  return (rule_.by_interval && delay <= longest_of_waiting) || arrived <= now;
}

}  // namespace npl::synapses
