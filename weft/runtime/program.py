"""Program objects: created from source, IL or binaries, and built for each device."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from weft import il
from weft.dataclasses import dataclass
from weft.errors import BuildError, InvalidBuildOptions, WeftError
from weft.faults import lack_of_memory
from weft.runtime.codes import (
    CL_BUILD_ERROR,
    CL_BUILD_IN_PROGRESS,
    CL_BUILD_NONE,
    CL_BUILD_PROGRAM_FAILURE,
    CL_BUILD_SUCCESS,
    CL_COMPILE_PROGRAM_FAILURE,
    CL_INVALID_BINARY,
    CL_INVALID_BUILD_OPTIONS,
    CL_INVALID_COMPILER_OPTIONS,
    CL_INVALID_DEVICE,
    CL_INVALID_LINKER_OPTIONS,
    CL_INVALID_OPERATION,
    CL_INVALID_PROGRAM,
    CL_INVALID_PROGRAM_EXECUTABLE,
    CL_INVALID_SPEC_ID,
    CL_INVALID_VALUE,
    CL_LINK_PROGRAM_FAILURE,
    CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
    CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
    CL_PROGRAM_BINARY_TYPE_LIBRARY,
    CL_PROGRAM_BINARY_TYPE_NONE,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.objects import CLObject, lock
from weft.runtime.platform import Device

if TYPE_CHECKING:
    from weft import program as compiled
    from weft.unit import Unit


Notify = Callable[["Program"], None]


def _nobody(_program: "Program") -> None:
    """Do nothing: there is no callback."""


def load_compiler() -> Any:
    """Import `weft.program` at the first build, so that clients without builds do not pay for it."""
    return importlib.import_module("weft.program")


def load_linker() -> Any:
    """Import `weft.unit`, for compiled objects and libraries, at the first use."""
    return importlib.import_module("weft.unit")


@dataclass
class Build:
    """The latest build for one device.

    Its result is an `executable`, or a `unit`: a compiled object or a library.
    """

    status: int = CL_BUILD_NONE
    options: str = ""
    log: str = ""
    binary_type: int = CL_PROGRAM_BINARY_TYPE_NONE
    executable: "compiled.Program | None" = None
    binary: bytes = b""
    unit: "Unit | None" = None

    @property
    def variable_bytes(self) -> int:
        """The size of the program's variables in global memory."""
        return self.executable.variables.nbytes if self.executable is not None else 0


@dataclass(frozen=True)
class _Language:
    """The language features of a device. A build for one device is valid for all with the same features."""

    full: bool
    only: frozenset[str] | None

    @classmethod
    def of(cls, device: Device) -> "_Language":
        return cls(device.info.is_full, device.info.only)

    def arguments(self, source: str | il.SpirvSource) -> dict[str, Any]:
        """Return arguments for the compiler; raises BuildError if the language excludes the source."""
        if (
            isinstance(source, il.SpirvSource)
            and self.only is not None
            and "cl_khr_il_program" not in self.only
        ):
            raise BuildError("error: the device does not support SPIR-V\n")
        return {"embedded": not self.full, "only": self.only}


def _of_executable(executable: Any, options: str, binary: bytes = b"") -> Build:
    return Build(
        CL_BUILD_SUCCESS, options, executable.log, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, executable, binary
    )


def _of_unit(unit: Any, options: str) -> Build:
    kind = CL_PROGRAM_BINARY_TYPE_LIBRARY if unit.is_library else CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    return Build(CL_BUILD_SUCCESS, options, unit.log, kind, unit=unit)


def _loaded(binary: bytes) -> Build:
    """Load a binary of the client, which must still be built before it can run.

    Raises ValueError or WeftError if it is invalid.
    """
    if il.is_il(binary):
        raise ValueError("not a Weft binary; SPIR-V: see clCreateProgramWithIL; SPIR 1.2: not supported")
    linker = load_linker()
    if linker.is_unit(binary):
        build = _of_unit(linker.load_unit(binary), "")
    else:
        build = _of_executable(load_compiler().load_binary(binary), "")
    build.status, build.binary = CL_BUILD_NONE, binary
    return build


