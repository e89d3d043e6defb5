"""The generated pages' own words in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from ascend_doctor.records import Lang

_WORDS: Mapping[str, tuple[str, str]] = {
    "other": ("中文", "English"),
    "article_title": ("The article's claims, and what is true", "文章的说法与实际情况"),
    "article_intro": (
        "Many know the five failures at the heart of this tool from an article on variable-length"
        " training. Below is what it says and what holds instead. Any term can be looked up with"
        " `ascend-doctor explain TERM`.",
        "不少人是通过一篇讲变长序列训练的文章认识这五类故障的。下面逐条列出文章的说法与实际情况。"
        "任何术语都可以用 `ascend-doctor explain 术语` 查询。",
    ),
    "real": ("real", "真实存在"),
    "colon": (": ", "："),
    "comma": (", ", "、"),
    "pause": (", ", "，"),
    "rules": ("Rules", "规则"),
    "rules_intro": (
        "What ascend-doctor recognises: {count} rules in {families} families. A page says what"
        " a rule looks for, what it means, how to check it and what to do. `ascend-doctor rules"
        " show ID` prints the same in a terminal; a rule of your own is a YAML file like those"
        " these pages are made from.",
        "ascend-doctor 能识别的故障：{families} 个类别，共 {count} 条规则。每条规则一页，"
        "说明匹配什么、意味着什么、如何确认、如何修复。"
        "在终端可用 `ascend-doctor rules show ID` 查看；"
        "编写自己的规则，只需仿照这些页面的来源写一个 YAML 文件。",
    ),
    "family": ("Family", "类别"),
    "title": ("Title", "标题"),
    "rule": ("Rule", "规则"),
    "count": ("Rules", "规则数"),
    "severity": ("Severity", "级别"),
    "confidence": ("Confidence", "置信度"),
    "role": ("Role", "角色"),
    "status": ("Status", "状态"),
    "how_to_read": ("How to read a page", "如何阅读规则页"),
    "captured_in_angles": (
        "In titles and texts, `<name>` stands for what the rule captures from the log.",
        "标题与正文中的 `<名称>` 代表规则从日志中捕获的值。",
    ),
    "severities": ("what `--fail-on` goes by.", "`--fail-on` 以此为准。"),
    "severity_fatal": (
        "fatal: the job stops, or what it computes is worthless",
        "致命（fatal）：任务中止，或结果无效",
    ),
    "severity_error": ("error: a part of it fails", "错误（error）：部分失败"),
    "severity_warning": (
        "warning: it is slow, or at risk",
        "警告（warning）：变慢，或存在风险",
    ),
    "severity_info": ("info: worth knowing", "提示（info）：仅供参考"),
    "roles": (
        "what a message is in the course of a failure; the root cause is of the role cause where"
        " there is one.",
        "该报错在故障过程中的位置；只要存在角色为 cause 的诊断，就由它作为根因。",
    ),
    "role_cause": ("cause", "根因（cause）"),
    "role_consequence": (
        "consequence: never the headline while something better is found in the process",
        "连带后果（consequence）：同一进程中有更合适的诊断时不作为结论",
    ),
    "role_wrapper": (
        "wrapper: says only which layer passed an error on",
        "封装层报错（wrapper）：只说明是哪一层转报了错误",
    ),
    "role_notice": ("notice: known, and no fault", "提示（notice）：已知情况，不是故障"),
    "short_cause": ("cause", "根因"),
    "short_consequence": ("consequence", "连带后果"),
    "short_wrapper": ("wrapper", "封装层报错"),
    "short_notice": ("notice", "提示"),
    "confidences": ("how sure a diagnosis is.", "诊断的可靠程度。"),
    "sure_high": (
        "high: the deciding line names the cause itself",
        "高（high）：关键行本身说明了原因",
    ),
    "sure_medium": (
        "medium: it follows from a code or a measurement, or from two signs together",
        "中（medium）：由错误码、测量数据或两处迹象推断",
    ),
    "sure_low": (
        "low: only a generic code, message or measurement was found; take it as where to look",
        "低（low）：只有通用错误码、报错或测量数据，仅供确定排查方向",
    ),
    "confidence_high": ("high", "高"),
    "confidence_medium": ("medium", "中"),
    "confidence_low": ("low", "低"),
    "status_experimental": ("experimental", "试验（experimental）"),
    "status_stable": ("stable", "稳定（stable）"),
    "status_deprecated": ("deprecated", "已废弃（deprecated）"),
    "why": ("Why", "原因"),
    "check": ("How to check", "如何确认"),
    "fix": ("How to fix", "如何修复"),
    "article": (
        "This wording is known from an article only; no CANN or torch_npu release prints it.",
        "这一写法仅见于文章，任何 CANN 或 torch_npu 版本都不会打印。",
    ),
    "matches": ("What it looks for", "匹配条件"),
    "literals_one": (
        "These words in this order, within one message:",
        "同一条日志中按顺序出现以下文本：",
    ),
    "literals_regex": (
        "These words in this order, within one message, confirmed by a regular expression:",
        "同一条日志中按顺序出现以下文本，并须符合正则表达式：",
    ),
    "literals_many": (
        "One of these wordings. The words stand in this order within one message; `…` is anything"
        " in between.",
        "以下任一写法。各段文本须按顺序出现在同一条日志中，`…` 表示中间可有任意内容。",
    ),
    "one_of": ("one of", "任一"),
    "regex_item": (", confirmed by the regular expression", "，并须符合正则表达式"),
    "reader_profile": (
        "It is found in what profiles, step lines and npu-smi measure, as a whole, not in a line."
        " Verdict: {verdicts}.",
        "根据性能数据（profile）、step 行与 npu-smi 的整体测量结果判断，而不是某一行日志。"
        "判定结果：{verdicts}。",
    ),
    "reader_curve": (
        "It is found in a whole curve of loss or gradient norm, not in a line. Verdict:"
        " {verdicts}.",
        "根据整条 loss 或梯度范数曲线判断，而不是某一行日志。判定结果：{verdicts}。",
    ),
    "reader_environment": (
        "It is found in the versions that the logs print, taken together. Verdict: {verdicts}.",
        "根据日志中打印的各组件版本综合判断。判定结果：{verdicts}。",
    ),
    "explainer_oom": (
        "Then the sizes in the message decide between several rules; this one is for {verdicts}.",
        "匹配后再根据报错中的各项内存大小区分多条规则；本规则对应 {verdicts}。",
    ),
    "explainer_step_share": (
        "Then the share of the step that waited for data decides; this rule is for {verdicts}.",
        "匹配后再根据 step 中等待数据的占比判断；本规则对应 {verdicts}。",
    ),
    "levels_any": (
        "Lines of all levels count, INFO and DEBUG included.",
        "所有级别的日志都参与匹配，包括 INFO 与 DEBUG。",
    ),
    "modules": ("In plogs, only lines of {modules}.", "在 plog 中只匹配 {modules} 模块的日志。"),
    "fallback": (
        "Has a say only where no other rule and no code fits.",
        "仅在没有其他规则和错误码适用时生效。",
    ),
    "quiet": ("It is counted, and never told.", "只计数，不在报告中显示。"),
    "outvoted": (
        "Disproved by {rule} where that matched more often in the process.",
        "若同一进程中 {rule} 匹配次数更多，则本规则不成立。",
    ),
    "needs_record": ("The message must also hold {what}.", "该条日志还须包含 {what}。"),
    "needs_process": (
        "The logs of the process must also hold {what}.",
        "该进程的日志还须包含 {what}。",
    ),
    "needs_environment": (
        "The logs must say that {name} is {what}.",
        "日志须表明 {name} 为 {what}。",
    ),
    "not_record": ("Not if the message holds {what}.", "该条日志包含 {what} 时不匹配。"),
    "not_process": (
        "Not if the logs of the process hold {what}.",
        "该进程的日志包含 {what} 时不匹配。",
    ),
    "not_environment": ("Not if {name} is {what}.", "{name} 为 {what} 时不匹配。"),
    "or": (" or ", " 或 "),
    "captures": ("What it captures", "捕获内容"),
    "name": ("Name", "名称"),
    "type": ("Type", "类型"),
    "from": ("From", "来源"),
    "from_message": ("the message", "该条日志"),
    "from_followed": ("a message that followed from it", "由其引发的后续日志"),
    "from_environment": (
        "what the logs say of the machine",
        "日志中的环境信息",
    ),
    "from_reader": ("the reader", "整体判断的结果"),
    "from_explainer": ("computed from the numbers", "由数值计算得出"),
    "explains": ("What it brings about", "会引发什么"),
    "explains_intro": (
        "Where these follow, they are filed under this one.",
        "以下报错若随后出现，会归到本条之下。",
    ),
    "family_explains_intro": (
        "Where these follow a cause of this family, they are filed under it.",
        "以下报错若随本类故障之后出现，会归到其下。",
    ),
    "explained_by": ("What brings it about", "可能由什么引发"),
    "explained_intro": (
        "Where one of these came first, this is filed under it.",
        "若以下故障先出现，本条会归到其下。",
    ),
    "all_of_family": ("any of the family {family}", "{family} 类的任意故障"),
    "all_called": ("rules called {glob}", "名称符合 {glob} 的规则"),
    "scope_process": ("in the same process", "同一进程内"),
    "scope_rank": ("on the same rank", "同一 rank 上"),
    "scope_job": ("anywhere in the job", "整个任务内"),
    "within": ("within {seconds} s", "{seconds} 秒内"),
    "remedies": ("For programs", "供程序使用"),
    "remedies_intro": (
        "The `remedies` of the JSON report.",
        "JSON 报告中的 `remedies` 字段。",
    ),
    "examples": ("Examples", "示例"),
    "examples_intro": (
        "Log lines that it matches. They are made up in the form that the software prints.",
        "可以匹配的日志。内容为按软件打印格式编写的示例。",
    ),
    "gives": ("It captures {captures}.", "捕获 {captures}。"),
    "near": ("Does not match", "不匹配"),
    "near_intro": (
        "Close to the above, and not this failure.",
        "与上文相似、但不属于这一故障的日志。",
    ),
    "seen_in": ("Where the wording was seen", "写法来源"),
    "provenance_cann-source": ("source code of CANN", "CANN 源码"),
    "provenance_torch-npu": ("torch_npu", "torch_npu"),
    "provenance_upstream": ("source code of the framework", "上游框架源码"),
    "provenance_public-report": ("public report", "公开的问题反馈"),
    "provenance_vendor-docs": ("vendor documentation", "厂商文档"),
    "provenance_article": ("the article", "文章"),
    "family_next": ("Where to begin", "从何入手"),
    "next": ("What to do", "怎么做"),
    "usually": ("Usually", "常见原因"),
    "misused": ("What goes wrong with it", "常见问题"),
    "claim": ("The article says", "文章说法"),
    "truth": ("In truth", "实际情况"),
    "instead": ("Instead", "应改用"),
    "default": ("Default", "默认值"),
    "deprecated": ("deprecated", "已废弃"),
    "article-only": ("known from the article only", "仅见于文章"),
    "also": ("Also written", "其他写法"),
    "code": ("Code", "错误码"),
    "meaning": ("Meaning", "含义"),
    "variable": ("Variable", "环境变量"),
    "number": ("Number", "编号"),
    "codes": ("Codes", "错误码"),
    "codes_intro": (
        "The sentence beside a code says more than the number: several causes share a code."
        " `ascend-doctor explain CODE` prints what stands here, and `ascend-doctor analyze` reads"
        " the sentence as well.",
        "错误码旁的语句比数字本身更能说明问题：同一错误码可能对应多种原因。"
        "`ascend-doctor explain 错误码` 输出与本页相同的内容，`ascend-doctor analyze` "
        "会连同语句一起分析。",
    ),
    "acl": ("Numbers of ACL, the runtime, GE and aclnn", "ACL、Runtime、GE 与 aclnn 错误码"),
    "error_manager": (
        "Codes of error blocks: E and W with five characters",
        "报错块错误码：E、W 加五个字符",
    ),
    "hccl": ("Codes of HCCL", "HCCL 错误码"),
    "hccl_note": (
        "HCCL prints them in the last four digits of `errNo[0x0000000005000004]`, in hexadecimal.",
        "HCCL 以 `errNo[0x0000000005000004]` 的形式打印，最后四位（十六进制）即编号。",
    ),
    "runtime": ("Internal codes of the runtime", "Runtime 内部错误码"),
    "runtime_note": (
        "Printed as `InnerCode`, `retCode` or `error=0x…`; each stands for a number of ACL.",
        "以 `InnerCode`、`retCode` 或 `error=0x…` 的形式打印，各自对应一个 ACL 错误码。",
    ),
    "torch_npu": ("Codes of torch_npu: ERR and five digits", "torch_npu 错误码：ERR 加五位数字"),
    "more_on": ("More on single codes", "部分错误码详解"),
    "variables": ("Environment variables", "环境变量"),
    "variables_intro": (
        "Those of CANN, HCCL, torch_npu and the frameworks on them that decide what a job does"
        " and what it logs. `ascend-doctor explain NAME` prints the same.",
        "影响任务行为与日志的 CANN、HCCL、torch_npu 及上层框架环境变量。"
        "`ascend-doctor explain 变量名` 输出相同内容。",
    ),
    "thresholds": ("Thresholds of profiles", "性能数据阈值"),
    "thresholds_intro": (
        "From which number on a profile is told to be bad. `ascend-doctor analyze --threshold"
        ' NAME=VALUE` sets one, as does `threshold = ["NAME=VALUE"]` in `ascend-doctor.toml`;'
        " texts name the limit that was in force. A share may be written as a percentage"
        " (`idle-share=30%`), and a number with the unit that stands beside it here"
        " (`slow-fetch=200ms`, `short-kernel=20us`, `gap-size=1024MiB`, `long-step=3x`).",
        "性能数据中某项指标达到多少才算异常。可用 `ascend-doctor analyze --threshold 名称=数值`"
        ' 设置，或在 `ascend-doctor.toml` 中写 `threshold = ["名称=数值"]`；'
        "报告文字会给出实际生效的阈值。占比可写成百分数（`idle-share=30%`），"
        "数值后可带下表所列单位（`slow-fetch=200ms`、`short-kernel=20us`、`gap-size=1024MiB`、"
        "`long-step=3x`）。",
    ),
    "threshold": ("Name", "名称"),
    "range": ("May be", "取值范围"),
    "about": ("What it is about", "含义"),
    "profile_words": ("Words of profiles", "性能数据用语"),
    "profile_words_intro": (
        "What profiles, and the parts into which reports divide a step, call what. `ascend-doctor"
        " explain NAME` prints the same, and for a threshold how to set it.",
        "性能数据与报告中耗时划分的各项名称。`ascend-doctor explain 名称` 输出相同内容；"
        "对阈值还给出设置方法。",
    ),
    "unit_us": ("µs", "µs"),
    "unit_ms": ("ms", "ms"),
    "unit_count": ("", ""),
    "unit_MiB": ("MiB", "MiB"),
    "unit_times": ("times", "倍"),
    "glossary": ("All that can be looked up", "术语总表"),
    "glossary_intro": (
        "What `ascend-doctor explain TERM` knows beside rules and families, and how else people"
        " write it. Codes that are only in a table stand in the [tables](codes/README.md).",
        "除规则与类别外，`ascend-doctor explain 术语` 能解释的内容及其他写法。"
        "只在表中列出的错误码见[错误码表](codes/README.md)。",
    ),
    "term": ("Term", "术语"),
    "kind": ("What it is", "类型"),
    "kind_article": ("term of the article", "文章中的术语"),
    "kind_variables": ("environment variable", "环境变量"),
    "kind_code": ("code", "错误码"),
    "kind_threshold": ("threshold", "阈值"),
    "kind_profile": ("word of profiles", "性能数据用语"),
    "commands": ("Commands", "命令参考"),
    "commands_intro": (
        "Every command, option and exit code, from the commands themselves. `--help` prints the"
        " same.",
        "所有命令、选项与退出码，由程序自身生成。`--help` 输出的是英文原文。",
    ),
    "options": ("Options", "选项"),
    "option": ("Option", "选项"),
    "required": ("required", "必填"),
    "index": ("ascend-doctor: documentation", "ascend-doctor 文档"),
}


def word(name: str, lang: Lang, /, **values: object) -> str:
    """Return one of the pages' own words, with values put in."""
    text = _WORDS[name][0 if lang == "en" else 1]
    return text.format(**values) if values else text
