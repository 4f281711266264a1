// SPDX-License-Identifier: Apache-2.0
/// Translates the kernel's exceptions to the Python classes registered by neuropil.errors at import.
#include "comm/mpi.hpp"
#include "convert.hpp"

namespace npl::bindings {
namespace {

/// Python exception class by name.
nb::dict& classes() {
  static auto* all = new nb::dict();  // never deleted: it must outlive all modules
  return *all;
}

/// Sets the Python error `name` with the message and data of e; ValueError when no such class is registered.
template <class... Data>
void raise(const char* name, const Error& e, Data&&... data) {
  nb::object type =
      classes().contains(name) ? nb::object(classes()[name]) : nb::object(nb::handle(PyExc_ValueError), nb::detail::borrow_t{});
  nb::object error = classes().contains(name) ? type(e.what(), std::forward<Data>(data)...) : type(e.what());
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const BadDelay& e) {
    raise("BadDelay", e, "parameter"_a = e.parameter, "value"_a = e.value, "allowed"_a = e.allowed);
  } catch (const BadParameter& e) {
    raise("BadParameter", e, "parameter"_a = e.parameter, "value"_a = e.value, "allowed"_a = e.allowed);
  } catch (const UnknownName& e) {
    raise("UnknownName", e, "kind"_a = e.kind, "name"_a = e.name, "near"_a = e.near);
  } catch (const BadLength& e) {
    raise("BadLength", e, "parameter"_a = e.parameter, "length"_a = e.length, "wanted"_a = e.wanted);
  } catch (const TooLarge& e) {
    raise("TooLarge", e, "needed"_a = e.bytes_needed, "available"_a = e.bytes_available);
  } catch (const WeightOutgrown& e) {
    raise("WeightOutgrown", e, "synapse"_a = e.synapse, "source"_a = e.source, "target"_a = e.target, "weight"_a = e.weight,
          "time"_a = e.time);
  } catch (const NumericalInstability& e) {
    raise("NumericalInstability", e, "model"_a = e.model, "gid"_a = e.gid, "state"_a = e.state, "value"_a = e.value, "time"_a = e.time);
  } catch (const InputOverflow& e) {
    raise("InputOverflow", e, "model"_a = e.model, "gid"_a = e.gid, "receptor"_a = e.receptor, "time"_a = e.time);
  } catch (const BadCheckpoint& e) {
    raise("BadCheckpoint", e);
  } catch (const IllegalConnection& e) {
    raise("IllegalConnection", e);
  } catch (const comm::NoMpi& e) {
    raise("MpiError", e);
  } catch (const sim::RankError& e) {
    raise("RankError", e);
  } catch (const std::bad_cast&) {
    PyErr_SetString(PyExc_TypeError, "an argument has a type or an array a dtype that cannot be converted");
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  nb::register_exception_translator(translate);
  m.def("set_exceptions", [](nb::dict given) {
    for (auto [name, type] : given) classes()[name] = type;
  });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { classes().clear(); }));
}

}  // namespace npl::bindings
