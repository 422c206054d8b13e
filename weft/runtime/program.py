"""Programs: source or binary in, kernels out, and the record of each device's build."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.errors import BuildError, InvalidBuildOptions, WeftError
from weft.runtime.codes import (
    CL_BUILD_ERROR,
    CL_BUILD_IN_PROGRESS,
    CL_BUILD_NONE,
    CL_BUILD_PROGRAM_FAILURE,
    CL_BUILD_SUCCESS,
    CL_INVALID_BINARY,
    CL_INVALID_BUILD_OPTIONS,
    CL_INVALID_DEVICE,
    CL_INVALID_OPERATION,
    CL_INVALID_PROGRAM,
    CL_INVALID_PROGRAM_EXECUTABLE,
    CL_INVALID_VALUE,
    CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
    CL_PROGRAM_BINARY_TYPE_NONE,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.objects import CLObject, lock
from weft.runtime.platform import Device

if TYPE_CHECKING:
    from weft import program as compiled


def load_compiler() -> Any:
    """Built programs, imported at the first build: a client that builds nothing does not pay for it."""
    return importlib.import_module("weft.program")


@dataclass
class Build:
    """What is known of the latest build for one device."""

    status: int = CL_BUILD_NONE
    options: str = ""
    log: str = ""
    binary_type: int = CL_PROGRAM_BINARY_TYPE_NONE
    executable: "compiled.Program | None" = None
    binary: bytes = b""


class Program(CLObject):
    """A program of a context, with one Build for each of its devices."""

    kind = "program"
    invalid = CL_INVALID_PROGRAM

    def __init__(self, context: Context, source: str = "", devices: Sequence[Device] = ()) -> None:
        self.context = context
        self.source = source
        self.devices = tuple(devices) or context.devices
        self.builds = {device: Build() for device in self.devices}
        self.kernel_count = 0
        context.attach()

    @classmethod
    def from_source(cls, context: Context, pieces: Sequence[str]) -> "Program":
        """A program of the given strings, one after the other."""
        return cls(context, source="".join(pieces))

    @classmethod
    def from_binaries(
        cls, context: Context, devices: Sequence[Device], binaries: Sequence[bytes]
    ) -> tuple["Program | None", list[int]]:
        """A program of one binary for each device (None if one is not valid), and each binary's status."""
        loaded: list[Any] = []
        statuses = []
        for binary in binaries:
            if not binary:
                statuses.append(CL_INVALID_VALUE)
                continue
            try:
                loaded.append(load_compiler().load_binary(binary))
                statuses.append(0)
            except (WeftError, ValueError):
                statuses.append(CL_INVALID_BINARY)
        if any(statuses):
            return None, statuses
        program = cls(context, devices=devices)
        for device, binary, executable in zip(devices, binaries, loaded, strict=True):
            build = program.builds[device]
            build.binary, build.executable = binary, executable
            build.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE
        return program, statuses

    def build(
        self, devices: Sequence[Device], options: str, notify: Callable[[], None] | None = None
    ) -> None:
        """Build for `devices` (all of the program's if empty); calls `notify` when done, however it ends."""
        targets = tuple(devices) or self.devices
        for device in targets:
            if device not in self.builds:
                raise CLError(CL_INVALID_DEVICE, "the device is not one of the program's devices")
        with lock:
            if self.kernel_count:
                raise CLError(CL_INVALID_OPERATION, "kernel objects of the program exist")
            if any(self.builds[device].status == CL_BUILD_IN_PROGRESS for device in targets):
                raise CLError(CL_INVALID_OPERATION, "a build of the program is still under way")
            for device in targets:
                self.builds[device].status = CL_BUILD_IN_PROGRESS
        result = Build(CL_BUILD_ERROR, options)
        try:
            # All devices of Weft are the same CPU: what is built for one runs on all.
            result = self._build(options, self.builds[targets[0]])
        except (InvalidBuildOptions, BuildError, WeftError) as error:
            result = Build(CL_BUILD_ERROR, options, getattr(error, "log", str(error)))
            if isinstance(error, InvalidBuildOptions):
                raise CLError(CL_INVALID_BUILD_OPTIONS, str(error)) from None
            raise CLError(CL_BUILD_PROGRAM_FAILURE, result.log) from None
        finally:
            replaced = [self.builds[device].executable for device in targets]
            for device in targets:
                self.builds[device] = result
            # Commands may still run the code of the previous build.
            self.context.when_idle(replaced.clear)
            if notify is not None:
                notify()

    def _build(self, options: str, previous: Build) -> Build:
        if not self.source:
            if previous.executable is None:
                raise BuildError("the program has no source\n")
            executable = previous.executable
        else:
            executable = load_compiler().build(self.source, options)
        return Build(
            CL_BUILD_SUCCESS,
            options,
            executable.log,
            CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            executable,
            previous.binary,
        )

    def executable(self, device: Device | None = None) -> "compiled.Program":
        """The successful build for `device`, or for any device."""
        chosen = self.builds.values() if device is None else [self.builds[device]]
        for build in chosen:
            if build.status == CL_BUILD_SUCCESS and build.executable is not None:
                return build.executable
        raise CLError(CL_INVALID_PROGRAM_EXECUTABLE, "the program has not been built successfully")

    def binary(self, device: Device) -> bytes:
        """The binary for `device`; empty if there is none."""
        build = self.builds[device]
        if not build.binary and build.executable is not None:
            build.binary = build.executable.binary()
        return build.binary

    def delete(self) -> None:
        """Keep the native code until no command runs it, then let it go."""
        self.context.when_idle(self._forget)

    def _forget(self) -> None:
        self.builds = {}
        self.context.detach()
