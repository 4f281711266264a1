// SPDX-License-Identifier: Apache-2.0
// Law 6: one of three ranks runs out of memory in each allocation of a call, one after the other. All ranks raise the same error, none
// waits for ever, and the network goes on as if the call had not been made, or is refused by name afterwards (in the steps of a run).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "../every_case.hpp"
#include "areas.hpp"
#include "outside.hpp"

namespace npl::sim {

/// The n-th allocation (from 0) from now on fails, and the next times - 1, of all threads but exempt ones; < 0: none. has_failed(): one
/// has, or none was to. Defined in test_allocations.cpp.
void fail_common_allocation(std::int64_t n, std::int64_t times = 1);
bool has_failed();

}  // namespace npl::sim

namespace npl::sim::test_out_of_memory {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

constexpr int ranks = 3, failing_rank = 1;

/// Neurons that fire, static, plastic and stateful synapses with delays from 0.2 to 3 ms, a recorder of each kind; synapses that grow.
struct Subject {
  Network net;
  bool keeps_sources;
  Gid first, poisson;
  std::int64_t noise;
  int spikes, trace, sent, bins;

  Subject(std::shared_ptr<comm::Communicator> comm, bool grows, bool drops = false)
      : net(settings(std::move(comm), drops)), keeps_sources(!drops) {
    first = net.create("iaf_psc_exp", 9, {{"I_e", {600.0}}});
    poisson = net.create("poisson_generator", 1, {{"rate", {5000.0}}});
    sent = net.record_weights(nullptr, nullptr);
    noise = net.connect(call(nodes(poisson, 1), nodes(first, 9), "all_to_all", 40.0, 0.2));
    ConnectCall random = call(nodes(first, 9), nodes(first, 9), "fixed_indegree", 0, 0);
    random.rule_params = {{"indegree", 4}};
    random.weight = clipped_normal(0.0, 40.0, -100.0, 100.0);
    random.delay = clipped_normal(1.0, 0.5, 0.2, 3.0);
    net.connect(random);
    random.weight = constant(30.0), random.recorder = sent;
    for (const char* synapse : {"stdp_synapse", "tsodyks2_synapse"}) random.synapse = synapse, net.connect(random);
    spikes = net.record_spikes(nodes(first, 9), 0, 1 << 30);
    trace = net.record_state({first, first + 8}, {"V_m"}, {3, 0});
    bins = net.record_binned(nodes(first, 5), "rate", 7);
    if (grows) let_grow();
  }
  static Settings settings(std::shared_ptr<comm::Communicator> comm, bool drops) {
    Settings s{0.1, 7, comm->rank() == failing_rank ? 2 : 1, 0};  // the threads of the rank that fails must be told from those of others
    s.comm = std::move(comm);
    s.keep_sources = !drops;
    return s;
  }
  void let_grow() {
    net.set_calcium(nodes(first, 9), {{"tau_Ca", {50.0}}, {"beta_Ca", {0.05}}});
    net.set_elements(nodes(first, 9), {{"axon", "linear", {{"growth_rate", {0.1}}, {"eps", {0.04}}, {"z", {3.0}}}},
                                       {"spine", "gaussian", {{"growth_rate", {0.08}}, {"eta", {0.01}}, {"eps", {0.1}}, {"z", {2.0}}}}});
    GrowCall grow{"axon", "spine", false, false, {}};
    grow.synapses.synapse = "stdp_synapse";
    grow.synapses.weight = constant(10.0), grow.synapses.delay = constant(1.1), grow.synapses.label = 1;
    net.grow(grow);
    net.set_updates(40, true);
  }
  ConnectionColumns some(const char* synapse) const {
    const Exempt exempt;  // not the call that fails
    const ConnectionColumns all = net.connections(nullptr, nullptr, synapse);
    ConnectionColumns out;
    for (std::size_t k = 0; k < all.source.size(); k += 3)
      out.slice.push_back(all.slice[k]), out.table.push_back(all.table[k]), out.position.push_back(all.position[k]);
    return out;
  }
  auto result() const {
    const ConnectionColumns c = keeps_sources ? net.connections(nullptr, nullptr, "") : ConnectionColumns{};
    std::vector<double> sent_now;
    for (const auto& w : net.sent_weights(sent).weight) sent_now.push_back(w);
    return std::tuple(net.step(), net.n_nodes(), net.spikes(spikes), net.samples(trace).values, c.source, c.target, c.weight, c.delay,
                      sent_now, net.binned(bins).values, net.get({first, first + 4}, "tau_m"));
  }
};

using Result = decltype(std::declval<Subject>().result());

using Call = std::function<void(Network&)>;

struct Case {
  const char* name;
  Call (*made)(const Subject&);  ///< the call and its arguments
  bool runs = false;             ///< the call advances time
  bool grows = false;            ///< an update of the structure is due in it
  bool drops = false;            ///< sources of other ranks are dropped by the build
  std::int64_t times = 1;        ///< 2: the reserve for runs does not help
};

constexpr Step before = 40, after = 60;

ConnectionEdits edit_of(const ConnectionColumns& some) {
  ConnectionEdits e;
  static_cast<Handles&>(e) = some;
  return e;
}

Call set(std::vector<Gid> gids, Values values) {
  return [=](Network& net) { net.set(gids, values); };
}
Call edit(ConnectionEdits e) {
  e.sent_before = before;
  return [=](Network& net) { net.edit(e); };
}
Call create(const std::string& model, std::int64_t n, const Values& values, const std::vector<NodeDraw>& draws = {}) {
  return [=](Network& net) { net.create(model, n, values, draws); };
}
/// Made once more, it connects again.
Call connect(const ConnectCall& c) {
  return [=](Network& net) {
    std::optional<ConnectCall> copy;
    {
      const Exempt exempt;
      copy = c;
    }
    net.connect(std::move(*copy));
  };
}
ConnectCall new_synapses(const Subject& s) {
  ConnectCall c = call(nodes(s.first, 9), nodes(s.first, 9), "pairwise_bernoulli", 5.0, 0.7);
  c.rule_params = {{"p", 0.5}}, c.synapse = "stdp_synapse";
  return c;
}
ConnectCall new_link(const Subject& s) { return call(nodes(s.poisson, 1), nodes(s.first, 5), "all_to_all", 7.0, 0.4); }
Call run_to(Step end) {
  return [=](Network& net) { net.run(end - net.step(), nullptr); };
}

const Case cases[] = {
    {"set", [](const Subject& s) { return set({s.first, s.first + 4, s.first + 5}, {{"tau_m", {11.0, 12.0, 13.0}}, {"V_m", {-60.0}}}); }},
    {"set_device", [](const Subject& s) { return set({s.poisson}, {{"rate", {4000.0}}}); }},
    {"set_each",
     [](const Subject& s) -> Call {
       return [n = nodes(s.first, 5), v = Values{{"tau_m", {11.0}}}](Network& net) { net.set_each(n, v, {}); };
     }},
    {"freeze",
     [](const Subject& s) -> Call {
       return [gids = std::vector<Gid>{s.first + 1, s.first + 2, s.poisson}](Network& net) { net.freeze(gids, true); };
     }},
    {"set_weights", [](const Subject& s) { return edit(weights_of(s.some("stdp_synapse"), {20.0})); }},
    {"set_weights_of_their_own", [](const Subject& s) { return edit(weights_of(s.some("tsodyks2_synapse"), {20.0})); }},
    {"set_weights_of_other_sign", [](const Subject& s) { return edit(weights_of(s.some("static_synapse"), {-20.0})); }},
    {"edit_values",
     [](const Subject& s) {
       ConnectionEdits e = edit_of(s.some(""));
       e.weight = {25.0}, e.delay = {17};
       return edit(e);
     }},
    {"edit_parameters",
     [](const Subject& s) {
       ConnectionEdits e = edit_of(s.some("tsodyks2_synapse"));
       e.parameters = {{"U", {0.3}}};
       return edit(e);
     }},
    {"edit_remove",
     [](const Subject& s) {
       ConnectionEdits e = edit_of(s.some(""));
       e.remove = true;
       return edit(e);
     }},
    {"edit_in_row",
     [](const Subject& s) -> Call {
       const ConnectionColumns all = s.some("static_synapse");
       ConnectionEdits e;
       e.slice = {all.slice[1]}, e.table = {all.table[1]}, e.position = {all.position[1]};
       e.delay = {7};
       return [e](Network& net) {
         const Edited done = net.edit(e);
         if (!done.empty() && done.in_row < 0) throw Error("it has left its row");
       };
     }},
    {"connect", [](const Subject& s) { return connect(new_synapses(s)); }},
    {"connect_device", [](const Subject& s) { return connect(new_link(s)); }},
    {"create", [](const Subject&) { return create("iaf_psc_alpha", 5, {{"tau_m", {11.0}}, {"V_m", {-60, -61, -62, -63, -64}}}); }},
    {"create_many_receptors", [](const Subject&) { return create("iaf_psc_exp_multisynapse[12]", 4, {}); }},
    {"create_drawn", [](const Subject&) { return create("iaf_psc_exp", 7, {}, {{"tau_m", clipped_normal(10.0, 1.0, 5.0, 20.0), 3}}); }},
    {"create_device", [](const Subject&) { return create("poisson_generator", 3, {{"rate", {100.0}}}); }},
    {"relink",
     [](const Subject& s) -> Call {
       return [number = s.noise, w = constant(55.0), d = constant(0.3)](Network& net) { net.relink(number, w, d); };
     }},
    {"build_and_drop_sources", [](const Subject&) -> Call { return [](Network& net) { net.build(nullptr); }; }, false, false, true},
    {"build_and_run", [](const Subject&) { return run_to(before + after); }, true},
    {"run", [](const Subject&) { return run_to(before + after); }, true},
    {"run_without_reserve", [](const Subject&) { return run_to(before + after); }, true, false, false, 2},
    {"grow", [](const Subject&) { return run_to(before + 1); }, true, true},
};

/// What comes before the call.
void begin(const Case& c, Subject& s) {
  if (!c.drops) s.net.run(before, nullptr);
  if (c.name != std::string_view("build_and_run")) return;
  s.net.connect(new_synapses(s));
  s.net.connect(new_link(s));
  s.net.record_spikes(nodes(s.first, 3), 0, 1 << 30);
  s.net.record_binned(nodes(s.first + 1, 7), "rate", 5);
}

/// What was seen, in memory that parent and child share.
struct Report {
  std::int64_t number = 0;  ///< of the allocation that fails
  int unchanged = 0, refused = 0, ended = 0, without = 0;
  bool over = false;  ///< the call has no allocation of this number
  char wrong[400] = "";
  void fail(const std::string& what) { std::strncpy(wrong, what.c_str(), sizeof wrong - 1); }
};

/// The result of a network that makes the call after `before` steps, or does not, and then runs.
Result expected(const Case& c, bool makes_call) {
  std::optional<Result> found;
  on_ranks(ranks, [&](auto comm) {
    Subject s(comm, c.grows, c.drops);
    begin(c, s);
    if (makes_call) c.made(s)(s.net);
    s.net.run(before + after - s.net.step(), nullptr);
    const Result result = s.result();
    if (comm->rank() == 0) found = result;
  });
  return *found;
}

std::string error_of(const Call& call, Network& net) {
  try {
    call(net);
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("of another kind: ") + e.what();
  }
  return "";
}

/// What each rank has seen in one trial.
struct Seen {
  std::string first, second;  ///< errors of the call, and of the same one after it
};

/// Lets an allocation of the call fail; then makes the call again, or not, and runs on. @param wanted results without the call, and with it
void try_once(const Case& c, std::int64_t number, bool again, const Result (&wanted)[2], Report& report) {
  std::vector<Seen> seen(ranks);
  const auto errors = on_ranks(ranks, [&](auto comm) {
    if (comm->rank() != failing_rank) set_exempt(true);
    Seen& mine = seen[static_cast<std::size_t>(comm->rank())];
    Subject s(std::make_shared<Outside>(comm), c.grows, c.drops);
    begin(c, s);
    const Call call = c.made(s);
    comm->barrier();
    if (comm->rank() == failing_rank) fail_common_allocation(number, c.times);
    mine.first = error_of(call, s.net);
    comm->barrier();
    if (comm->rank() == failing_rank) report.over = !has_failed(), fail_common_allocation(-1);
    comm->barrier();
    if (report.over) return;
    if (!mine.first.empty() && (again || c.runs)) mine.second = error_of(call, s.net);
    if (!mine.second.empty()) return static_cast<void>(s.net.spikes(s.spikes));  // refused, but it can be read
    s.net.run(before + after - s.net.step(), nullptr);
    const Result result = s.result();
    if (comm->rank() == 0 && result != wanted[again || mine.first.empty()]) throw Error("goes on with other results");
  });
  if (report.over) return;
  const std::string& first = seen[0].first;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (!errors[r].empty()) report.fail("rank " + std::to_string(r) + ": " + errors[r]);
    if (seen[r].first != first || seen[r].second != seen[0].second) report.fail("other errors: " + seen[r].first + " | " + first);
  }
  if (!first.empty() && !first.starts_with("rank 1: out of memory")) report.fail(first);
  if (!seen[0].second.empty() && seen[0].second != first) report.fail("refused by another error: " + seen[0].second);
  // Without an error the failed allocation was of a buffer that std::stable_sort can do without.
  ++(first.empty() ? report.without : seen[0].second.empty() ? report.unchanged : report.refused);
}

