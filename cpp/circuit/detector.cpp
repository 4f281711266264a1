// SPDX-License-Identifier: Apache-2.0
#include "circuit/detector.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>

#include "base/error.hpp"
#include "base/timers.hpp"

namespace npl::circuit {
namespace {

constexpr std::size_t pieces_at_once = std::size_t{1} << 17;  // in a part of a batch, 50 MB: one is sent while another is searched
constexpr std::size_t least_parts = 4;                        // of a batch, if there are several ranks

template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// The content of a letter as an array. Throws BadMessage if the length does not fit.
template <class T>
std::span<const T> values_in(std::span<const std::byte> letter) {
  if (letter.size() % sizeof(T))
    throw BadMessage("message refused: " + std::to_string(letter.size()) + " bytes are no records of " + std::to_string(sizeof(T)));
  return {reinterpret_cast<const T*>(letter.data()), letter.size() / sizeof(T)};
}

}  // namespace

/// A bouton, sent to the rank that found its overlap.
struct TouchDetector::Request {
  double place;
  std::uint32_t pre, post;
};

struct TouchDetector::Batch {
  struct Part {  ///< overlaps of a section as one rank found them
    Gid pre_gid;
    std::int32_t pre_section;
    std::span<const Overlap> overlaps;
  };
  struct Worker {
    std::vector<Found> found;                    ///< by rank whose turn it is
    std::vector<std::vector<Request>> requests;  ///< by rank that found the overlap
    std::vector<Touch> touches;
    std::vector<Overlap> merged;
    std::vector<Bouton> boutons;
  };
  Pieces pieces;
  std::vector<Worker> workers;
  std::vector<SearchCounts> counts;
  Letters letters;
  std::vector<Part> parts;

