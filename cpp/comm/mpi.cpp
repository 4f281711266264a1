// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>

#include "base/epoch.hpp"
#include "base/timers.hpp"
#include "comm/mpi_plugin.h"
#include "comm/world.hpp"

namespace npl::comm {
namespace {

class MpiShared final : public SharedMemory {
 public:
  MpiShared(const NplMpi& mpi, std::size_t bytes) : mpi_(mpi), handle_(mpi.share(bytes, &n_, &ranks_)) {}
  MpiShared(const MpiShared&) = delete;
  MpiShared& operator=(const MpiShared&) = delete;
  ~MpiShared() override { mpi_.share_free(handle_); }
  std::span<const int> ranks() const override { return {ranks_, static_cast<std::size_t>(n_)}; }
  std::byte* of(int index) const override { return static_cast<std::byte*>(mpi_.share_of(handle_, index)); }
  void sync() override { mpi_.share_sync(handle_); }

 private:
  const NplMpi& mpi_;
  int n_ = 0;
  const int* ranks_ = nullptr;
  void* handle_;  // made last: it sets the two above
};

/// Name and version out of "Open MPI v5.0.11, package: ..." or "MPICH Version:      5.0.2\n...".
std::string short_name(const std::string& text) {
  std::istringstream words(text.substr(0, text.find_first_of(",\n")));
  std::string name;
  for (std::string word; words >> word;) {
    if (word == "Version:") continue;
    const bool version = word.size() > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9';
    if (!name.empty()) name += ' ';
    name.append(word, version ? 1 : 0);
  }
  return name;
}

int processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// What a rank does between tests in vain. MPI itself would spin: beside other processes a rank that spins, or yields, spends its share of
/// the processor on waiting and then stands behind them for time slices when the message is there, once per exchange; one that sleeps goes
/// first. Where ranks share processors, they yield to one another first: most messages come while they do.
class Patience {
 public:
  /// @param crowded the node has more ranks than processors: they yield to one another
  explicit Patience(bool crowded) : crowded_(crowded) {}
  bool crowded() const { return crowded_; }
  void in_vain() {
    if (tries_ < (crowded_ ? 4 : spin_budget_.spins() / 16)) {
      ++tries_;
      return;
    }
    const double now = seconds_now();
    if (since_ == 0) since_ = now;
    const bool yields = crowded_ && (now - since_ < yields_for);
    const timespec nap{0, 1000};
    yields ? sched_yield() : nanosleep(&nap, nullptr);
  }
  void over() {
    if (since_ != 0) spin_budget_.note_sleep(seconds_now() - since_);
    tries_ = 0, since_ = 0;
  }

 private:
  static constexpr double yields_for = 1e-3;  ///< [s] after which a crowded rank sleeps, too: yields for long cost others their processor
  const bool crowded_;
  int tries_ = 0;
  double since_ = 0;  ///< [s] when it began to sleep; 0: it has not
  SpinBudget spin_budget_;
};

/// Blocking forms of MPI spin. So every operation is started, and the blocking forms here wait for it.
class Mpi final : public Communicator {
 public:
  /// @param number of a communicator of the plug-in
  Mpi(const NplMpi& mpi, int number) : Mpi(mpi, number, (mpi.use(number), mpi.node_size() > processors())) {}

  std::string name() const override { return "mpi (" + short_name(mpi_.library()) + ")"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Request ibarrier() override { return collective(on().barrier); }
  Request iallreduce(std::span<std::int64_t> x, Op op) override { return reduce(x, NPL_MPI_INT64, op); }
  Request iallreduce(std::span<double> x, Op op) override { return reduce(x, NPL_MPI_DOUBLE, op); }
  Request iallgather(const void* send, std::size_t bytes, void* recv) override { return collective(on().allgather, send, bytes, recv); }
  Request iallgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) override {
    return collective(on().allgatherv, send, bytes, recv, counts.data());
  }
  Request ialltoall(const void* send, std::size_t bytes_each, void* recv) override {
    return collective(on().alltoall, send, bytes_each, recv);
  }
  Request ialltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv,
                     std::span<const std::size_t> recv_counts) override {
    return collective(on().alltoallv, send, send_counts.data(), recv, recv_counts.data());
  }
  Request ireduce_scatter(std::span<const std::int64_t> send, std::int64_t* out) override {
    return collective(on().reduce_scatter, send.data(), out);
  }

