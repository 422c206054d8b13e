"""Commands that are recorded once and replayed."""

from weft.device.recording import Recorder


def test_a_barrier_waits_for_what_one_before_it_did_not():
    recorder = Recorder(out_of_order=True)
    unnamed, named = recorder.marker(), recorder.marker()
    partial = recorder.barrier([named])
    first = recorder.barrier()
    after = recorder.marker()
    second = recorder.barrier()
    records, count = recorder.seal()
    waits = [{*record.waits[0 : record.wait_count]} for record in records[0:count]]
    assert waits[partial.place] == {named.place}
    assert waits[first.place] == {unnamed.place, named.place, partial.place}
    assert waits[after.place] == {first.place}
    assert waits[second.place] == {first.place, after.place}