  Batch(Mode mode, std::size_t threads, std::size_t ranks) : pieces(mode), workers(threads), counts(threads) {
    for (auto& w : workers) w.found.resize(ranks), w.requests.resize(ranks);
  }
  /// Overlaps that the workers of another rank found: number of groups, groups, overlaps. Refers to the letter, which must stay.
  void read(std::span<const std::byte> letter) {
    while (!letter.empty()) {
      const auto n_groups = values_in<std::uint64_t>(front(letter, sizeof(std::uint64_t)))[0];
      const auto groups =
          values_in<Group>(front(letter, n_groups <= letter.size() / sizeof(Group) ? n_groups * sizeof(Group) : letter.size() + 1));
      std::size_t n = 0;
      for (const Group& g : groups) n += g.n;
      add_parts(groups, values_in<Overlap>(front(letter, n * sizeof(Overlap))));
    }
  }
  static std::span<const std::byte> front(std::span<const std::byte>& letter, std::size_t bytes) {
    if (bytes > letter.size()) throw BadMessage("message refused: it ends within a list of overlaps");
    const auto taken = letter.first(bytes);
    letter = letter.subspan(bytes);
    return taken;
  }
  void add_parts(std::span<const Group> groups, std::span<const Overlap> overlaps) {
    for (const Group& g : groups) {
      if (g.n > overlaps.size()) throw BadMessage("message refused: fewer overlaps than it tells");
      parts.push_back({g.pre_gid, g.pre_section, overlaps.first(g.n)});
      overlaps = overlaps.subspan(g.n);
    }
  }
};

TouchDetector::TouchDetector(std::shared_ptr<comm::Communicator> comm, const Settings& settings)
    : settings_(settings),
      comm_(comm ? std::move(comm) : comm::single()),
      ranks_(static_cast<std::size_t>(comm_->size())),
      self_(static_cast<std::size_t>(comm_->rank())),
      partner_(ranks_) {
  check_settings();
  mail_ = make_mail(*comm_, settings.exchange);
  team_ = std::make_unique<Team>(settings.threads);
}

TouchDetector::~TouchDetector() = default;

void TouchDetector::check_settings() const {
  const Spacing& s = settings_.spacing;
  if (!(s.min > 0 && std::isfinite(s.min))) throw BadParameter("min_distance", s.min, "a finite number > 0");
  if (!(s.max >= s.min && std::isfinite(s.max))) throw BadParameter("max_distance", s.max, "a finite number, at least min_distance");
  if (!(s.region_gap >= 0 && std::isfinite(s.region_gap))) throw BadParameter("region_gap", s.region_gap, "a finite number >= 0");
  if (settings_.threads < 1 || settings_.threads > 1024) throw BadParameter("threads", settings_.threads, "from 1 to 1024");
  if (settings_.pre_types == 0) throw BadParameter("pre_types", 0.0, "at least one type of sections");
  if (settings_.post_types == 0) throw BadParameter("post_types", 0.0, "at least one type of sections");
}

void TouchDetector::agree(const std::function<void()>& body) {
  std::exception_ptr error;
  try {
    body();
  } catch (const Error&) {
    error = std::current_exception();
  }
  std::int64_t failed = error != nullptr;
  comm_->allreduce({&failed, 1}, comm::Op::max);
  if (error) std::rethrow_exception(error);
  if (failed) throw Error("another rank's part of the circuit was refused; nothing has changed");
}

void TouchDetector::lap(const char* phase) {
  const double now = seconds_now();
  if (phase) counters_[phase] += now - last_;
  last_ = now;
}

void TouchDetector::index(const Morphologies& morphologies, const Cells& cells) {
  agree([&] {
    if (index_) throw Error("the postsynaptic cells are indexed already");
    check(cells, morphologies);
  });
  check_unique(*comm_, cells.gid);
  lap(nullptr);
  Pieces pieces(settings_.mode);
  cut(morphologies, cells, 0, cells.size(), settings_.post_types, pieces);
  index_ = std::make_unique<Index>(spread(*comm_, *mail_, std::move(pieces)));
  router_ = std::make_unique<Router>(*comm_, index_->tree);
  std::int64_t most = static_cast<std::int64_t>(index_->pieces.n_segments()), total = most;
  counters_["segments"] = static_cast<double>(most);
  comm_->allreduce({&most, 1}, comm::Op::max);
  comm_->allreduce({&total, 1}, comm::Op::sum);
  counters_["imbalance"] = total ? static_cast<double>(most) * static_cast<double>(ranks_) / static_cast<double>(total) : 1;
  counters_["boxes"] = static_cast<double>(router_->n_boxes());
  counters_["bytes_segments"] = static_cast<double>(index_->pieces.bytes());
  counters_["bytes_index"] = static_cast<double>(index_->pieces.bytes() + index_->tree.bytes());
  lap("s_index");
}

TouchDetector::Batch TouchDetector::search_batch(const Morphologies& morphologies, const Cells& cells) {
  agree([&] {
    if (!index_) throw Error("detect before index: there are no postsynaptic cells");
    check(cells, morphologies);
  });
  check_unique(*comm_, cells.gid);
  lap(nullptr);
  std::vector<Turn> mine;
  for (std::size_t i = 0; i < cells.size(); ++i)
    mine.push_back({cells.gid[i], static_cast<std::int64_t>(
                                      count_segments(morphologies, static_cast<std::size_t>(cells.morphology[i]), settings_.pre_types))});
  const Turns turns(*comm_, std::move(mine));
  Batch batch(settings_.mode, static_cast<std::size_t>(team_->size()), ranks_);
  Pieces own(settings_.mode);
  cut(morphologies, cells, 0, cells.size(), settings_.pre_types, own);
  lap("s_cut");
  search_parts(std::move(own), turns, batch);
  for (const auto& c : batch.counts) {
    counters_["box_tests"] += static_cast<double>(c.boxes);
    counters_["tested"] += static_cast<double>(c.tested);
    counters_["overlaps"] += static_cast<double>(c.overlaps);
  }
  return batch;
}

std::vector<Touch> TouchDetector::detect(const Morphologies& morphologies, const Cells& cells) {
  Batch batch = search_batch(morphologies, cells);
  collect(batch);
  const Letters requests = mail_->exchange(place_all(batch));
  lap("s_place");
  std::vector<Touch> touches = bring_together(batch, mail_->exchange(complete(batch, requests)));
  lap("s_complete");
  std::sort(touches.begin(), touches.end());
  counters_["touches"] += static_cast<double>(touches.size());
  lap("s_sort");
  return touches;
}

std::vector<Touch> TouchDetector::bring_together(Batch& batch, const Letters& others) {
  std::size_t n = 0;
  for (const auto& w : batch.workers) n += w.touches.size();
  for (const auto& letter : others) n += letter.size() / sizeof(Touch);
  std::vector<Touch> touches;
  touches.reserve(n);
  for (auto& w : batch.workers) {
    touches.insert(touches.end(), w.touches.begin(), w.touches.end());
    w.touches = {};
  }
  for (const auto& letter : others) {
    const auto from = values_in<Touch>(letter);
    touches.insert(touches.end(), from.begin(), from.end());
  }
  return touches;
}

std::vector<RawOverlap> TouchDetector::overlaps(const Morphologies& morphologies, const Cells& cells) {
  const Batch batch = search_batch(morphologies, cells);
  std::vector<RawOverlap> all;
  for (const auto& w : batch.workers)
    for (const Found& found : w.found)
      for (const Overlap& o : found.overlaps) {
        const Piece& pre = batch.pieces[o.pre / lanes];
        const Segment p = batch.pieces.segment(o.pre / lanes, o.pre % lanes), q = index_->pieces.segment(o.post / lanes, o.post % lanes);
        const Interval s = overlap(p, q), t = overlap(q, p);
        const double p_length = norm(p.axis), q_length = norm(q.axis);
        all.push_back({pre.gid, o.post_gid, pre.section, o.pre_segment, o.post_section, o.post_segment, s.lo * p_length, s.hi * p_length,
                       t.lo * q_length, t.hi * q_length});
      }
  return all;
}

/// Pieces [first, last), packed for the ranks whose part of space they may touch.
Letters TouchDetector::route(const Pieces& pieces, std::size_t first, std::size_t last) {
  Letters letters(ranks_);
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = first; i < last; ++i) {
    router_->find(pieces.box(i), ranks);
    for (std::uint32_t r : ranks) pieces.pack(i, letters[r]), partner_[r] = 1;
  }
  lap("s_route");
  return letters;
}

