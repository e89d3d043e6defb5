"""Faults of all families, each in every form in which releases report it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.grammar import plog
from tests.grammar.error_manager import RELEASES, inner_error, user_error
from tests.grammar.exceptions import (
    OUTPUTS,
    chained,
    dynamo,
    group,
    npu_error,
    out_of_memory,
    traceback,
)

Forms = Mapping[str, list[str]]


@dataclass(frozen=True)
class Fault:
    """One fault: its text in all forms, of which the first is the plain one.

    Attributes:
        rule: what must be diagnosed.
        captures: what this text varies, and so must be said of it.
        plog_body: the message of its only line, if that is a plog line.
    """

    rule: str
    captures: Mapping[str, str]
    forms: Forms
    plog_body: str | None = None

    @property
    def plain(self) -> list[str]:
        """The lines of its plain form."""
        return next(iter(self.forms.values()))


def _logged(module: str, body: str) -> Forms:
    """Return a plog line with every header, and with what may follow its message."""
    forms = {header: [plog.line(module, body, header=header)] for header in plog.HEADERS}
    return forms | {
        "unknown module": [plog.line("26", body)],
        "application": [
            plog.line("APP", f'hook.cpp:run:318: "[PTA]:{body}"', header="no file and line")
        ],
        "error code at the end": [plog.line(module, f"{body} ErrorCode=EE1003.")],
        "newlines within": [plog.line(module, body), "next to it", "\tand below", "  and below"],
    }


def _reported(write: Callable[[str], list[str]]) -> Forms:
    """Return a block of the error manager in every release, alone and at the end of a traceback."""
    forms = {release: write(release) for release in RELEASES}
    for release in RELEASES:
        first, *rest = write(release)
        forms[f"{release}, raised"] = traceback(f"RuntimeError: {first}", *rest)
    return forms


def _raised(*text: str) -> Forms:
    """Return an exception in every kind of traceback."""
    return {
        "traceback": traceback(*text),
        "carets": traceback(*text, carets=True),
        "chained": chained(*text),
        "group": group(*text),
        "alone": [*text],
    }


def _device_range(release: str) -> list[str]:
    return user_error(
        release,
        "EE1001",
        "Invalid_Argument",
        "The argument is invalid.Reason: Set device failed, invalid device, set device=9, "
        "valid device range is [0, 8)",
        solution="1.Check the input parameter range of the function.",
        trace=("rtSetDevice execute failed", "open device 9 failed, runtime result = 107001."),
    )


_OUTPUTS = {
    f"{release}, {output}": traceback(
        *npu_error(
            "c10_npu::SetDevice(device)",
            107001,
            output=output,
            meaning="Invalid device ID.",
            hint="Check whether the device ID is valid.",
            block=_device_range(release),
        )
    )
    for release in RELEASES
    for output in OUTPUTS
}

_LISTEN = "socket type[0], listen on ip[10.7.0.3] and specific port[16731] fail, the port is taken"
_MALLOC = (
    "DevMemAlloc:[drv api] halMemAlloc failed:size=7340032(bytes), type=2, moduleId=3, "
    "drvFlag=216172782113784002, drvRetCode=6, device_id 3, InnerCode=0x7020016"
)
_FEATURE_MAP = "InitFeatureMap:[Alloc][Memory] for feature map failed. size:7516192768, model_id:3"
_AICPU = (
    "PrintAicpuErrorInfo:Aicpu kernel execute failed, device_id=3, stream_id=7, task_id=2, "
    "fault so_name=, fault kernel_name=, fault op_name=ragged_sort_4, extend_info=none"
)
_CORE = (
    "PrintCoreErrorInfo:The error from device(chipId:3, dieId:0), serial number is 11, there is an "
    "aivec error exception, core id is 17, error code = 0x800000, dump info: pc start: 0x1180"
)
_CAPTURE = "rtMemcpy:ErrCode=107030, desc=[the capture mode does not allow it], InnerCode=0x703001c"
_QUEUE = "For 'GetNext', get data timeout. Queue name: 0f3c61d2-11aa-42b7-9d55-6c1b2a7e9001"

FAULTS = (
    Fault("invalid-param-device-id-out-of-range", {"device": "9", "range": "[0, 8)"}, _OUTPUTS),
    Fault(
        "invalid-param-runtime-argument",
        {
            "function": "aclrtCreateEventExWithFlag",
            "value": "77",
            "parameter": "flag",
            "expected": "[0, 15]",
        },
        _reported(
            lambda release: user_error(
                release,
                "EE1003",
                "Invalid_Argument",
                "aclrtCreateEventExWithFlag failed because value 77 for parameter flag is invalid. "
                "Expected value: [0, 15].",
                trace=("rtEventCreateExWithFlag execution failed",),
            )
        ),
    ),
    Fault(
        "invalid-param-aclnn-argument",
        {"operator": "aclnnMatmul", "reason": "The inner axes 640 and 512 do not agree."},
        {
            release: traceback(
                *npu_error(
                    "call aclnnMatmul failed",
                    161002,
                    block=user_error(
                        release,
                        "EZ1001",
                        "AclNN_Parameter_Error",
                        "The inner axes 640 and 512 do not agree.",
                    ),
                )
            )
            for release in RELEASES
        },
    ),
    Fault(
        "invalid-param-ge-option",
        {
            "code": "E10001",
            "reason": "Value [AscendX7] for parameter [--soc_version] is invalid. "
            "Reason: no such chip.",
        },
        _reported(
            lambda release: user_error(
                release,
                "E10001",
                "Invalid_Argument",
                "Value [AscendX7] for parameter [--soc_version] is invalid. Reason: no such chip.",
                solution="Try again with a valid argument.",
            )
        ),
    ),
    Fault(
        "not-found-shared-library",
        {"library": "libge_compiler.so"},
        _raised(
            "ImportError: libge_compiler.so: cannot open shared object file: "
            "No such file or directory"
        ),
    ),
    Fault(
        "not-found-symbol-torch-npu-mismatch",
        {"library": "fused_ops.so", "symbol": "_ZN7c10_npu16getDefaultStreamEa"},
        _raised(
            "ImportError: /srv/job/fused_ops.so: undefined symbol: _ZN7c10_npu16getDefaultStreamEa"
        ),
    ),
    Fault(
        "not-found-operator-binary",
        {"operator": "RaggedSort", "key": "0/1/|int64/ND/int64/ND/"},
        _reported(
            lambda release: inner_error(
                release,
                "EZ9999",
                "Cannot find bin of op RaggedSort, integral key 0/1/|int64/ND/int64/ND/.",
                trace=("Cannot find binary for op RaggedSort.",),
            )
        ),
    ),
    Fault(
        "static-fallback-recompile-limit",
        {
            "option": "recompile_limit",
            "limit": "8",
            "function": "encode",
            "where": "/srv/job/model.py:40",
        },
        {
            "2.6": dynamo(
                "convert_frame.py:1213",
                "torch._dynamo hit config.recompile_limit (8)",
                "   function: 'encode' (/srv/job/model.py:40)",
                "   last reason: 3/7: tensor 'ids' size mismatch at index 1. "
                "expected 311, actual 402",
                'To log all recompilation reasons, use TORCH_LOGS="recompiles".',
            ),
        },
    ),
    Fault(
        "buffer-oom-pool-full",
        {
            "tried": "3.00 GiB",
            "device": "3",
            "capacity": "60.96 GiB",
            "allocated": "57.10 GiB",
            "free": "1.20 GiB",
            "reserved": "57.80 GiB",
            "gap": "0.70 GiB",
            "others": "1.96 GiB",
        },
        {
            f"{form}, {name}, {layout}": write(f"{name}: {out_of_memory(form)}")
            for form in ("old", "new", "allowed")
            for name in ("RuntimeError", "torch.OutOfMemoryError")
            for layout, write in (("traceback", traceback), ("chained", chained))
        },
    ),
    Fault(
        "buffer-oom-driver-malloc",
        {"size": "7340032", "device": "3"},
        _logged("RUNTIME", _MALLOC),
        _MALLOC,
    ),
    Fault("buffer-oom-ge-model", {"size": "7516192768"}, _logged("GE", _FEATURE_MAP), _FEATURE_MAP),
    Fault(
        "dataload-loader-timed-out",
        {"seconds": "75"},
        _raised("RuntimeError: DataLoader timed out after 75 seconds"),
    ),
    Fault(
        "dataload-mindspore-getnext-timeout",
        {"operator": "GetNext", "queue": "0f3c61d2-11aa-42b7-9d55-6c1b2a7e9001"},
        _raised(f"RuntimeError: {_QUEUE}"),
    ),
    Fault(
        "communication-listen-port-busy",
        {"type": "0", "ip": "10.7.0.3", "port": "16731"},
        _logged("HCCL", _LISTEN),
        _LISTEN,
    ),
    Fault(
        "communication-wait-notify-timeout",
        {"remote": "6", "stream": "52", "tag": "AllReduce_world_3", "group": "world_3"},
        _reported(
            lambda release: user_error(
                release,
                "EI0002",
                "Communication_Error_Timeout",
                "The wait execution of the Notify register times out. Reason: The Notify register "
                "has not received the Notify record from remote rank: [6]. base information: "
                "[streamID:[52], taskID[9], taskType[Notify Wait], tag[AllReduce_world_3]]. "
                "group information: [group:[world_3], rankSize[8], rankId[3]]",
            )
        ),
    ),
    Fault(
        "communication-environment-variable",
        {
            "variable": "HCCL_CONNECT_TIMEOUT",
            "value": "5",
            "reason": "Expected value: [120, 7200].",
        },
        _reported(
            lambda release: user_error(
                release,
                "EI0001",
                "Config_Error_Invalid_Environment_Variable",
                "Value 5 for environment variable HCCL_CONNECT_TIMEOUT is invalid. "
                "Expected value: [120, 7200].",
                cause="The value is too small.",
            )
        ),
    ),
    Fault(
        "kernel-fault-core-exception",
        {"chip": "3", "unit": "aivec", "core": "17", "code": "0x800000"},
        _logged("RUNTIME", _CORE),
        _CORE,
    ),
    Fault(
        "kernel-fault-aicpu-exception",
        {"operator": "ragged_sort_4"},
        _logged("RUNTIME", _AICPU),
        _AICPU,
    ),
    Fault(
        "device-fault-hbm-ecc",
        {},
        {
            output: traceback(
                *npu_error("HBM MULTI BIT ECC ERROR", 507054, output=output, kind=kind)
            )
            for output, kind in zip(OUTPUTS, ("NPU", "NPU", "OPS"), strict=True)
        },
    ),
    Fault(
        "host-resource-tls-block",
        {"path": "/opt/py/lib", "library": "libgomp.so.1"},
        _raised(
            "ImportError: /opt/py/lib/libgomp.so.1: cannot allocate memory in static TLS block"
        ),
    ),
    Fault(
        "host-resource-disk-full",
        {"what": "No space left on device", "path": "/data/out/step-40/rank3.pt"},
        _raised("OSError: [Errno 28] No space left on device: '/data/out/step-40/rank3.pt'"),
    ),
    Fault(
        "compile-error-python-call",
        {
            "function": "dispatch_single_op_compile_task",
            "reason": "TypeError: an integer is required",
        },
        _reported(
            lambda release: user_error(
                release,
                "E40024",
                "Environment_Error_Call_Python_Function_Failed",
                "Failed call Python Func/Method [dispatch_single_op_compile_task], "
                "Reason[TypeError: an integer is required]",
            )
        ),
    ),
    Fault(
        "compile-error-triton-ub-overflow",
        {"buffer": "ub", "needed": "2097152", "present": "1572864"},
        _raised(
            "triton.compiler.errors.MLIRCompilationError:",
            "///------------------[ERROR][Triton][BEG]------------------",
            "[ConvertLinalgRToBinary] encounters error:",
            'loc("/tmp/k/kernel.mlir":2:3): error: ub overflow, requires 2097152 bits '
            "while 1572864 bits avaliable!",
        ),
    ),
    Fault(
        "runtime-misuse-fork-after-init",
        {},
        _raised(
            "RuntimeError: Cannot re-initialize NPU in forked subprocess. To use NPU with "
            "multiprocessing, you must use the 'spawn' start method"
        ),
    ),
    Fault(
        "runtime-misuse-capture-conflict",
        {"call": "rtMemcpy", "code": "107030"},
        _logged("RUNTIME", _CAPTURE),
        _CAPTURE,
    ),
    Fault(
        "numerics-training-stopped-on-nan",
        {"what": "Loss became infinite or NaN", "step": "733"},
        {
            layout: write("FloatingPointError: Loss became infinite or NaN at iteration=733!")
            for layout, write in (("traceback", traceback), ("group", group))
        },
    ),
    Fault(
        "framework-error-file-missing",
        {"file": "/data/corpus/part-7.idx"},
        _raised(
            "FileNotFoundError: [Errno 2] No such file or directory: '/data/corpus/part-7.idx'"
        ),
    ),
    Fault(
        "framework-error-checkpoint-mismatch",
        {"model": "Encoder", "detail": 'Missing key(s) in state_dict: "norm.bias".'},
        _raised(
            "RuntimeError: Error(s) in loading state_dict for Encoder:",
            '\tMissing key(s) in state_dict: "norm.bias".',
        ),
    ),
)
