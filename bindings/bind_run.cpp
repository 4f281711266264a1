// SPDX-License-Identifier: Apache-2.0
/// Kernel: build, run, timers, memory model. build and run are collective.
#include "kernel.hpp"

namespace npl::bindings {
namespace {

/// Calls the Python function poll with the GIL. An exception it raises is stored, stops the work at the next interval and is raised again
/// by rethrow().
class PollGuard {
 public:
  explicit PollGuard(nb::object poll) : poll_(std::move(poll)) {}
  sim::Poll function() {
    if (poll_.is_none()) return [this](const char*, std::uint64_t, std::uint64_t) { return signals_fine(); };
    return [this](const char* phase, std::uint64_t done, std::uint64_t total) {
      nb::gil_scoped_acquire gil;
      if (type_) return false;  // poll raised while building: do not start the run
      if (PyErr_CheckSignals() != 0) return keep(), false;
      try {
        poll_(phase, done, total);
      } catch (nb::python_error& e) {
        e.restore();
        return keep(), false;
      }
      return true;
    };
  }
  void rethrow() {
    if (!type_) return;
    PyErr_Restore(type_, value_, trace_);
    type_ = nullptr;
    throw nb::python_error();
  }

 private:
  bool signals_fine() {
    nb::gil_scoped_acquire gil;
    return !type_ && (PyErr_CheckSignals() == 0 || (keep(), false));
  }
  void keep() {
    if (type_)
      PyErr_Clear();
    else
      PyErr_Fetch(&type_, &value_, &trace_);
  }
  nb::object poll_;
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

/// Returns f(poll), called without the GIL. An exception of poll takes precedence over an error of f, because it came first.
template <class F>
auto polled(nb::object poll, F&& f) {
  PollGuard guard(std::move(poll));
  try {
    const auto done = [&] {
      const auto function = guard.function();
      nb::gil_scoped_release release;
      return f(function);
    }();
    guard.rethrow();
    return done;
  } catch (const Error&) {
    guard.rethrow();
    throw;
  }
}

Step run_steps(Network& net, Step steps, nb::object poll) {
  return polled(std::move(poll), [&](const sim::Poll& function) { return net.run(steps, function); });
}

void build_tables(Network& net, nb::object poll) {
  polled(std::move(poll), [&](const sim::Poll& function) { return net.build(function); });
}

/// Times [s] and amounts of data of each interval on this rank, as columns [intervals].
nb::dict interval_arrays(const Network& net) {
  nb::dict d;
  const auto column = [&](const char* name, auto member) {
    std::vector<double> values;
    for (const sim::Interval& i : net.intervals()) values.push_back(static_cast<double>(i.*member));
    d[name] = to_numpy(std::move(values));
  };
  column("compute", &sim::Interval::compute), column("wait", &sim::Interval::wait), column("collocate", &sim::Interval::collocate);
  column("exchange", &sim::Interval::exchange), column("deliver", &sim::Interval::deliver), column("spikes", &sim::Interval::spikes);
  column("words_sent", &sim::Interval::words_sent), column("words_received", &sim::Interval::words_received);
  column("bytes_sent", &sim::Interval::bytes_sent), column("bytes_received", &sim::Interval::bytes_received);
  column("messages", &sim::Interval::messages), column("rounds", &sim::Interval::rounds),
      column("buffer_bytes", &sim::Interval::buffer_bytes);
  return d;
}

/// Machine to plan for: the current one with the given changes. Throws UnknownName.
sim::Machine to_machine(const Network& net, const nb::dict& given) {
  sim::Machine m = net.machine();
  if (given.contains("ranks") || given.contains("threads") || given.contains("scale")) m.slices = 0;
  for (auto [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "ranks")
      m.ranks = nb::cast<double>(value);
    else if (name == "threads")
      m.threads = nb::cast<int>(value);
    else if (name == "scale")
      m.scale = nb::cast<double>(value);
    else if (name == "rate")
      m.rate = nb::cast<double>(value);
    else if (name == "time")
      m.time = nb::cast<double>(value);
    else if (name == "strategy")
      m.strategy = exchange::find_strategy(nb::cast<std::string>(value)).name;
    else if (name == "regime")
      m.regime = to_regime(value);
    else
      throw UnknownName("option of plan", name, {"ranks", "threads", "scale", "rate", "time", "strategy", "regime"});
  }
  return m;
}

nb::dict forecast_values(const sim::Forecast& f) {
  nb::dict d;
  d["bytes"] = nb::cast(f.bytes);
  d["counts"] = nb::cast(f.counts);
  d["work"] = nb::cast(f.work);
  d["limits"] = nb::cast(f.limits);
  return d;
}

}  // namespace

void bind_run(nb::class_<Network>& kernel) {
  kernel.def("plan", [](const Network& n) { return forecast_values(n.plan()); })
      .def(
          "plan_on", [](const Network& n, const nb::dict& machine) { return forecast_values(n.plan({to_machine(n, machine)}).front()); },
          "machine"_a)
      .def("build", build_tables, "poll"_a.none())
      .def("run", run_steps, "steps"_a, "poll"_a.none())
      .def(
          "set_waveform",
          [](Network& n, bool used, double tolerance, double interval, int most_iterations, int order) {
            n.set_waveform({used, tolerance, interval, most_iterations, order});
          },
          "used"_a, "tolerance"_a, "interval"_a, "most_iterations"_a, "order"_a)
      .def("memory", &Network::memory)
      .def("timers", &Network::timers)
      .def("load", &Network::load)
      .def_prop_ro("up_to_date", &Network::up_to_date)
      .def_prop_ro("own_spikes", &Network::own_spikes)
      .def("counters", &Network::counters, nb::call_guard<nb::gil_scoped_release>())
      .def("intervals", interval_arrays)
      .def(
          "gather",
          [](const Network& n, const In<double>& values) {
            const auto mine = to_vector(values);
            return to_numpy(unlocked([&] { return n.gather(mine); }));
          },
          "values"_a);
}

}  // namespace npl::bindings
