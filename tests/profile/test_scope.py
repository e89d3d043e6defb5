"""What is of other ranks than those that are looked at is left out, and counted."""

from __future__ import annotations

import json

import pytest

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.diagnosis.profiles import Profiles
from ascend_doctor.facts import Facts
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.scope import Scope
from tests.profile.tables import KERNELS, STEPS, lines
from tests.rulesets import knowledge, source

CLUSTER = "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free"
KERNEL = "1,0,a,MatMulV2,static,AI_CORE,1.0,5.0,0.5,1,7,F16"


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(tmp_path_factory.mktemp("rules"))


def facts_of(known, files, ranks):
    scope = Scope(ranks=ranks)
    scanner = Scanner(known, scope=scope)
    shards = [scanner.scan(source(path, text.encode())) for path, text in files.items()]
    return Facts(known.digest, {shard.path: shard for shard in shards}, scope=scope)


def seen(known, files, ranks):
    """Return the ranks of profiles, with the steps and tallies, and what was left out and kept."""
    facts = facts_of(known, files, ranks)
    found = [(p.rank, len(p.steps), len(p.tallies)) for p in Profiles(facts).inside]
    cut = diagnose(facts, known).coverage.slice
    assert cut.empty == (not found)
    return found, cut.left_out, cut.unplaced


def own(rank):
    folder = f"w{rank}_ascend_pt"
    info = {"config": {"common_config": {}}, "rank_id": rank, "torch_npu_version": "2.7.1"}
    return {
        f"{folder}/profiler_info.json": json.dumps(info),
        f"{folder}/ASCEND_PROFILER_OUTPUT/kernel_details.csv": lines(KERNELS, KERNEL, KERNEL),
        f"{folder}/ASCEND_PROFILER_OUTPUT/step_trace_time.csv": lines(
            STEPS, "0,1,5,1,0,1,4", "0,2,5,1,0,1,4"
        ),
    }


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        # Two rows of steps, the table of kernels and the file about the profile.
        (((3, 3),), ([(3, 2, 1)], 4, 3)),
        (((3, 4),), ([(3, 2, 1), (4, 2, 1)], 0, 6)),
        (((0, 2),), ([], 8, 0)),
    ],
)
def test_a_file_in_its_folder_says_whose_a_profile_is(known, ranks, expected):
    assert seen(known, {**own(3), **own(4)}, ranks) == expected


def test_rows_that_name_ranks_are_left_out_one_by_one(known):
    rows = [f"1,rank,{rank},5,1,0,1,4" for rank in range(8)]
    files = {"cluster_step_trace_time.csv": lines(CLUSTER, *rows)}
    assert seen(known, files, ((2, 3),)) == ([(2, 1, 0), (3, 1, 0)], 6, 0)
    assert seen(known, files, ((9, 9),)) == ([], 8, 0)


def test_a_folder_may_name_the_rank(known):
    files = {f"rank_{rank}/kernel_details.csv": lines(KERNELS, KERNEL) for rank in (1, 2)}
    assert seen(known, files, ((2, 2),)) == ([(2, 0, 1)], 1, 0)
