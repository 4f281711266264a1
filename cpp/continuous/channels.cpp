// SPDX-License-Identifier: Apache-2.0
#include "continuous/channels.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/undo.hpp"
#include "checkpoint/archive.hpp"

namespace npl::continuous {
namespace {

const nodes::Sent* sent_of(const nodes::ModelInfo& model, const Kind& kind) {
  if (!model.continuous) return nullptr;
  for (const nodes::Sent& s : model.continuous->sends)
    if (s.what == kind.what) return &s;
  return nullptr;
}

/// The same on all ranks, whatever nodes they have.
bool is_smooth(const Kind& kind) {
  return std::ranges::any_of(nodes::models(), [&](const nodes::ModelInfo* model) {
    const nodes::Sent* sent = sent_of(*model, kind);
    return sent && !sent->slopes.empty();
  });
}

/// Tables of this kind in a slice.
std::vector<const tables::EdgeTable*> tables_of(const SliceView& slice, const Kind& kind) {
  std::vector<const tables::EdgeTable*> found;
  for (const tables::EdgeTable* t : slice.tables) {
    const synapses::Continuous& c = *t->spec->synapse->continuous;
    if (c.what == kind.what && c.delayed == kind.delayed) found.push_back(t);
  }
  return found;
}

/// Ascending, each once.
template <class T>
void tidy(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

/// Index of each gid of a list.
class Places {
 public:
  explicit Places(const std::vector<Gid>& gids) {
    for (std::uint32_t k = 0; k < gids.size(); ++k) at_.emplace_back(gids[k], k);
    std::sort(at_.begin(), at_.end());
  }
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t operator()(Gid gid) const {
    const auto found = std::lower_bound(at_.begin(), at_.end(), std::pair(gid, std::uint32_t{0}));
    return found != at_.end() && found->first == gid ? found->second : none;
  }

 private:
  std::vector<std::pair<Gid, std::uint32_t>> at_;
};

}  // namespace

void Channels::build(const std::vector<Kind>& kinds, const Views& slices, const Surroundings& nodes, const Times& times,
                     const Waveform& waveform) {
  auto old = std::exchange(channels_, {});
  Undo undo;  // of what the next build goes on from
  undo.note([&] { channels_ = std::move(old), parts_.clear(); });
  value_of_ = nodes.value_of, lead_ = times.lead;
  iterates_ = false, most_iterations_ = waveform.most_iterations;
  parts_.clear();
  for (const SliceView& s : slices) {
    parts_.push_back(std::make_unique<SlicePart>());
    parts_.back()->intakes_.resize(s.groups->size());
    parts_.back()->senders_.resize(s.groups->size());
    parts_.back()->iterates_.resize(s.groups->size());
    parts_.back()->tolerance_ = waveform.tolerance;
  }
  std::vector<MailList> lists, wave_lists;
  for (const Kind& kind : kinds) {
    channels_.push_back(std::make_unique<Channel>(Channel{kind}));
    Channel& c = *channels_.back();
    c.smooth = is_smooth(kind);
    c.flow.delayed = kind.delayed, c.flow.waves = !kind.delayed && waveform.used, c.flow.order = waveform.order;
    c.flow.since = since_.try_emplace(kind, times.now).first->second;
    iterates_ = iterates_ || c.flow.waves;
    add_senders(c, slices);
    lists.push_back(add_sources(c, slices, nodes));
    const std::size_t sources = c.gids.size();
    c.flow.devices = sources - c.devices;
    c.flow.course = Course(times.longest + 1, sources);
    if (c.flow.waves) {
      c.flow.guess = Course(times.part, 3 * sources), c.flow.next = Course(times.part, 3 * sources);
      for (std::uint32_t k = 0; k < 3; ++k)
        wave_lists.push_back(lists.back().shifted(c.flow.next, k * static_cast<std::uint32_t>(sources)));
    }
    add_inflows(c, slices, waveform);
    const auto before = std::find_if(old.begin(), old.end(), [&](const auto& o) { return o->kind == kind; });
    const Channel none{kind};
    bring_back(c, before == old.end() ? none : **before, times.now);
    if (c.flow.waves) begin_course(c, slices, before == old.end() ? none : **before, times.now);
    compute_devices(c, std::max<Step>(0, times.now - times.longest), times.now);
  }
  if (talks() && !kinds.empty()) {
    mail_.set(lists), wave_mail_.set(wave_lists);
    mail_.exchange(times.now - times.longest, times.now);
  }
  for (const Kind& kind : kinds) past_.erase(kind);
  undo.forget();
}

/// All nodes that can send, connected or not: so what a new connection brings first depends on the network alone.
void Channels::add_senders(Channel& c, const Views& slices) {
  for (std::size_t s = 0; s < slices.size(); ++s)
    for (std::size_t g = 0; g < slices[s].groups->size(); ++g) {
      const nodes::Group& group = *(*slices[s].groups)[g];
      const nodes::Sent* sent = sent_of(group.model(), c.kind);
      if (!sent) continue;
      std::vector<std::size_t> course{sent->slopes.empty() ? sent->of_step : sent->after_step};
      course.insert(course.end(), sent->slopes.begin(), sent->slopes.end());
      parts_[s]->senders_[g].push_back({&c.flow, c.kind.delayed ? sent->of_step : sent->after_step, c.gids.size(), std::move(course)});
      if (c.flow.waves) parts_[s]->iterates_[g] = 1;
      if (c.flow.waves && !sent->slopes.empty())  // a group computes slopes only in steps for which it has input columns
        parts_[s]->intakes_[g].slots = group.model().continuous->slots();
      for (std::size_t k = 0; k < group.size(); ++k) c.gids.push_back(group.nodes()[static_cast<std::int64_t>(k)]);
    }
  c.own = c.gids.size();
}

/// Columns for sources that are not of this rank. Collective.
MailList Channels::add_sources(Channel& c, const Views& slices, const Surroundings& nodes) {
  std::vector<std::pair<int, Gid>> others;
  std::vector<Gid> devices;
  for (const SliceView& s : slices)
    for (const tables::EdgeTable* t : tables_of(s, c.kind))
      t->sources.for_each([&](std::uint32_t, Gid gid) {
        if (nodes.is_device(gid)) return devices.push_back(gid);
        if (const int rank = nodes.rank_of(gid); rank != comm_.rank()) others.emplace_back(rank, gid);
      });
  tidy(others), tidy(devices);
  MailList list{&c.flow.course, {}, {}};
  std::vector<Asked> wanted;
  for (const auto& [rank, gid] : others) {
    if (wanted.empty() || wanted.back().rank != rank) {
      wanted.push_back({rank, {}});
      list.received.push_back({rank, static_cast<std::uint32_t>(c.gids.size()), 0});
    }
    wanted.back().records.push_back(gid), ++list.received.back().n;
    c.gids.push_back(gid);
  }
  c.devices = devices.size();
  c.gids.insert(c.gids.end(), devices.begin(), devices.end());
  if (!talks()) return list;
  const Places own({c.gids.begin(), c.gids.begin() + static_cast<std::ptrdiff_t>(c.own)});
  for (const Asked& a : mail_.ask(wanted)) {
    list.sent.push_back({a.rank, {}});
    for (const Gid gid : a.records) list.sent.back().columns.push_back(own(gid));
  }
  return list;
}

void Channels::add_inflows(Channel& c, const Views& slices, const Waveform& waveform) {
  static_cast<void>(waveform);
  const Places places(c.gids);
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const auto tables = tables_of(slices[s], c.kind);
    if (tables.empty()) continue;
    std::vector<Stretch> groups;
    for (const auto& g : *slices[s].groups) groups.push_back({g->first_local(), g->size()});
    std::vector<Plan> plans = make_plans(tables, groups, places);
    for (std::size_t g = 0; g < plans.size(); ++g) {
      if (plans[g].empty()) continue;
      const nodes::ContinuousInfo& info = *(*slices[s].groups)[g]->model().continuous;
      SlicePart::Intake& intake = parts_[s]->intakes_[g];
      intake.slots = info.slots();
      std::size_t first = 0, k = 0;
      for (; info.takes[k].what != c.kind.what; ++k) first += static_cast<std::size_t>(info.takes[k].slots());
      const nodes::Taken& taken = info.takes[k];
      std::vector<std::size_t> slots;
      if (taken.interpolated) slots.push_back(first);
      for (int r = 0; !taken.interpolated && r < 2 * taken.receptors; ++r)
        slots.push_back(first + static_cast<std::size_t>(taken.by_sign ? r : r / 2));
      intake.inflows.push_back({&c.flow, std::move(plans[g]), taken.gain, std::move(slots), {}});
      SlicePart::Inflow& made = intake.inflows.back();
      if (taken.interpolated) {
        made.weights.resize(groups[g].n);
        made.plan.add_all(std::vector<double>(c.gids.size(), 1.0).data(), made.weights.data());
      }
    }
  }
}

Step Channels::first_row(const Channel& c) { return c.flow.waves ? -1 : 0; }

/// What own nodes sent before.
void Channels::bring_back(Channel& c, const Channel& old, Step now) const {
  const Places places({old.gids.begin(), old.gids.begin() + static_cast<std::ptrdiff_t>(old.own)});
  const auto past = past_.find(c.kind);
  const Step known = old.own ? std::min(old.flow.course.steps(), c.flow.course.steps()) : 0;
  for (std::uint32_t k = 0; k < c.own; ++k) {
    if (const std::uint32_t before = places(c.gids[k]); before != Places::none)
      for (Step step = std::max(first_row(c), now - known); step < now; ++step)
        c.flow.course.row(step)[k] = old.flow.course.row(step)[before];
    if (past == past_.end()) continue;
    const auto values = past->second.find(c.gids[k]);
    if (values == past->second.end()) continue;
    const auto n = static_cast<Step>(values->second.size());
    for (Step step = std::max({first_row(c), now - c.flow.course.steps(), now - n}); step < now; ++step)
      c.flow.course.row(step)[k] = values->second[static_cast<std::size_t>(step - now + n)];
  }
}

/// Where parts are repeated, the first guess of the first one is the state of now.
void Channels::begin_course(Channel& c, const Views& slices, const Channel& old, Step now) const {
  const Places places({old.gids.begin(), old.gids.begin() + static_cast<std::ptrdiff_t>(old.own)});
  const auto past = past_.find(c.kind);
  for (std::size_t s = 0; s < slices.size(); ++s)
    for (std::size_t g = 0; g < slices[s].groups->size(); ++g)
      for (const SlicePart::Sender& sender : parts_[s]->senders_[g]) {
        if (sender.flow != &c.flow) continue;
        const auto values = std::as_const(*(*slices[s].groups)[g]).state(sender.state);
        for (std::size_t k = 0; k < values.size(); ++k) {
          const Gid gid = c.gids[sender.column + k];
          const bool sent = places(gid) != Places::none || (past != past_.end() && past->second.contains(gid));
          if (!sent || now == c.flow.since) c.flow.course.row(now - 1)[sender.column + k] = values[k];
        }
      }
}

void Channels::compute_devices(Channel& c, Step from, Step until) const {
  const std::size_t first = c.gids.size() - c.devices;
  for (Step step = from; step < until && c.devices; ++step)
    for (std::size_t k = first; k < c.gids.size(); ++k) c.flow.course.row(step - lead_)[k] = value_of_(c.gids[k], step);
}

void Channels::begin(Step from, Step until) {
  for (auto& c : channels_) {
    compute_devices(*c, from, until);
    if (!c->flow.waves) continue;
    for (Step step = from; step < until; ++step) guess(*c, from, step);
  }
  iteration_ = 0, settled_ = true;
  for (auto& p : parts_) p->begin(from);
}

/// The first guess: values go on as in the last step, for a few steps; those that are constant within a step stay as they are.
void Channels::guess(Channel& c, Step from, Step step) {
  constexpr Step reach = 4;
  const std::size_t sources = c.gids.size();
  const double *now = c.flow.course.row(from - 1), *before = c.flow.course.row(from - 2);
  double* row = c.flow.guess.row(step);
  const bool goes_on = c.smooth && from > c.flow.since;
  const double steps = static_cast<double>(std::min(step - from + 1, reach));
  for (std::size_t k = 0; k < sources; ++k) row[k] = goes_on ? now[k] + steps * (now[k] - before[k]) : now[k];
  for (std::size_t k = 0; k < sources; ++k)
    row[sources + k] = row[2 * sources + k] = goes_on && step - from < reach ? now[k] - before[k] : 0.0;
}

void Channels::exchange(Step from, Step until) {
  if (talks()) mail_.exchange(from, until);
}

void Channels::share(Step from, Step until) {
  std::int64_t unsettled = 0;
  for (const auto& p : parts_) unsettled |= !p->settled();
  if (talks()) {
    wave_mail_.exchange(from, until);
    comm_.allreduce(std::span<std::int64_t>(&unsettled, 1), comm::Op::max);
  }
  settled_ = unsettled == 0;
}

bool Channels::end_iteration() {
  if (!talks()) share(0, 0);
  for (auto& c : channels_)
    if (c->flow.waves) std::swap(c->flow.guess, c->flow.next);
  for (auto& p : parts_) p->settled_ = true;
  ++iterations_;
  return ++iteration_ >= most_iterations_ || settled_;
}

namespace {

/// What own nodes sent in the last steps by one channel.
struct KeptCourses {
  std::int64_t steps = 0, since = 0;
  std::vector<Gid> gids;
  std::vector<double> values;  ///< [gids][steps]