class Program(CLObject):
    """A program of a context, with one Build for each of its devices."""

    kind = "program"
    invalid = CL_INVALID_PROGRAM
    native_kind = hot.WEFT_HOT_PROGRAM
    native_version = 0  # version of the record in C (`hot_programs.c`) whose changes have been repeated here

    def __init__(
        self, context: Context, source: str | il.SpirvSource | None = None, devices: Sequence[Device] = ()
    ) -> None:
        self.context = context
        # None for a program created from binaries; an empty string is a valid source.
        self.source = source
        self.devices = tuple(devices) or context.devices
        self.builds = {device: Build() for device in self.devices}
        self.kernel_count = 0
        context.attach()

    @classmethod
    def from_source(cls, context: Context, pieces: Sequence[str]) -> "Program":
        """Create a program from the concatenation of strings."""
        return cls(context, source="".join(pieces))

    @classmethod
    def from_il(cls, context: Context, data: bytes) -> "Program":
        """Create a program from SPIR-V."""
        context.check_support("cl_khr_il_program", "SPIR-V")
        try:
            return cls(context, source=il.new_source(data))
        except ValueError as error:
            raise CLError(CL_INVALID_VALUE, str(error)) from None

    @classmethod
    def from_module(cls, context: Context, data: bytes) -> "Program":
        """Create a program from SPIR-V whose form has been checked by C."""
        return cls(context, source=il.SpirvSource(data))

    def set_constant(self, id: int, value: bytes) -> None:
        """Set a specialization constant that has been checked by C."""
        assert isinstance(self.source, il.SpirvSource)
        self.source = self.source.specialized(id, value)

    @property
    def text(self) -> str:
        """The OpenCL C source; empty if the program was not created from source."""
        return self.source if isinstance(self.source, str) else ""

    @property
    def il(self) -> bytes:
        """The SPIR-V words; empty if the program was not created from SPIR-V."""
        return self.source.data if isinstance(self.source, il.SpirvSource) else b""

    def specialize(self, id: int, value: bytes) -> None:
        """Set a specialization constant of a SPIR-V program, for later builds."""
        assert isinstance(self.source, il.SpirvSource)
        try:
            self.source = il.specialized(self.source, id, value)
        except il.UnknownConstant as error:
            raise CLError(CL_INVALID_SPEC_ID, str(error)) from None
        except ValueError as error:
            raise CLError(CL_INVALID_VALUE, str(error)) from None

    @classmethod
    def from_binaries(
        cls, context: Context, devices: Sequence[Device], binaries: Sequence[bytes]
    ) -> tuple["Program | None", list[int], str]:
        """Create a program from one binary per device.

        Returns it (None if a binary is invalid), a status for each binary, and why the last invalid one is.
        """
        builds: list[Build] = []
        statuses = []
        reason = ""
        for binary in binaries:
            if not binary:
                statuses.append(CL_INVALID_VALUE)
                reason = "a binary is NULL or has no bytes"
                continue
            try:
                builds.append(_loaded(binary))
                statuses.append(0)
            except (WeftError, ValueError) as error:
                statuses.append(CL_INVALID_BINARY)
                reason = str(error)
        if any(statuses):
            return None, statuses, reason
        program = cls(context, devices=devices)
        program.builds = dict(zip(devices, builds, strict=True))
        return program, statuses, ""

    @classmethod
    def linked(
        cls,
        context: Context,
        devices: Sequence[Device],
        parts: Sequence["Program"],
        options: str,
        notify: Notify,
    ) -> "Program":
        """Link compiled programs into a program or library. If that fails, the CLError has the program."""
        targets = tuple(devices) or context.devices
        for device in targets:
            if device not in context.devices:
                raise CLError(CL_INVALID_DEVICE, "a device is not one of the context's devices")
        try:
            parsed = load_linker().parse_link_options(options)
        except InvalidBuildOptions as error:
            raise CLError(CL_INVALID_LINKER_OPTIONS, str(error)) from None
        units = [part.unit(targets) for part in parts]
        program = cls(context, devices=targets)

        def link() -> Build:
            if parsed.create_library:
                return _of_unit(load_linker().link_library(units), options)
            return _of_executable(load_linker().link_executable(units, parsed), options)

        try:
            program._run(targets, options, link, CL_LINK_PROGRAM_FAILURE, CL_INVALID_LINKER_OPTIONS)
        except CLError as error:
            error.made = program
            raise
        finally:
            notify(program)
        return program

    def unit(self, devices: Sequence[Device]) -> "Unit":
        """Return the compiled object or library for `devices`; raises if there is none."""
        for device in devices:
            build = self.builds.get(device)
            if build is None or build.unit is None or build.status == CL_BUILD_IN_PROGRESS:
                message = "an input program has no compiled object or library for a device"
                raise CLError(CL_INVALID_OPERATION, message)
        unit = self.builds[devices[0]].unit
        assert unit is not None
        return unit

    def build(self, devices: Sequence[Device], options: str, notify: Notify = _nobody) -> None:
        """Build for `devices` (if empty, for all of the program); call `notify` after success or failure."""
        targets = self._targets(devices)
        previous = self.builds[targets[0]]
        source = self.source
        if source is None and previous.executable is None:
            code = CL_INVALID_BINARY if previous.unit is not None else CL_INVALID_OPERATION
            raise CLError(code, "the program has no source and no executable binary")

        def compile_all(language: _Language) -> Build:
            if source is not None:
                buffers = frozenset(self.context.buffer_sizes)
                executable = load_compiler().build(
                    source, options, buffers=buffers, **language.arguments(source)
                )
                return _of_executable(executable, options, b"")
            assert previous.executable is not None
            return _of_executable(previous.executable, options, previous.binary)

        try:
            self._run_for_each(
                targets, options, compile_all, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS
            )
        finally:
            notify(self)

    def compile(
        self, devices: Sequence[Device], options: str, headers: Mapping[str, str], notify: Notify = _nobody
    ) -> None:
        """Compile for `devices` into an object that can be linked; `headers` maps include names to texts."""
        targets = self._targets(devices)
        source = self.source
        if source is None:
            raise CLError(CL_INVALID_OPERATION, "the program has no source")

        def compile_one(language: _Language) -> Build:
            arguments = language.arguments(source)
            return _of_unit(load_linker().compile_unit(source, options, headers, **arguments), options)

        try:
            self._run_for_each(
                targets, options, compile_one, CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS
            )
        finally:
            notify(self)

    def _targets(self, devices: Sequence[Device]) -> tuple[Device, ...]:
        targets = tuple(devices) or self.devices
        for device in targets:
            if device not in self.builds:
                raise CLError(CL_INVALID_DEVICE, "the device is not one of the program's devices")
        # A build for a device is valid for its sub-devices too.
        return (*targets, *(d for d in self.devices if d not in targets and d.is_part_of(targets)))

    def _run_for_each(
        self,
        targets: Sequence[Device],
        options: str,
        step: "Callable[[_Language], Build]",
        failure: int,
        bad_options: int,
    ) -> None:
        """Run `step` once for all `targets` of a language; raise the first error after the last step."""
        languages: dict[_Language, list[Device]] = {}
        for device in targets:
            languages.setdefault(_Language.of(device), []).append(device)
        errors = []
        for language, speakers in languages.items():
            try:
                self._run(speakers, options, partial(step, language), failure, bad_options)
            except CLError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def _run(
        self,
        targets: Sequence[Device],
        options: str,
        step: Callable[[], Build],
        failure: int,
        bad_options: int,
    ) -> None:
        """Run one `step` for all `targets` and record the result; raises with one of the two codes."""
        with lock:
            if self.kernel_count:
                raise CLError(CL_INVALID_OPERATION, "the program has kernel objects")
            if any(self.builds[device].status == CL_BUILD_IN_PROGRESS for device in targets):
                raise CLError(CL_INVALID_OPERATION, "the program is still being built")
            replaced = [self.builds[device] for device in targets]
            for device in targets:
                self.builds[device] = Build(CL_BUILD_IN_PROGRESS, options)
        result = Build(CL_BUILD_ERROR, options)
        try:
            result = step()
        except WeftError as error:
            result.log = getattr(error, "log", str(error))
            code = bad_options if isinstance(error, InvalidBuildOptions) else failure
            raise CLError(code, result.log) from error
        except Exception as error:
            if reason := lack_of_memory(error):
                result.log = f"error: {reason}\n"
            raise
        finally:
            for device in targets:
                self.builds[device] = result
            # Commands may still run the code of the previous build.
            self.context.when_idle(replaced.clear)

    def in_use(self) -> bool:
        """Whether kernels need the program, including kernels that Python has not adopted."""
        return self.attached > 0 or hot.weft_hot_dependents(self.handle) > 0

    def executable(self, device: Device | None = None) -> "compiled.Program":
        """Return the successful build for `device`, or for any device; raises if there is none."""
        # A program created from binaries need not be for all devices of the context.
        chosen = [build for owner, build in self.builds.items() if device in (None, owner)]
        for build in chosen:
            if build.status == CL_BUILD_SUCCESS and build.executable is not None:
                return build.executable
        raise CLError(CL_INVALID_PROGRAM_EXECUTABLE, "the program has not been built successfully")

    def binary(self, device: Device) -> bytes:
        """Return the binary for `device`; empty if there is none."""
        build = self.builds[device]
        output = build.executable or build.unit
        if not build.binary and output is not None:
            build.binary = output.binary()
        return build.binary

    def delete(self) -> None:
        """Free the native code when no command runs it any more."""
        self.context.when_idle(self._forget)

    def _forget(self) -> None:
        self.builds = {}
        self.context.detach()