  int make_topology(std::span<const int> sources, std::span<const int> destinations) override {
    return on().make_topology(sources.data(), static_cast<int>(sources.size()), destinations.data(), static_cast<int>(destinations.size()));
  }
  Request ineighbor_alltoallv(int topology, const void* send, std::span<const std::size_t> send_counts, void* recv,
                              std::span<const std::size_t> recv_counts) override {
    return collective(on().neighbor_alltoallv, topology, send, send_counts.data(), recv, recv_counts.data());
  }

  Request alltoall_init(const void* send, std::size_t bytes_each, void* recv) override {
    return on().alltoall_init(send, bytes_each, recv);
  }
  Request neighbor_alltoall_init(int topology, const void* send, std::size_t bytes_each, void* recv) override {
    return on().neighbor_alltoall_init(topology, send, bytes_each, recv);
  }
  Request send_init(int to, int tag, const void* data, std::size_t bytes) override { return on().send_init(to, tag, data, bytes); }
  Request recv_init(int from, int tag, void* data, std::size_t bytes) override { return on().recv_init(from, tag, data, bytes); }
  void start(std::span<const Request> requests) override { mpi_.start(requests.data(), requests.size()); }
  void release(Request request) override { mpi_.release(request); }

  Request isend(int to, int tag, const void* data, std::size_t bytes) override { return on().isend(to, tag, data, bytes); }
  Request issend(int to, int tag, const void* data, std::size_t bytes) override { return on().issend(to, tag, data, bytes); }
  Request irecv(int from, int tag, void* data, std::size_t bytes) override { return on().irecv(from, tag, data, bytes); }
  std::optional<Message> iprobe(int tag) override {
    Message message{};
    if (!on().iprobe(tag, &message.source, &message.bytes)) {
      patience_.in_vain();
      return std::nullopt;
    }
    patience_.over();
    return message;
  }
  void recv(int source, int tag, void* data, std::size_t bytes) override { on().recv(source, tag, data, bytes); }

  bool test(Request request) override {
    const bool done = mpi_.test(request) != 0;
    if (done) patience_.over();
    return done;
  }
  void wait(Request request) override {
    while (!test(request)) patience_.in_vain();
  }

  int ranks_on_node() const override { return on().node_size(); }
  double sum_on_node(double mine) override {
    on().node_sum(&mine);
    return mine;
  }
  std::unique_ptr<SharedMemory> share(std::size_t bytes) override { return std::make_unique<MpiShared>(on(), bytes); }

  std::shared_ptr<Communicator> split(int color) override {
    const int number = on().split(color);
    return std::shared_ptr<Communicator>(new Mpi(mpi_, number, patience_.crowded()));
  }

  [[noreturn]] void abort(int code, const std::string& why) override {
    std::fflush(stdout);
    if (!why.empty()) std::fprintf(stderr, "neuropil: rank %d of %d: %s\n", rank(), size(), why.c_str());
    std::fflush(stderr);
    mpi_.abort(code >= 1 && code <= 255 ? code : 1);
    _exit(1);
  }

  void barrier() override { wait(ibarrier()); }
  void allreduce(std::span<std::int64_t> x, Op op) override { wait(reduce(x, NPL_MPI_INT64, op)); }
  void allreduce(std::span<double> x, Op op) override { wait(reduce(x, NPL_MPI_DOUBLE, op)); }
  void allgather(const void* send, std::size_t bytes, void* recv) override { wait(collective(on().allgather, send, bytes, recv)); }
  void allgatherv(const void* send, std::size_t bytes, void* recv, std::span<const std::size_t> counts) override {
    wait(collective(on().allgatherv, send, bytes, recv, counts.data()));
  }
  void alltoall(const void* send, std::size_t bytes_each, void* recv) override { wait(collective(on().alltoall, send, bytes_each, recv)); }
  void alltoallv(const void* send, std::span<const std::size_t> send_counts, void* recv,
                 std::span<const std::size_t> recv_counts) override {
    wait(collective(on().alltoallv, send, send_counts.data(), recv, recv_counts.data()));
  }
  std::int64_t reduce_scatter(std::span<const std::int64_t> send) override {
    std::int64_t out = 0;
    wait(collective(on().reduce_scatter, send.data(), &out));
    return out;
  }

