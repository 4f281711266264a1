// SPDX-License-Identifier: Apache-2.0
#include "base/simd.hpp"
#include "convert.hpp"

namespace {
/// A source build has the loops of one instruction set (CMake option NEUROPIL_ISA): another machine may lack it.
void check_machine() {
  if (npl::set_isa(npl::isa())) return;
  const std::string built(npl::isa_name(npl::isa())), here(npl::isa_name(npl::machine_isa()));
  throw npl::bindings::nb::import_error(("this build of neuropil is for processors of level " + built + ", this machine has " + here +
                                         "; build for all machines with NEUROPIL_ISA=all ./run, or install a wheel")
                                            .c_str());
}
}  // namespace

NB_MODULE(_core, m) {
  check_machine();
  m.doc() = "The kernel of neuropil; use the package neuropil.";
  npl::bindings::bind_errors(m);
  npl::bindings::bind_comm(m);
  npl::bindings::bind_info(m);
  npl::bindings::bind_kernel(m);
  npl::bindings::bind_text(m);
  npl::bindings::bind_circuit(m);
  npl::bindings::bind_reference(m);
  npl::bindings::bind_space(m);
}
