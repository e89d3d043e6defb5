"""Codes in a message, in each way they are written, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.knowledge.codes import Code, Codes

TABLES = {
    "acl": ["100000", "107002", "507018", "507033", "145000"],
    "hccl": ["4", "9", "19"],
    "error_manager": ["EE1001", "EZ9999", "E10007", "EJ0001", "WC0001"],
    "torch_npu": ["ERR00100", "ERR02005"],
}
ROWS = {
    table: {
        code: Code(table, code, f"NAME_{code}", "invalid_param", "cause", {"en": "x", "zh": "y"})
        for code in codes
    }
    for table, codes in TABLES.items()
}
RUNTIME = {"0x7010001": "507033", "0x7110001": "107002", "0x7999999": "999999"}
CODES = Codes(ROWS, {code: (f"RT_{code}", acl) for code, acl in RUNTIME.items()})


def told(text: bytes) -> list[tuple[int, str, str]]:
    return [(offset, code.table, code.code) for offset, code in CODES.find(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"error code is 507018", (0, "acl", "507018")),
        (b"error code is : 507018", (0, "acl", "507018")),
        (b"error code:507018", (0, "acl", "507018")),
        (b"ErrCode=107002, desc=[x]", (0, "acl", "107002")),
        (b"errCode = 107002", (0, "acl", "107002")),
        (b"ErrorCode=107002.", (0, "acl", "107002")),
        (b"errorCode = 107002", (0, "acl", "107002")),
        (b"runtime result = 107002", (0, "acl", "107002")),
        (b"retCode is 107002", (0, "acl", "107002")),
        (b"CANN failure 507018", (0, "acl", "507018")),
        (b"ge result = 145000", (0, "acl", "145000")),
        (b"ge result[145000]", (0, "acl", "145000")),
        (b"ErrorNo: 145000(x)f", (0, "acl", "145000")),
        (b"rtMalloc failed: 107002", (9, "acl", "107002")),
        (b"rtMalloc failed, 107002", (9, "acl", "107002")),
        (b"aclInit, ret = 100000", (9, "acl", "100000")),
        (b"aclInit ret 100000", (8, "acl", "100000")),
        (b"retCode=0x7010001", (0, "acl", "507033")),
        (b"InnerCode=0x07110001", (0, "acl", "107002")),
        (b"error=0X7010001", None),
        (b"EE1001: no good", (0, "error_manager", "EE1001")),
        (b"Invalid_Argument(EE1001): x", (17, "error_manager", "EE1001")),
        (b"detail:EZ9999[PID: 1]", (7, "error_manager", "EZ9999")),
        (b"E10007: no model", (0, "error_manager", "E10007")),
        (b"WC0001: look out", (0, "error_manager", "WC0001")),
        (b"RankID:3) ERR00100 PTA x", (10, "torch_npu", "ERR00100")),
        (b"507018ERR02005 x", None),
        (b"errNo[0x0000000005000009]", (0, "hccl", "9")),
        (b"errNo[0x0000000005010013]", (0, "hccl", "19")),
        (b"hcclRet -> 4, x", (0, "hccl", "4")),
        (b"port 507018 is taken", None),
        (b"507018", None),
        (b"step 100000 loss 3", None),
        (b"error code is 5070180", None),
        (b"error code is 999999", None),
        (b"result = 429496729", None),
        (b"retCode=0x70100011", None),
        (b"InnerCode=0x7999999", None),
        (b"retCode=0x7000000", None),
        (b"EE10011", None),
        (b"XEE1001", None),
        (b"ee1001", None),
        (b"EE9998: unknown", None),
        (b"ERR001000", None),
        (b"XERR00100", None),
        (b"hcclRet -> 99", None),
        (b"errNo[0x0000000004000009]", None),
        (b"interpret 100000", None),
        (b"", None),
    ],
)
def test_a_code_is_found_only_where_the_software_writes_one(text, found):
    assert told(text) == ([] if found is None else [found])


def test_codes_come_once_each_in_the_order_of_the_text():
    text = b"ERR00100 x EE1001: y, error code is 107002, retCode=0x7110001, EE1001"
    assert told(text) == [
        (0, "torch_npu", "ERR00100"),
        (11, "error_manager", "EE1001"),
        (22, "acl", "107002"),
    ]


def test_the_row_of_a_code_is_told():
    assert CODES.row("acl", "507018") == ROWS["acl"]["507018"]


@settings(deadline=None)
@given(st.binary(max_size=100))
def test_no_text_breaks_the_search(text):
    CODES.find(text)