/// Searches a batch in parts: part k + 1 is exchanged while part k is searched.
void TouchDetector::search_parts(Pieces own, const Turns& turns, Batch& batch) {
  counters_["pre_segments"] += static_cast<double>(own.n_segments());
  if (ranks_ == 1) {
    batch.pieces = std::move(own);
    return search(batch, turns, 0);
  }
  std::int64_t most = static_cast<std::int64_t>(own.size());
  comm_->allreduce({&most, 1}, comm::Op::max);
  const std::size_t parts = std::max(least_parts, (static_cast<std::size_t>(most) + pieces_at_once - 1) / pieces_at_once);
  mail_->start(route(own, 0, own.size() / parts));
  for (std::size_t k = 1; k <= parts; ++k) {
    const Letters letters = mail_->finish();
    const std::size_t before = batch.pieces.size();
    for (const auto& letter : letters) batch.pieces.take(letter);
    lap("s_wait");
    if (k < parts) mail_->start(route(own, own.size() * k / parts, own.size() * (k + 1) / parts));
    search(batch, turns, before);
  }
}

void TouchDetector::search(Batch& batch, const Turns& turns, std::size_t first_piece) {
  const Pieces& pre = batch.pieces;
  std::vector<std::size_t> sections;
  for (std::size_t i = first_piece; i < pre.size(); ++i)
    if (i == first_piece || pre[i].gid != pre[i - 1].gid || pre[i].section != pre[i - 1].section) sections.push_back(i);
  sections.push_back(pre.size());
  std::atomic<std::size_t> next{0};
  team_->run([&](int thread) {
    auto& worker = batch.workers[static_cast<std::size_t>(thread)];
    Search search(*index_, static_cast<std::uint32_t>(self_), settings_.autapses);
    for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) + 1 < sections.size();) {
      search.section(pre, sections[k], sections[k + 1], worker.found[turns.rank_of(pre[sections[k]].gid)]);
      if (thread == 0 && k % 64 == 0) mail_->progress();
    }
    auto& sum = batch.counts[static_cast<std::size_t>(thread)];
    sum.boxes += search.counts().boxes, sum.tested += search.counts().tested, sum.overlaps += search.counts().overlaps;
  });
  lap("s_search");
}