  void visit(checkpoint::Archive& a) {
    const std::uint64_t n = a.loading() ? a.left<Gid>("gid") : gids.size();
    a("steps", steps), a("steps", since), a.values("gid", gids, n);
    if (steps < 0 || steps > INT32_MAX) throw BadCheckpoint("values of continuous connections do not fit");
    a.values("value", values, n * static_cast<std::uint64_t>(steps));
  }
};

std::string path_of(const Kind& kind) { return "continuous/" + kind.what + (kind.delayed ? "/delayed" : "/at_once"); }

}  // namespace

void Channels::save(checkpoint::Columns& to, Step now) const {
  checkpoint::Archive a(to);
  for (const auto& c : channels_) {
    const Step first = std::max(first_row(*c), now - c->flow.course.steps());
    KeptCourses kept{now - first, c->flow.since, {c->gids.begin(), c->gids.begin() + static_cast<std::ptrdiff_t>(c->own)}, {}};
    for (std::size_t k = 0; k < c->own; ++k)
      for (Step step = first; step < now; ++step) kept.values.push_back(c->flow.course.row(step)[k]);
    a.in(path_of(c->kind).c_str(), [&] { kept.visit(a); });
  }
  a.finish();
}

void Channels::load(const std::vector<Kind>& kinds, const checkpoint::Shard& from, const std::function<bool(Gid)>& mine) {
  checkpoint::Archive a(from);
  for (const Kind& kind : kinds)
    a.in(path_of(kind).c_str(), [&] {
      if (!a.has<std::int64_t>("steps") && !a.has<Gid>("gid")) return;
      KeptCourses kept;
      kept.visit(a);
      if (a.left<double>("value") > 0) throw BadCheckpoint("values of continuous connections do not fit");
      since_[kind] = kept.since;
      for (std::size_t k = 0; k < kept.gids.size(); ++k)
        if (const auto own = kept.values.begin() + static_cast<std::ptrdiff_t>(k) * kept.steps; mine(kept.gids[k]))
          past_[kind][kept.gids[k]] = {own, own + kept.steps};
    });
}

std::size_t Channels::bytes() const {
  std::size_t total = mail_.bytes();
  for (const auto& c : channels_) total += c->flow.course.bytes() + c->gids.capacity() * sizeof(Gid);
  for (const auto& p : parts_) total += p->bytes();
  return total;
}

}  // namespace npl::continuous
