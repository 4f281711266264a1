// SPDX-License-Identifier: Apache-2.0
// Law 6: one of three ranks runs out of memory in each allocation of a call, one after the other. All ranks raise the same error, none waits
// for ever, and the network goes on as if the call had not been made, or is refused by name afterwards (in the steps of a run).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "areas.hpp"
#include "outside.hpp"

namespace npl::sim {

/// The n-th allocation (from 0) from now on fails, of all threads but exempt ones; < 0: none. has_failed(): it has, or none was to. Defined
/// in test_allocations.cpp.
void fail_common_allocation(std::int64_t n);
bool has_failed();

namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

constexpr int ranks = 3, failing_rank = 1;

/// Neurons that fire, static, plastic and stateful synapses with delays from 0.2 to 3 ms, a recorder of each kind; synapses that grow.
struct Subject {
  Network net;
  Gid first, poisson;
  int spikes, trace, sent;
  bool described = false;  ///< (connect_and_run) what is to be built

  explicit Subject(std::shared_ptr<comm::Communicator> comm, bool grows) : net(settings(std::move(comm))) {
    first = net.create("iaf_psc_exp", 9, {{"I_e", {600.0}}});
    poisson = net.create("poisson_generator", 1, {{"rate", {5000.0}}});
    sent = net.record_weights(nullptr, nullptr);
    net.connect(call(nodes(poisson, 1), nodes(first, 9), "all_to_all", 40.0, 0.2));
    ConnectCall random = call(nodes(first, 9), nodes(first, 9), "fixed_indegree", 0, 0);
    random.rule_params.n = 4;
    random.weight = clipped_normal(0.0, 40.0, -100.0, 100.0);
    random.delay = clipped_normal(1.0, 0.5, 0.2, 3.0);
    net.connect(random);
    random.weight = constant(30.0), random.recorder = sent;
    for (const char* synapse : {"stdp_synapse", "tsodyks2_synapse"}) random.synapse = synapse, net.connect(random);
    spikes = net.record_spikes(nodes(first, 9), 0, 1 << 30);
    trace = net.record_state({first, first + 8}, {"V_m"}, {3, 0});
    if (grows) let_grow();
  }
  static Settings settings(std::shared_ptr<comm::Communicator> comm) {
    Settings s{0.1, 7, comm->rank() == failing_rank ? 2 : 1, 0};  // the threads of the rank that fails must be told from those of others
    s.comm = std::move(comm);
    return s;
  }
  void let_grow() {
    std::vector<Gid> gids;
    for (Gid gid = first; gid < first + 9; ++gid) gids.push_back(gid);
    net.set_calcium(gids, {{"tau_Ca", {50.0}}, {"beta_Ca", {0.05}}});
    net.set_elements(gids, {{"axon", "linear", {{"growth_rate", {0.1}}, {"eps", {0.04}}, {"z", {3.0}}}},
                            {"spine", "gaussian", {{"growth_rate", {0.08}}, {"eta", {0.01}}, {"eps", {0.1}}, {"z", {2.0}}}}});
    GrowCall grow{"axon", "spine", false, false, {}};
    grow.synapses.synapse = "stdp_synapse";
    grow.synapses.weight = constant(10.0), grow.synapses.delay = constant(1.1), grow.synapses.label = 1;
    net.grow(grow);
    net.set_updates(40, true);
  }
  ConnectionColumns some(const char* synapse) const {
    const ConnectionColumns all = net.connections(nullptr, nullptr, synapse);
    ConnectionColumns out;
    for (std::size_t k = 0; k < all.source.size(); k += 3)
      out.slice.push_back(all.slice[k]), out.table.push_back(all.table[k]), out.position.push_back(all.position[k]);
    return out;
  }
  auto result() const {
    const ConnectionColumns c = net.connections(nullptr, nullptr, "");
    std::vector<double> sent_now;
    for (const auto& w : net.sent_weights(sent).weight) sent_now.push_back(w);
    return std::tuple(net.step(), net.spikes(spikes), net.samples(trace).values, c.source, c.target, c.weight, c.delay, sent_now,
                      net.get({first, first + 4}, "tau_m"));
  }
};

using Result = decltype(std::declval<Subject>().result());

struct Case {
  const char* name;
  void (*call)(Subject&);
  bool runs = false;   ///< the call advances time
  bool grows = false;  ///< an update of the structure is due in it
};

constexpr Step before = 40, after = 60;

ConnectionEdits edit_of(const ConnectionColumns& some) {
  ConnectionEdits e;
  static_cast<Handles&>(e) = some;
  return e;
}

const Case cases[] = {
    {"set",
     [](Subject& s) {
       s.net.set({s.first, s.first + 4, s.first + 5}, {{"tau_m", {11.0, 12.0, 13.0}}, {"V_m", {-60.0}}});
       s.net.set({s.poisson}, {{"rate", {4000.0}}});
     }},
    {"set_weights", [](Subject& s) { s.net.set_weights(s.some("stdp_synapse"), {20.0}); }},
    {"edit_values",
     [](Subject& s) {
       ConnectionEdits e = edit_of(s.some(""));
       e.weight = {25.0}, e.delay = {17};
       s.net.edit(e);
     }},
    {"edit_parameters",
     [](Subject& s) {
       ConnectionEdits e = edit_of(s.some("tsodyks2_synapse"));
       e.parameters = {{"U", {0.3}}}, e.sent_before = before;
       s.net.edit(e);
     }},
    {"edit_remove",
     [](Subject& s) {
       ConnectionEdits e = edit_of(s.some(""));
       e.remove = true, e.sent_before = before;
       s.net.edit(e);
     }},
    {"connect",
     [](Subject& s) {
       ConnectCall c = call(nodes(s.first, 9), nodes(s.first, 9), "pairwise_bernoulli", 5.0, 0.7);
       c.rule_params.p = 0.5, c.synapse = "stdp_synapse";
       s.net.connect(c);
     }},
    {"connect_device", [](Subject& s) { s.net.connect(call(nodes(s.poisson, 1), nodes(s.first, 5), "all_to_all", 7.0, 0.4)); }},
    {"connect_and_run",
     [](Subject& s) {
       if (!std::exchange(s.described, true)) {
         const Exempt exempt;  // see connect
         ConnectCall c = call(nodes(s.first, 9), nodes(s.first, 9), "pairwise_bernoulli", 5.0, 0.7);
         c.rule_params.p = 0.5, c.synapse = "stdp_synapse";
         s.net.connect(c);
         s.net.connect(call(nodes(s.poisson, 1), nodes(s.first, 5), "all_to_all", 7.0, 0.4));
         s.net.record_spikes(nodes(s.first, 3), 0, 1 << 30);
       }
       s.net.run(before + after - s.net.step(), nullptr);
     },
     true},
    {"run", [](Subject& s) { s.net.run(before + after - s.net.step(), nullptr); }, true},
    {"grow", [](Subject& s) { s.net.run(before + 1 - s.net.step(), nullptr); }, true, true},
};

/// What was seen, in memory that parent and child share.
struct Report {
  std::int64_t number = 0;  ///< of the allocation that fails
  int unchanged = 0, refused = 0, ended = 0;
  bool over = false;  ///< the call has no allocation of this number
  char wrong[400] = "";
  void fail(const std::string& what) { std::strncpy(wrong, what.c_str(), sizeof wrong - 1); }
};

/// The result of a network that makes the call after `before` steps, or does not, and then runs.
Result expected(const Case& c, bool makes_call) {
  std::optional<Result> found;
  on_ranks(ranks, [&](auto comm) {
    Subject s(comm, c.grows);
    s.net.run(before, nullptr);
    if (makes_call) c.call(s);
    s.net.run(before + after - s.net.step(), nullptr);
    const Result result = s.result();
    if (comm->rank() == 0) found = result;
  });
  return *found;
}

/// Lets an allocation of the call fail; then makes the call again, or not, and runs on.
void try_once(const Case& c, std::int64_t number, bool again, const Result& wanted, Report& report) {
  std::vector<std::string> errors(ranks);
  std::atomic<bool> refused{false};
  const auto others = on_ranks(ranks, [&](auto comm) {
    const auto me = static_cast<std::size_t>(comm->rank());
    if (comm->rank() != failing_rank) set_exempt(true);
    Subject s(std::make_shared<Outside>(comm), c.grows);
    s.net.run(before, nullptr);
    comm->barrier();
    if (comm->rank() == failing_rank) fail_common_allocation(number);
    const auto attempt = [&](auto&& f) -> std::string {
      try {
        f();
      } catch (const Error& e) {
        return e.what();
      } catch (const std::exception& e) {
        return std::string("other: ") + e.what();
      }
      return "";
    };
    errors[me] = attempt([&] { c.call(s); });
    comm->barrier();
    if (comm->rank() == failing_rank) report.over = !has_failed(), fail_common_allocation(-1);
    comm->barrier();
    if (report.over) return;
    if (errors[me].empty()) throw Error("no error");
    if (again || c.runs) errors[me] += attempt([&] { c.call(s); });
    if (c.runs && errors[me].find("out of memory", errors[me].find("out of memory") + 1) != std::string::npos) {
      refused = true;  // consistently: the errors of all ranks are compared below
      s.net.spikes(s.spikes);
      return;
    }
    s.net.run(before + after - s.net.step(), nullptr);
    const Result result = s.result();
    if (me == 0 && result != wanted) throw Error("goes on with other results");
  });
  if (report.over) return;
  for (int r = 0; r < ranks; ++r) {
    if (!others[r].empty()) report.fail("rank " + std::to_string(r) + ": " + others[r]);
    if (errors[r] != errors[0]) report.fail("other error on rank " + std::to_string(r) + ": " + errors[r] + " | " + errors[0]);
  }
  if (!errors[0].starts_with("rank 1: out of memory")) report.fail("error: " + errors[0]);
  (refused ? report.refused : report.unchanged)++;
}

/// Every allocation of the first ones, then every few, as a call has some hundreds.
std::int64_t next(std::int64_t number) {
  static const bool all = std::getenv("NEUROPIL_EVERY_ALLOCATION") != nullptr;
  return number + (all || number < 150 ? 1 : number < 600 ? 7 : 31);
}

/// In a child process, so that a rank that waits for ever, or ends the job, ends only that.
void try_all(const Case& c, const Result (&wanted)[2], Report& report) {
  for (; !report.over && !report.wrong[0]; report.number = next(report.number)) {
    alarm(20);
    const bool again = c.runs || report.number % 2 == 1;
    try_once(c, report.number, again, wanted[again], report);
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
      if (!std::freopen("/dev/null", "w", stderr)) _exit(9);
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
  if (!c.runs) EXPECT_EQ(report.refused + report.ended, 0);
  std::printf("%s: %lld allocations; goes on after %d, refused after %d, job ended by %d\n", c.name, static_cast<long long>(report.number),
              report.unchanged, report.refused, report.ended);
}

INSTANTIATE_TEST_SUITE_P(Calls, OutOfMemory, testing::ValuesIn(cases), [](const auto& info) { return std::string(info.param.name); });

#endif

}  // namespace
}  // namespace npl::sim
