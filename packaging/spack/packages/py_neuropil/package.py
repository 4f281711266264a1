# SPDX-License-Identifier: Apache-2.0
"""Spack package: `spack repo add packaging/spack`, then `spack install py-neuropil`."""

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class PyNeuropil(PythonPackage):
    """Simulator of large spiking neural networks: few bytes per synapse, one result on any number of threads."""

    homepage = "https://github.com/neuropil/neuropil"
    pypi = "neuropil/neuropil-0.2.0.tar.gz"
    git = "https://github.com/neuropil/neuropil.git"

    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=True, description="Runs on several ranks")
    variant("cli", default=True, description="The command neuropil and its jobs")
    variant("results", default=False, description="HDF5 and Parquet files, pandas, xarray")

    depends_on("cxx", type="build")
    depends_on("python@3.11:", type=("build", "link", "run"))
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja@1.10:", type="build")
    depends_on("py-scikit-build-core@1.0:", type="build")
    depends_on("py-nanobind@3.0:", type="build")
    depends_on("py-numpy@1.26:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("mpi", when="+mpi")
    depends_on("py-typer@0.12:0.28", type=("build", "run"), when="+cli")
    depends_on("py-matplotlib@3.8:", type=("build", "run"), when="+cli")
    depends_on("py-h5py@3.10:", type=("build", "run"), when="+results")
    depends_on("py-pandas@2:", type=("build", "run"), when="+results")
    depends_on("py-pyarrow@14:", type=("build", "run"), when="+results")
    depends_on("py-xarray@2023.1:", type=("build", "run"), when="+results")

    conflicts("%gcc@:11", msg="neuropil needs g++ 12 or newer")
    conflicts("%clang@:13", msg="neuropil needs clang++ 14 or newer")

    def config_settings(self, spec, prefix):
        """Options of CMake. Spack compiles for the target of the spec, so the machine's own instruction set is right."""
        options = {"cmake.define.NEUROPIL_ISA": "native"}
        if spec.satisfies("+mpi"):
            options["cmake.define.NEUROPIL_MPI_PREFIXES"] = spec["mpi"].prefix
        return options

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def simulate(self):
        """A neuron spikes when its equation says."""
        python("packaging/smoke.py")
