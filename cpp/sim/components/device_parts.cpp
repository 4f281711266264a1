// SPDX-License-Identifier: Apache-2.0
#include "sim/components/device_parts.hpp"

#include <algorithm>
#include <utility>

namespace npl::sim {
namespace {

constexpr double most_of_stretch = 0x1p16;  ///< spikes of a part with a stretch to one target

}  // namespace

void DeviceParts::add(AttachedPart part) {
  for (const AttachedPart& old : all_)
    if (old.link == part.link && old.until != INT64_MAX) part.part->follow(*old.part);
  adopt(std::move(part));
}

void DeviceParts::adopt(AttachedPart part) {
  all_.push_back(std::move(part));
  wakes_.push_back(0);
  feeds_.clear();
}

void DeviceParts::end_link(std::uint64_t link, Step now) {
  for (AttachedPart& p : all_)
    if (p.link == link) p.until = std::min(p.until, now + p.lag);
  std::erase_if(all_, [&](const AttachedPart& p) { return p.until <= now; });
  rouse();
}

bool DeviceParts::sends_current() const {
  return std::any_of(all_.begin(), all_.end(), [](const AttachedPart& p) { return p.current; });
}

int DeviceParts::largest_port() const {
  int port = 0;
  for (const AttachedPart& p : all_)
    if (p.current) port = std::max(port, p.receptor);
  return port;
}

void DeviceParts::rouse() {
  for (const AttachedPart& p : all_) p.part->rouse();
  wakes_.assign(all_.size(), 0);
  feeds_.clear();
}

void DeviceParts::list_feeds() {
  feeds_.assign(host_.groups.size(), {});
  for (AttachedPart& p : all_) {
    p.stretch = p.part->stretch();
    for (std::size_t k = 0; k < host_.groups.size(); ++k)
      if (!p.stretch.within(stretch_of(*host_.groups[k], 0, host_.groups[k]->size())).empty()) feeds_[k].push_back(&p);
  }
}

void DeviceParts::apply(Step step, std::size_t row, bool at_once) {
  double sent = 0.0;
  for (std::size_t k = 0; k < wakes_.size(); ++k) {
    if (step < wakes_[k]) continue;
    AttachedPart& p = all_[k];
    if (!p.stretch.empty()) {
      p.sends = step < p.until && p.part->begin(step);
      if (p.sends) sent += most_of_stretch;
      if (at_once && std::exchange(p.sends, false)) p.part->add(p.stretch, input_of(p, row));
    } else if (step < p.until) {
      devices::PartInput in = input_of(p, row);
      in.sent = &sent;
      p.part->apply(step, in);
      wakes_[k] = p.part->wakes();
    }
  }
  host_.input.load(sent);
}

void DeviceParts::feed(const AttachedPart& p, const devices::Stretch& within) {
  if (const auto here = p.stretch.within(within); p.sends && !here.empty()) p.part->add(here, input_of(p, 0));
}

void DeviceParts::restore(Kept& kept) noexcept {
  while (all_.size() > kept) all_.pop_back();
  while (wakes_.size() > kept) wakes_.pop_back();
  feeds_.clear();
}

}  // namespace npl::sim