/// Sends overlaps to the ranks that place boutons for their presynaptic cells, and sorts those received by section.
void TouchDetector::collect(Batch& batch) {
  Letters letters(ranks_);
  for (auto& w : batch.workers)
    for (std::size_t r = 0; r < ranks_; ++r) {
      Found& found = w.found[r];
      if (r == self_ || found.groups.empty()) continue;
      const std::uint64_t n = found.groups.size();
      append(letters[r], std::span(&n, 1));
      append(letters[r], std::span<const Group>(found.groups));
      append(letters[r], std::span<const Overlap>(found.overlaps));
      found = {};
    }
  batch.letters = mail_->exchange(std::move(letters));
  for (const auto& w : batch.workers) batch.add_parts(w.found[self_].groups, w.found[self_].overlaps);
  for (const auto& letter : batch.letters) batch.read(letter);
  lap("s_collect");
}

Letters TouchDetector::place_all(Batch& batch) {
  auto& parts = batch.parts;
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return std::tie(a.pre_gid, a.pre_section) < std::tie(b.pre_gid, b.pre_section); });
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (i == 0 || parts[i].pre_gid != parts[i - 1].pre_gid || parts[i].pre_section != parts[i - 1].pre_section) runs.push_back(i);
  runs.push_back(parts.size());
  std::atomic<std::size_t> next{0};
  team_->run([&](int thread) {
    for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) + 1 < runs.size();)
      place_run(batch, runs[k], runs[k + 1], thread);
  });
  Letters letters(ranks_);
  for (const auto& w : batch.workers)
    for (std::size_t r = 0; r < ranks_; ++r) append(letters[r], std::span<const Request>(w.requests[r]));
  return letters;
}

/// Places the boutons of one section, whose overlaps are parts [first, last).
void TouchDetector::place_run(Batch& batch, std::size_t first, std::size_t last, int thread) {
  auto& worker = batch.workers[static_cast<std::size_t>(thread)];
  worker.merged.clear();
  worker.boutons.clear();
  for (std::size_t i = first; i < last; ++i)
    worker.merged.insert(worker.merged.end(), batch.parts[i].overlaps.begin(), batch.parts[i].overlaps.end());
  place(worker.merged, batch.parts[first].pre_gid, batch.parts[first].pre_section, settings_.seed, settings_.spacing, worker.boutons);
  for (const Bouton& b : worker.boutons) {
    const Overlap& o = *b.overlap;
    if (o.origin == self_)
      worker.touches.push_back(make_touch(batch.pieces, o.pre, index_->pieces, o.post, b.place));
    else
      worker.requests[o.origin].push_back({b.place, o.pre, o.post});
  }
}

/// Makes the touches that other ranks request.
Letters TouchDetector::complete(Batch& batch, const Letters& requests) {
  Letters letters(ranks_);
  for (std::size_t r = 0; r < ranks_; ++r)
    for (const Request& q : values_in<Request>(requests[r])) {
      const bool known = q.pre / lanes < batch.pieces.size() && q.post / lanes < index_->pieces.size();
      if (!known) throw BadMessage("message refused: a touch of segments that are not here");
      const Touch touch = make_touch(batch.pieces, q.pre, index_->pieces, q.post, q.place);
      append(letters[r], std::span(&touch, 1));
    }
  return letters;
}

std::map<std::string, double> TouchDetector::counters() const {
  auto all = counters_;
  all["messages"] = static_cast<double>(mail_->counts().messages);
  all["bytes_sent"] = static_cast<double>(mail_->counts().bytes);
  std::size_t partners = 0;
  for (std::size_t r = 0; r < ranks_; ++r) partners += r != self_ && partner_[r];
  all["partners"] = static_cast<double>(partners);
  return all;
}

}  // namespace npl::circuit
