"""Builds Weft's native parts with the `ziglang` wheel: ICD library, extension modules, device server."""

import importlib
import platform
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import OptionError

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from weft.device import server_imports  # noqa: E402
from weft.icd import generate, register, toolchain  # noqa: E402

SHIM = "weft.icd.libweft_opencl"
NATIVE = ROOT / "weft" / "icd" / "native"
SERVER = "weft.device.weft_device_server"
# Functions of libraries are found before the server gives up the system calls that this may take.
SERVER_ARGUMENTS = ("-pthread", "-lm", "-fPIE", "-pie", "-Wl,-z,now")
CFFI_BUILDERS = {
    "weft.icd._driver": "weft.icd.build_driver",
    "weft.device._pool": "weft.device.build_pool",
    "weft.runtime._hot": "weft.runtime.build_hot",
    "weft.codegen._self_checks": "weft.codegen.build_self_checks",
}


class BuildNative(build_ext):
    """Compiles with `zig cc` against Weft's own declaration of Python's stable interface."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.machine = self.get_finalized_command("bdist_wheel").machine
        if self.machine != "x86_64":
            self.extensions = [ext for ext in self.extensions if ext.name != SERVER]

    def get_ext_filename(self, fullname: str) -> str:
        if fullname.endswith(SHIM.rpartition(".")[2]):
            return str(Path(*fullname.split(".")).with_suffix(".so"))
        if fullname.endswith(SERVER.rpartition(".")[2]):
            return str(Path(*fullname.split(".")))
        return super().get_ext_filename(fullname)

    def build_extension(self, ext: Extension) -> None:
        output = Path(self.get_ext_fullpath(ext.name)).absolute()
        with tempfile.TemporaryDirectory(prefix="weft-build-") as folder:
            if ext.name == SHIM:
                self.build_shim(Path(folder), output)
            elif ext.name == SERVER:
                self.build_server(Path(folder), output)
            else:
                self.build_module(CFFI_BUILDERS[ext.name], Path(folder), output)

    def copy_extensions_to_source(self) -> None:
        super().copy_extensions_to_source()
        register.record_interpreter(NATIVE.parent / register.LIBRARY)

    def build_shim(self, folder: Path, output: Path) -> None:
        (folder / "weft_entries.h").write_text(generate.shim_header())
        sources = [NATIVE / "shim.c", NATIVE / "locate.c", NATIVE / "ended.c"]
        arguments = ["-Wl,-z,nodelete", "-pthread", "-ldl"]
        self.compile_c(sources, output, include=[folder, NATIVE], arguments=arguments)

    def build_server(self, folder: Path, output: Path) -> None:
        (folder / "server_imports.h").write_text(server_imports.header())
        sources = [ROOT / "weft" / "device" / name for name in server_imports.SOURCES]
        self.compile_c(sources, output, shared=False, include=[folder], arguments=SERVER_ARGUMENTS)

    def build_module(self, builder: str, folder: Path, output: Path) -> None:
        ffi = importlib.import_module(builder).ffibuilder
        generated = folder / "module.c"
        ffi.emit_c_code(str(generated))
        _, _, _, options = ffi._assigned_source
        sources = [ROOT / source for source in options.get("sources", ())]
        include = [NATIVE / "abi3", *(ROOT / path for path in options.get("include_dirs", ()))]
        arguments = ["-DPy_LIMITED_API=0x030B0000", "-pthread", *options.get("extra_compile_args", ())]
        arguments += [*options.get("extra_link_args", ())]
        arguments += [f"-l{name}" for name in options.get("libraries", ())]
        self.compile_c([generated, *sources], output, include=include, arguments=arguments)

    def compile_c(self, sources: list[Path], output: Path, **options: object) -> None:
        toolchain.compile_c(sources, output, target=toolchain.system(self.machine), **options)


class BuildPython(build_py):
    """Adds the file by which pyopencl's bundled loader finds Weft in the same environment."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            path = Path(self.build_lib, *register.LOADER_FOLDER, register.ICD_FILE)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(register.RELATIVE_CONTENT)


class TaggedWheel(bdist_wheel):
    """One wheel for all Pythons from 3.11 on: stable interface, old glibc.

    `--plat-name linux_aarch64` makes one for another machine, with the same compiler.
    """

    def finalize_options(self) -> None:
        if self.plat_name is not None:
            # What was made for this machine must not get into the wheel for another.
            self.distribution.get_command_obj("build").build_base = str(Path("build", self.plat_name))
        super().finalize_options()
        system, _, self.machine = self.plat_name.replace("-", "_").partition("_")
        if system != "linux" or self.machine not in ("x86_64", "aarch64", platform.machine()):
            raise OptionError(f"--plat-name {self.plat_name}: expected linux_x86_64 or linux_aarch64")

    def get_tag(self) -> tuple[str, str, str]:
        return "cp311", "abi3", toolchain.platform_tag(self.machine)


setup(
    ext_modules=[
        Extension(name, sources=[], py_limited_api=name in CFFI_BUILDERS)
        for name in (SHIM, *CFFI_BUILDERS, SERVER)
    ],
    cmdclass={"build_ext": BuildNative, "build_py": BuildPython, "bdist_wheel": TaggedWheel},
)