 private:
  Mpi(const NplMpi& mpi, int number, bool crowded)
      : mpi_(mpi), number_(number), rank_(on().rank()), size_(on().size()), patience_(crowded) {}
  /// The plug-in, switched to the communicator of this object.
  const NplMpi& on() const {
    mpi_.use(number_);
    return mpi_;
  }
  template <class Verb, class... Arguments>
  Request collective(Verb verb, Arguments... arguments) {
    NplRequest request = 0;
    verb(arguments..., &request);
    return request;
  }
  template <class T>
  Request reduce(std::span<T> x, int type, Op op) {
    static_assert(int(Op::sum) == NPL_MPI_SUM && int(Op::min) == NPL_MPI_MIN && int(Op::max) == NPL_MPI_MAX &&
                  int(Op::bit_or) == NPL_MPI_BIT_OR);
    return collective(on().allreduce, x.data(), x.size(), type, static_cast<int>(op));
  }

  const NplMpi& mpi_;
  const int number_;
  const int rank_, size_;
  Patience patience_;
};

// --- end of the process

const NplMpi* loaded = nullptr;
const NplMpi* opened = nullptr;  ///< `loaded`, where this process has initialised MPI
pid_t opened_by = 0;
void (*farewell)(Communicator&) = nullptr;

void end(int status) {
  if (!ends_mpi()) return;  // a forked child
  const auto world = world_if_made();
  if (status == 0 && world && farewell) farewell(*world);
  opened->close(status);
}

void end_with_process(const NplMpi& table) {
  opened = &table;
  opened_by = getpid();
#ifdef __GLIBC__
  on_exit([](int status, void*) { end(status); }, nullptr);
#else
  std::atexit([] { end(0); });
#endif
}

// --- opening

std::string last_error() {
  const char* text = dlerror();
  return text ? text : "unknown error";
}

/// A plug-in of `neuropil build-mpi` is linked to its libmpi; the others need one opened before.
void* open_plugin(const std::string& path, const std::vector<std::string>& libraries) {
  if (void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return plugin;
  std::string tried = last_error();
  for (const std::string& library : libraries) {
    if (!dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
      tried += "\n  " + last_error();
      continue;
    }
    if (void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return plugin;
    throw NoMpi("the MPI plug-in " + path + " does not fit " + library + ": " + last_error());
  }
  throw NoMpi("no MPI library opens for the plug-in " + path + ":\n  " + tried);
}

}  // namespace

void before_end(void (*call)(Communicator&)) { farewell = call; }
bool ends_mpi() { return opened && opened_by == getpid(); }

std::shared_ptr<Communicator> open_mpi(const std::string& plugin, const std::vector<std::string>& libraries) {
  // Open MPI's one-sided transport over UCX complains about, and fails with, shared windows on some machines.
  setenv("OMPI_MCA_osc", "^ucx", 0);
  void* handle = open_plugin(plugin, libraries);
  const auto entry = reinterpret_cast<NplMpiEntry>(dlsym(handle, NPL_MPI_ENTRY));
  if (!entry) throw NoMpi(plugin + " is no MPI plug-in of neuropil: " + last_error());
  const NplMpi* table = entry();
  if (table->version != NPL_MPI_VERSION || table->bytes != sizeof(NplMpi))
    throw NoMpi("the MPI plug-in " + plugin + " was made for another version of neuropil; make it again with `neuropil build-mpi`");
  const int initialised = table->open();
  if (initialised < 0) throw NoMpi("MPI is already finalised in this process");
  if (initialised == 1) end_with_process(*table);
  loaded = table;
  return std::make_shared<Mpi>(*table, 0);
}

bool mpi_is_open() { return loaded != nullptr; }

std::shared_ptr<Communicator> adopt_mpi(const void* comm) { return std::make_shared<Mpi>(*loaded, loaded->adopt(comm)); }

}  // namespace npl::comm
