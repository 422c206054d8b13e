"""Fixtures of the device tests: each test that takes `device` runs on every kind."""

import pytest

from weft.device.base import Device, Queue, devices


@pytest.fixture(params=["pthread", "basic"])
def device(request: pytest.FixtureRequest) -> Device:
    return next(device for device in devices() if device.kind == request.param)


@pytest.fixture
def pthread() -> Device:
    return devices()[0]


@pytest.fixture
def queue(device: Device) -> Queue:
    return device.new_queue()


@pytest.fixture
def unordered(device: Device) -> Queue:
    return device.new_queue(out_of_order=True)
