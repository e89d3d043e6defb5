"""JSON files of a profile: what it was taken of, and how long collectives waited."""

from __future__ import annotations

import json

import pytest

from ascend_doctor.profile.documents import MAX_BYTES
from ascend_doctor.profile.model import Measures, Note, Span, Tally
from ascend_doctor.profile.readers import reader_of
from ascend_doctor.records import Evidence
from tests.profile.tables import read

INFO = {
    "config": {
        "common_config": {"with_stack": True, "record_shapes": False},
        "experimental_config": {"_profiler_level": "Level1"},
    },
    "torch_npu_version": "2.7.1",
    "cann_version": "not known",
}


def proof(path: str, line: int, text: str) -> Evidence:
    return Evidence(path, line, text, (line, 0))


def test_versions_and_settings_are_facts():
    path = "w_ascend_pt/profiler_info_12.json"
    assert read(json.dumps(INFO, indent=4), path) == Measures(
        "profiler_info",
        "w_ascend_pt",
        rank=12,
        facts={
            "profiler": "torch_npu",
            "torch_npu": "2.7.1",
            "level": "Level1",
            "with_stack": "true",
            "record_shapes": "false",
        },
        environment=(("torch_npu", "2.7.1", proof(path, 11, '"torch_npu_version": "2.7.1",')),),
    )


def test_the_rank_that_the_file_says_is_believed():
    info = {**INFO, "rank_id": 3}
    assert read(json.dumps(info), "w_ascend_pt/profiler_info.json").rank == 3
    info = {**INFO, "rank_id": -1}
    assert read(json.dumps(info), "w_ascend_pt/profiler_info.json").rank is None


def test_variables_that_are_set_belong_to_the_environment():
    told = {"ENV_VARIABLES": {"HCCL_ALGO": "", "ASCEND_LAUNCH_BLOCKING": "1", "a b": "c"}}
    text = json.dumps({"trace_id": "E0", **told})
    start = text.index('"ASCEND')
    assert read(text, "profiler_metadata.json").environment == (
        ("ASCEND_LAUNCH_BLOCKING", "1", proof("profiler_metadata.json", 1, text[start:])),
    )


def timed(elapsed: float, wait: float) -> dict[str, object]:
    return {
        "Communication Time Info": {
            "Start Timestamp(us)": 1700000000000000.12,
            "Elapse Time(ms)": elapsed,
            "Wait Time(ms)": wait,
        },
        "Communication Bandwidth Info": {},
    }


def test_collectives_are_told_with_their_waits():
    told = {
        "step10": {
            "p2p": {"hcom_send__1_0_1@77": timed(1.0, 0.5)},
            "collective": {
                "hcom_allReduce__1_0_1@77": timed(2.0, 1.5),
                "hcom_allReduce__1_1_1@77": timed(4.0, 0.25),
                "Total Op Info": timed(6.0, 1.75),
            },
        },
        "step11": {"p2p": {}, "collective": {"hcom_allReduce__1_2_1@77": timed(1.0, 0.5)}},
    }
    text = json.dumps(told)
    reduce, send = read(text, "communication.json").tallies
    start = text.index('"hcom_allReduce__1_1_1@77"')
    assert reduce == Tally(
        "collective",
        "hcom_allReduce",
        3,
        7000.0,
        Span(
            4000.0,
            proof("communication.json", 1, text[start : start + 500]),
            1700000000000000.12,
            "10",
            {"operator": "hcom_allReduce__1_1_1@77"},
        ),
        wait_us=2250.0,
        by_step={"10": 6000.0, "11": 1000.0},
    )
    assert (send.name, send.total_us, send.wait_us) == ("hcom_send", 1000.0, 500.0)


def test_a_matrix_says_nothing_of_time():
    told = {
        "step1": {"p2p": {}, "collective": {"allreduce-top1@7": {"0-1": {"Transit Size(MB)": 1}}}}
    }
    assert read(json.dumps(told), "communication_matrix.json") == Measures(
        "communication", "communication_matrix.json"
    )


@pytest.mark.parametrize(
    "told",
    [
        {"(0, 1)": {"step1": {"hcom@1": {"0": timed(1.0, 0.5)}}}},
        {"p2p": {"step1": {"0-1": {"Transport Type": "HCCS", "Transit Size(MB)": 1.0}}}},
    ],
)
def test_summaries_of_a_cluster_are_known(told):
    assert read(json.dumps(told), "c.json") == Measures("silent", "c.json")


def test_a_document_that_is_cut_off_is_said_to_be():
    text = json.dumps(INFO)
    found = read(text[:-1], "profiler_info.json")
    assert (found.broken, found.environment) == ("no whole JSON document", ())


def test_a_document_that_is_too_large_is_not_held_in_memory():
    head = b'{"step1": {"p2p": {'
    blocks = iter([head, *([b" " * (1 << 20)] * 70)])
    reader = reader_of(head)
    assert reader.read("communication.json", blocks).notes == (
        Note("too_large", {"size": str(MAX_BYTES >> 20)}),
    )
    assert len(list(blocks)) == 70 - 64


@pytest.mark.parametrize("deep", ['{"a": ' * 100_000, "[" * 100_000])
def test_a_document_of_any_depth_is_endured(deep):
    text = '{"step1": {"p2p": {"x": ' + deep
    assert read(text, "c.json", size=1 << 16).broken == "no whole JSON document"
