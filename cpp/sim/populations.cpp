// SPDX-License-Identifier: Apache-2.0
/// Look-up of nodes, and their assignment to slices.
#include "sim/populations.hpp"

#include <iterator>

#include "sim/fingerprint.hpp"

namespace npl::sim {

Populations::Populations(Context& context) : Part(context) { deal(slices_of_work({})); }

const Population& Populations::of(Gid gid, const char* parameter) const {
  if (gid < 1 || gid > n_nodes())
    throw BadParameter(parameter, static_cast<double>(gid), "the gid of an existing node, 1 to " + std::to_string(n_nodes()));
  return **place_of(gid);
}

/// The population of an existing node.
std::vector<std::unique_ptr<Population>>::const_iterator Populations::place_of(Gid gid) const {
  return std::upper_bound(populations_.begin(), populations_.end(), gid, [](Gid g, const auto& p) { return g < p->first; }) - 1;
}

Population& Populations::of(Gid gid, const char* parameter) { return const_cast<Population&>(std::as_const(*this).of(gid, parameter)); }

std::string Populations::model_of(Gid gid) const {
  const Population& p = of(gid, "gid");
  return p.model ? p.model->name : p.devices->info().name;
}

int Populations::rank_of(Gid gid) const {
  const Population& p = of(gid, "gid");
  return distribution_->rank_of(gid, p.first, p.n, ranks());
}

Gid Populations::mirrored(Gid gid, int rank) const {
  const int on = rank_of(gid);
  if (on != rank && on != this->rank()) return gid;
  const Population& p = of(gid, "gid");
  const auto members = [&](int r) { return distribution_->members(p.first, p.n, {r, ranks(), 0, 1}); };
  const Members image = members(on == rank ? this->rank() : rank);
  return image.size() ? image[members(on).find(gid) % image.size()] : gid;
}

namespace {

/// Slice of a node of a population, and index of the node among the members of the population there.
std::pair<Slice*, std::size_t> find_node(const Slices& slices, Gid gid, const Population& p) {
  for (const auto& s : slices)
    if (const std::int64_t k = s->nodes().blocks()[p.block].members.find(gid); k >= 0) return {s.get(), static_cast<std::size_t>(k)};
  return {};
}

}  // namespace

Populations::Seat Populations::seat_of(Gid gid, const Population& p) const {
  const auto [slice, at] = find_node(slices_, gid, p);
  if (!slice) return {};
  const Share share = share_of(*slice, p);
  return {share.group, share.begin + at, slice};
}

Populations::Share Populations::share_of(Slice& slice, const Population& p) {
  const Residents::Block& block = slice.nodes().blocks()[p.block];
  nodes::Group& group = *slice.groups()[p.group];
  return {&group, block.first_local - group.first_local(), static_cast<std::size_t>(block.members.size())};
}

Members Populations::members_of(const Population& p, SliceId slice, SliceId slices) const {
  return settings_.counting ? Members() : distribution_->members(p.first, p.n, {rank(), ranks(), slice, slices, p.before});
}

Members Populations::share_in(const Population& p, SliceId slice) const {
  const SliceId open = opened_.back();
  return slice < open ? Members() : members_of(p, slice - open, n_slices() - open);
}

/// Assigns all nodes to n new slices.
void Populations::deal(SliceId n) {
  Slices old;
  Undo undo;
  undo.note([&] { slices_.swap(old); });
  slices_.swap(old);
  for (SliceId s = 0; s < n; ++s)
    slices_.push_back(std::make_unique<Slice>(s, settings_.resolution, settings_.seed, settings_.sources_on_grid));
  for (const auto& p : populations_)
    fill_slices(p->n, [&](Slice& s) {
      s.add_population(p->first, members_of(*p, s.id(), n), p->model);
      if (!p->model) return;
      nodes::Group& to = *s.groups()[p->group];
      for (std::size_t i = 0; i < to.size(); ++i) {
        const auto [from, j] = find_node(old, to.nodes()[static_cast<std::int64_t>(i)], *p);
        to.copy(i, *from->groups()[p->group], j);
      }
      to.join_columns();
    });
  undo.forget();
}

SliceId Populations::slices_of_work(const Work& work) const {
  return settings_.may_have_few_slices() ? static_cast<SliceId>(enough_slices(work, slices_at_most())) : slices_at_most();
}

SliceId Populations::slices_for(const Work& input) const {
  const double nodes = populations_.empty() ? 0.0 : populations_.back()->work;
  const Work all{nodes + input.shared / ranks(), input.repeated, input.interval};
  return prepared_ ? n_slices() : std::max(n_slices(), slices_of_work(all));
}

void Populations::deal_for(const Work& input) {
  if (const SliceId n = slices_for(input); n > n_slices()) deal(n);
}

/// Makes more slices for more work, and if there would be too many nodes per slice.
void Populations::make_room(Population& p) {
  if (settings_.counting) return;
  constexpr std::int64_t most = max_slice_nodes;
  const std::int64_t limit = settings_.block_size > 0 ? std::min<std::int64_t>(settings_.block_size, most) : most;
  for (std::size_t s = opened_.back(); s < slices_.size(); ++s) p.before += slices_[s]->nodes().size();
  const std::int64_t nodes = members_of(p, 0, 1).size();
  const double added = work_of(p.model, static_cast<double>(nodes));
  p.work = added + (populations_.empty() ? 0.0 : populations_.back()->work);
  if (prepared_) return make_room_later(p, added, nodes, limit);
  SliceId slices = std::max(n_slices(), slices_of_work({p.work}));
  while (p.before + nodes > limit * slices) slices *= 2;
  if (slices > n_slices()) deal(slices);
}

/// After the first build nodes stay where they are: new slices take the new population, if those of today have too many nodes or half as
/// many would do.
void Populations::make_room_later(Population& p, double added, std::int64_t nodes, std::int64_t most) {
  const SliceId open = n_slices() - opened_.back();
  SliceId slices = slices_of_work({p.work});
  if (p.before + nodes <= most * open && slices < 2 * open) return;
  p.before = 0, p.work = added;
  while (nodes > most * slices) slices *= 2;
  open_slices(slices);
}

Candidate Populations::candidate(const Population& p) const {
  return {p.model, static_cast<double>(p.n) / ranks() / (n_slices() - opened_.back()), p.uniform, p.varied};
}

/// Adds slices, which take new nodes from now on.
void Populations::open_slices(SliceId n) {
  Slices fresh;
  for (SliceId s = 0; s < n; ++s) {
    fresh.push_back(std::make_unique<Slice>(n_slices() + s, settings_.resolution, settings_.seed, settings_.sources_on_grid));
    fresh.back()->resemble(*slices_[0]);
  }
  slices_.reserve(slices_.size() + n);
  opened_.push_back(n_slices());
  std::move(fresh.begin(), fresh.end(), std::back_inserter(slices_));
}

/// Removes the slices that were added last if they have no nodes.
void Populations::close_slices() {
  const auto is_empty = [](const auto& s) { return s->nodes().size() == 0; };
  while (opened_.size() > 1 && std::all_of(slices_.begin() + opened_.back(), slices_.end(), is_empty)) {
    slices_.resize(opened_.back());
    opened_.pop_back();
  }
}

void Populations::join_groups() {
  std::vector<Candidate> fresh;
  for (std::size_t p = grouped_; p < populations_.size(); ++p) fresh.push_back(candidate(*populations_[p]));
  const std::vector<std::size_t> group = share_groups(fresh);
  std::vector<Joint> joints;
  std::vector<std::size_t> devices;
  std::int64_t nodes = 0;
  for (std::size_t k = 0; k < group.size(); ++k) {
    const Population& p = *populations_[grouped_ + k];
    nodes += p.n;
    if (!p.model) {
      devices.push_back(p.block);
      continue;
    }
    joints.resize(std::max(joints.size(), group[k] + 1));
    joints[group[k]].groups.push_back(p.group), joints[group[k]].blocks.push_back(p.block);
  }
  const std::size_t neurons = group.size() - devices.size();
  if (joints.size() < neurons) {
    std::vector<std::size_t> blocks;
    for (const Joint& j : joints) blocks.insert(blocks.end(), j.blocks.begin(), j.blocks.end());
    blocks.insert(blocks.end(), devices.begin(), devices.end());
    std::vector<Slice::Groups> joined(slices_.size());
    fill_slices(nodes, [&](Slice& s) { joined[s.id()] = s.joined(joints); });
    for (auto& s : slices_) s->regroup(joints, std::move(joined[s->id()]), blocks);
    const std::size_t begin = slices_[0]->groups().size() - joints.size();
    for (std::size_t k = 0; k < group.size(); ++k)
      if (populations_[grouped_ + k]->model) populations_[grouped_ + k]->group = begin + group[k];
  }
  grouped_ = populations_.size();
}

void Populations::check_nodes(const connect::NodeSet& nodes, const char* parameter) const {
  if (nodes.size() > 0) of(nodes.lowest(), parameter), of(nodes.highest(), parameter);
}

void Populations::mark_connected(const connect::NodeSet& set) {
  for (const connect::Range& r : set.ranges()) for_each_met(r, [](Population& p) { p.connected = true; });
}

namespace {

/// Calls f(gid) for the nodes of a range in a population.
template <class F>
void for_each_of(const connect::Range& r, const Population& p, F&& f) {
  const connect::Range common = connect::common_nodes(r, {p.first, p.n, 1});
  for (std::int64_t k = 0; k < common.count; ++k) f(common.first + k * common.stride);
}

}  // namespace

void Populations::mark_tabled(const connect::NodeSet& set) {
  for (const connect::Range& r : set.ranges())
    for_each_met(r, [&](Population& p) {
      if (p.model || p.devices->info().effect != devices::Effect::spikes) return;
      if (r.stride == 1 && r.first <= p.first && last_gid(r) >= p.first + p.n - 1)
        p.devices->for_all([](devices::Device& d) { d.tabled = true; });
      else
        for_each_of(r, p, [&](Gid gid) { p.devices->object(gid).tabled = true; });
    });
}

void Populations::make_room_for_marks(const connect::NodeSet& set) {
  for (const connect::Range& r : set.ranges())
    for_each_met(r, [&](Population& p) {
      if (p.devices && p.devices->info().effect == devices::Effect::spikes && p.n > r.count)
        for_each_of(r, p, [&](Gid gid) { p.devices->object(gid); });
    });
}

bool Populations::precise() const {
  return std::any_of(populations_.begin(), populations_.end(), [](const auto& p) { return p->model && p->model->precise; });
}

void Populations::set_seed(std::uint64_t seed) {
  settings_.seed = seed;
  for (auto& s : slices_) s->set_seed(seed);
  if (ranks() > 1) note(fingerprint_of(std::string_view("set_seed"), seed));
}

void Populations::attach_emitters() {
  const auto emits = [](const devices::Device& d) { return d.info->effect == devices::Effect::emits || d.tabled; };
  for (auto& p : populations_) {
    if (p->model) continue;
    p->devices->for_kept(p->first, p->first + p->n - 1, [&](const devices::Device& d) { p->attached = p->attached || emits(d); });
    for (auto& s : slices_) {
      if (!p->attached) break;
      const Members& members = s->nodes().blocks()[p->block].members;
      for (std::int64_t k = 0; k < members.size(); ++k)
        if (emits(p->devices->look(members[k])) && !emitting_.contains(members[k])) attach_emitter(*s, p->devices->object(members[k]));
    }
  }
}

void Populations::attach_emitter(Slice& slice, const devices::Device& device) {
  const auto known = emitting_.insert(device.gid).first;
  Undo undo;
  undo.note([&] { emitting_.erase(known); });
  slice.add_emitter(&device);
  undo.forget();
}

}  // namespace npl::sim