/// Every allocation of the first ones, then every few, as a call has some hundreds.
std::int64_t next(std::int64_t number) { return number + (every_case() || number < 40 ? 1 : number < 600 ? 13 : 61); }

/// In a child process, so that a rank that waits for ever, or ends the job, ends only that.
void try_all(const Case& c, const Result (&wanted)[2], Report& report) {
  for (; !report.over && !report.wrong[0]; report.number = next(report.number)) {
    alarm(20);
    const bool again = c.runs || report.number % 2 == 1;
    try_once(c, report.number, again, wanted, report);
  }
}

class OutOfMemory : public testing::TestWithParam<Case> {};

TEST_P(OutOfMemory, OnOneRankIsAnErrorOfAllRanksWhichGoOn) {
  const Case& c = GetParam();
  void* shared = ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Report& report = *new (shared) Report;
  const Result wanted[2] = {c.runs ? expected(c, true) : expected(c, false), expected(c, true)};
  while (!report.over && !report.wrong[0]) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      if (!std::freopen(std::getenv("NEUROPIL_TEST_STDERR") ? std::getenv("NEUROPIL_TEST_STDERR") : "/dev/null", "a", stderr)) _exit(9);
      try_all(c, wanted, report);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
      ++report.ended;
    else
      report.fail("ends with " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)));
    if (!report.wrong[0]) report.number = next(report.number);
  }
  EXPECT_STREQ(report.wrong, "") << "allocation " << report.number;
  EXPECT_GT(report.unchanged, 0);
  if (c.times == 1) {
    EXPECT_EQ(report.refused + report.ended, 0);
  } else {
    EXPECT_LT(4 * report.ended, report.refused) << "only memory for messages, for which other ranks wait, ends the job";
  }
  std::printf("%s: %lld allocations; goes on after %d, refused after %d, job ended by %d\n", c.name, static_cast<long long>(report.number),
              report.unchanged, report.refused, report.ended);
}

INSTANTIATE_TEST_SUITE_P(Calls, OutOfMemory, testing::ValuesIn(cases), [](const auto& info) { return std::string(info.param.name); });

#endif

}  // namespace
}  // namespace npl::sim::test_out_of_memory
