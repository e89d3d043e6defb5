"""Messages of plogs: what they say, which numbers vary in them, and which rules know them.

Fields: ``tid`` a thread, ``n`` up to 24 bits, ``m`` up to 16, ``s`` up to 63, ``dev`` a card,
``addr`` and ``hex`` 48 bits in hexadecimal, ``big`` 62 bits, ``us`` microseconds since boot.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """One statement of the software that logs, without the time and the process.

    Attributes:
        module: who logs.
        text: what stands behind the header, with fields as in ``%`` formatting.
        rules: the rules that match it; an error without any is one that nothing knows.
        more: further lines, which have no header of their own.
    """

    module: str
    text: str
    rules: tuple[str, ...] = ()
    more: str = ""


INFO = (
    Message(
        "RUNTIME",
        "[submit_ring.cc:418] %(tid)d SubmitTask: stream_id=%(m)d, task_id=%(n)d, "
        "task_type=0(KERNEL_AICORE), pending=%(s)d, error code 0",
    ),
    Message(
        "RUNTIME",
        "[device_memory.cc:266] %(tid)d DevMemAlloc: device_id=%(dev)d, size=%(n)d, type=2, "
        "moduleId=33, ptr=0x%(addr)x, ret=0",
    ),
    Message(
        "RUNTIME",
        "[event_pool.cc:97] %(tid)d RecordEvent: event_id=%(m)d on stream_id=%(s)d recorded, "
        "timeout=0ms, waiters=%(s)d",
    ),
    Message(
        "RUNTIME",
        "[args_loader.cc:1204] %(tid)d LoadArgs: kernel te_matmul_%(hex)x_1, argsSize=%(m)d, "
        "hostInputs=%(s)d, blockDim=%(s)d, copied to 0x%(addr)x",
    ),
    Message(
        "HCCL",
        "[collective.cc:1530] [%(tid)d]Entry-HcclAllReduce: tag[AllReduce_10.9.0.%(s)d%%eth0_"
        "60000_0_%(us)d], sendBuf[0x%(addr)x], count[%(n)d], dataType[bfp16], op[sum], "
        "localRank[%(dev)d], streamId[%(m)d]",
    ),
    Message(
        "HCCL",
        "[transport_pool.cc:340] [%(tid)d]reuse link to rank[%(s)d], qp[%(m)d], sq depth 8192, "
        "retry 0, timeout[20], errors:0",
    ),
    Message(
        "GE",
        "[graph_pass_driver.cc:812]%(tid)d RunPass:node [MatMulV2_%(m)d] of graph_%(s)d, "
        "input format ND to FRACTAL_NZ, inserted TransData_%(n)d, result success",
    ),
    Message(
        "GE",
        "[model_runner.cc:233]%(tid)d Launch:task %(m)d of model %(s)d, op MoeTokenPermute_%(n)d "
        "bound to stream %(s)d, elapsed %(m)d us, failed 0",
    ),
    Message(
        "ASCENDCL",
        "[memory_api.cpp:174]%(tid)d aclrtMallocAlign32Impl: start to execute "
        "aclrtMallocAlign32, size = %(n)d, policy = 0",
    ),
    Message(
        "ASCENDCL",
        "[stream_api.cpp:389]%(tid)d aclrtSynchronizeStreamWithTimeoutImpl: stream=0x%(addr)x, "
        "timeout=-1 ms, synchronized",
    ),
    Message(
        "FE",
        "[precision_mode.cc:95]%(tid)d SelectDtype:op LayerNormV3_%(m)d keeps fp32 for "
        "loss scale and gradients, candidates %(s)d, format agnostic",
    ),
    Message(
        "TEFUSION",
        "[build_queue.cc:612]%(tid)d PollTask:task %(n)d kernel te_softmaxv2_%(hex)x_0 state "
        "FINISHED, cache hit, exceptions 0, elapsed %(m)d ms",
    ),
    Message(
        "PROFILING",
        "[report_channel.cpp:77] >>> (tid:%(tid)d) api event type %(s)d level 20000 item "
        "%(big)d begin %(us)d end %(us)d",
    ),
    Message(
        "TDT",
        "[queue_keeper.cpp:150][PumpBatch][tid:%(tid)d] device[%(dev)d] channel train_%(s)d, "
        "%(m)d batches sent, %(s)d waiting",
    ),
    Message(
        "CCECPU",
        "[aicpu_thread.cpp:208][RunKernel][tid:%(tid)d] kernel Cast_%(m)d on core %(s)d took "
        "%(m)d us, monitor timeout 28 s not reached",
    ),
    Message(
        "DRV",
        "[ascend][curpid: %(tid)d, %(tid)d][drv][devmm][halMemMap 211] va 0x%(addr)x, "
        "size %(n)d, devid %(dev)d mapped",
    ),
)

# Remarks that hold what rules look for, and mean nothing bad.
REMARKS = (
    Message(
        "CCECPU",
        "[aicpu_thread.cpp:208][RunKernel][tid:%(tid)d] kernel GetNext_%(m)d on core %(s)d took "
        "%(m)d us, monitor timeout 28 s not reached",
    ),
    Message(
        "HCCL",
        "[socket_waiter.cc:640] [%(tid)d]rank[%(s)d] was not ready, Connection reset by peer, "
        "attempt %(s)d follows",
    ),
    Message(
        "RUNTIME",
        "[stream_state.cc:702] %(tid)d TakeLastError: stream_id=%(m)d, error code is 0, "
        "nothing to report",
    ),
)

EVENT = (
    Message(
        "GE",
        "[iteration_timer.cc:58]%(tid)d ReportStep:model %(s)d step %(n)d done in %(m)d us, "
        "loss scale 65536, overflow 0",
    ),
    Message(
        "HCCL",
        "[communicator.cc:905] [%(tid)d]communicator hccl_world_group ready: rankNum[64], "
        "rank[%(s)d], take time [%(n)d]us",
    ),
    Message(
        "TDT",
        "[client_mode.cpp:91][Report][tid:%(tid)d] device[%(dev)d] heart beat %(n)d, queue %(s)d",
    ),
)

WARNING = (
    Message(
        "RUNTIME",
        "[device_memory.cc:301]%(tid)d DevMemAllocHuge:[drv api] halMemAlloc failed:"
        "size=%(n)d(bytes), type=2, moduleId=33, drvRetCode=6, device_id %(dev)d, "
        "use normal pages",
        ("buffer-oom-driver-retry",),
    ),
    Message(
        "GE",
        "[tiling_registry.cc:140]%(tid)d LoadSo:custom tiling library vendors/site_%(s)d/"
        "liboptiling.so does not exist, skipped",
    ),
    Message(
        "HCCL",
        "[collective.cc:1602] [%(tid)d][AllGather]buffers overlap, scratch memory of %(n)d "
        "bytes is used",
    ),
)

# Errors of a job that logs little else: of each kind of writer, some with further lines.
ERRORS = (
    Message(
        "RUNTIME",
        "[fault_report.cc:1518]%(tid)d ReportCoreFault:The error from device(chipId:%(dev)d, "
        "dieId:0), serial number is %(s)d, there is an aivec error exception, core id is %(s)d, "
        "error code = 0x%(addr)x, dump info: pc start: 0x%(addr)x, current: 0x%(hex)x, "
        "vec error info: 0x%(hex)x, aic error mask: 0x%(addr)x, para base: 0x%(addr)x.",
        ("kernel-fault-core-exception",),
    ),
    Message(
        "RUNTIME",
        "[kernel_task.cc:1411]%(tid)d CheckTask:Kernel task happen error, retCode=0x31, "
        "[vector core exception].",
        ("kernel-fault-task-error",),
    ),
    Message(
        "RUNTIME",
        "[device_memory.cc:318]%(tid)d DevMemAlloc:[drv api] halMemAlloc failed:size=%(n)d"
        "(bytes), type=2, moduleId=33, drvRetCode=6, device_id %(dev)d",
        ("buffer-oom-driver-malloc",),
        "        TraceBack (most recent call last):\n"
        "        alloc device memory failed, size=%(n)d[FUNC:DevMalloc][FILE:pool.cc][LINE:91]\n",
    ),
    Message(
        "HCCL",
        "[socket_waiter.cc:797] [%(tid)d][Wait][LinkEstablish]wait socket establish timeout, "
        "role[1] rank[%(s)d] timeout[120 s]",
        ("communication-wait-link-establish",),
    ),
    Message(
        "HCCL",
        "[fault_handler.cc:466] [%(tid)d][Callback]Task run failed, base information is "
        "streamID:[%(s)d], taskID[%(m)d], taskType[Notify Wait], "
        "tag[AllReduce_10.9.0.%(s)d%%eth0_60000_0_%(us)d], AlgType(level 0-1-2):[ring-NHR-NHR].",
        ("communication-wait-notify-timeout", "communication-task-exception"),
    ),
    Message(
        "GE",
        "[model_runner.cc:240]%(tid)d Launch:answer %(hex)x of the device for task %(m)d is of "
        "an unheard-of kind",
    ),
    Message(
        "TEFUSION",
        "[build_worker.cc:75]%(tid)d Run:worker %(s)d stopped while it wrote a kernel",
        (),
        "  task %(n)d\n  kernel te_softmaxv2_0\n",
    ),
)

# Errors of a storm, beside those above: the same dozen statements from every stream.
STORM = (
    *ERRORS,
    Message(
        "HCCP",
        "[poll_queue.c:522]tid:%(tid)d,poll(522) : cqe error status[12], time:[%(us)d], "
        "remoteIP{server[10.9.0.%(s)d],deviceId[%(dev)d],deviceIp[10.9.1.%(s)d]}, qpn[%(m)d], "
        "wr %(hex)x",
        ("communication-rdma-error-cqe",),
    ),
    Message(
        "RUNTIME",
        "[ring_report.cc:1630]%(tid)d ReadReport:Task run failed, device_id=%(dev)d, "
        "stream_id=%(m)d, task_id=%(n)d, sqe_type=1(aivec), errType=0x1(task exception), "
        "sqSwStatus=0",
        ("kernel-fault-task-error",),
    ),
    Message(
        "RUNTIME",
        "[stream_state.cc:3320]%(tid)d Abort:stream_id=%(m)d enter failure abort.",
        ("kernel-fault-task-error",),
    ),
    Message(
        "DRV",
        "[ascend][curpid: %(tid)d, %(tid)d][drv][devmm][halMemUnmap 245] va 0x%(addr)x of "
        "devid %(dev)d is not mapped, owner %(hex)x",
    ),
    Message(
        "ASCENDCL",
        "[stream_api.cpp:401]%(tid)d WaitStream:stream 0x%(addr)x did not drain, %(m)d tasks left",
    ),
)
