"""Step lines are read in the forms in which frameworks print them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_doctor.formats import metrics
from ascend_doctor.knowledge.uniform import words_with_digits
from ascend_doctor.late import pattern

# name, printed value, epoch, step
FORMS = [
    (" iteration      310/    2000 | elapsed time per iteration (ms): 812.4 | lm loss: 9.100000E+00"
     " | loss scale: 1.0 | grad norm: 1.2 |", ("lm loss", "9.100000E+00", None, 310)),
    ("[2026-01-02 10:00:00] iteration       26/    500 | global batch size:    64 | lm loss: 1.0 |",
     ("lm loss", "1.0", None, 26)),
    ("{'loss': 2.31, 'grad_norm': 0.91, 'learning_rate': 9e-06, 'epoch': 0.11}",
     ("loss", "2.31", 0.11, None)),
    ("{'loss': '2.31', 'grad_norm': '0.91', 'learning_rate': '9e-06', 'epoch': '0.11'}",
     ("loss", "2.31", 0.11, None)),
    ("iter 4820: loss 3.0210, time 402.10ms, mfu 31.20%", ("loss", "3.0210", None, 4820)),
    ("step 1000: train loss 2.9788, val loss 2.9956", ("train loss", "2.9788", None, 1000)),
    ("2026/01/02 10:00:02 - mmengine - INFO - Epoch(train)  [1][  50/7330]  lr: 1e-3  loss: 3.20"
     "  loss_cls: 1.2", ("loss", "3.20", 1.0, 50)),
    ("2026/01/02 10:00:02 - mmengine - INFO - Iter(train) [  50/9000]  grad_norm: 7.1  loss: 3.20",
     ("loss", "3.20", None, 50)),
    ("2026-01-02 10:00:02,100 - mmdet - INFO - Epoch [1][50/7330]\tlr: 1.0e-03, loss_rpn_cls: 0.3,"
     " acc: 80.1, loss: 1.4412", ("loss", "1.4412", 1.0, 50)),
    ("epoch: 1 step: 1739, loss is 0.0695266", ("loss", "0.0695266", 1.0, 1739)),
    ("epoch: 3 step 504, loss is 4.568", ("loss", "4.568", 3.0, 504)),
    ("{ Epoch:[  1/  2], step:[   90/ 6250], loss: 9.120, per_step_time: 3100ms, lr: 1e-06",
     ("loss", "9.120", 1.0, 90)),
    ("{ Epoch:[  1/  3], step:[   15/  900], loss:[3.4/3.5], time:900.1 ms",
     ("loss", "3.4", 1.0, 15)),
    ("[01/02 10:00:52] ppdet.engine INFO: Epoch: [1] [19/58] learning_rate: 0.000064 loss_xy: 1.35"
     " loss: 4025.7 eta: 4 days", ("loss", "4025.7", 1.0, 19)),
    ("2026-01-02 10:00:40,305-INFO: iter: 60, lr: 0.00012, 'loss': '19.41', eta: 2:10:00",
     ("loss", "19.41", None, 60)),
    ("[2026/01/02 10:00:00] ppocr INFO: epoch: [1/500], global_step: 10, lr: 0.001, loss: 25.3,",
     ("loss", "25.3", 1.0, 10)),
    ("[TRAIN] epoch: 1, iter: 10/1000, loss: 0.6931, lr: 0.01", ("loss", "0.6931", 1.0, 10)),
    ("[2026/01/02 10:00:00] root INFO: [Train][Epoch 2/10][Iter: 0/40]lr: 0.1, CELoss: 4.6,"
     " loss: 4.6", ("loss", "4.6", 2.0, 0)),
    ("2026-01-02 10:00:36 | INFO     | yolox.core.trainer:259 - epoch: 1/100, iter: 240/983,"
     " iter_time: 8.7s, total_loss: 5.8, iou_loss: 2.9", ("total_loss", "5.8", 1.0, 240)),
    ("| epoch 004 | loss 4.120 | nll_loss 2.514 | wps 91204 | num_updates 3100 | lr 0.0004",
     ("loss", "4.120", 4.0, 3100)),
    ('{"epoch": 1, "update": 0.08, "loss": "5.3", "nll_loss": "4.1", "num_updates": "100"}',
     ("loss", "5.3", 1.0, 100)),
    ("120/400 [=====>........] - ETA: 5s - loss: 0.3120 - accuracy: 0.9 - val_loss: 0.3",
     ("loss", "0.3120", None, None)),
    ("Epoch 3/10 - loss: 0.3120", ("loss", "0.3120", 3.0, None)),
    ("Train: 3 [  50/1251 (  4%)]  Loss:  6.924 (6.9252)  Time: 1.2s", ("Loss", "6.924", 3.0, 50)),
    ("Epoch: [0][10/391]\tTime 0.1 (0.2)\tLoss 6.9186e+00 (6.9e+00)\tAcc@1 1.0",
     ("Loss", "6.9186e+00", 0.0, 10)),
    ("Epoch: [  1/ 40], Steps: [101/8334], Train Loss: [2.396]", ("Train Loss", "2.396", 1.0, 101)),
    ("Epoch [1/10], Step [100/500], Loss: 2.1033", ("Loss", "2.1033", 1.0, 100)),
    ("Epoch 0:  30%|###       | 120/400 [00:14<00:33,  8.30it/s, loss=0.31, v_num=7]",
     ("loss", "0.31", 0.0, 120)),
    ("  8%|8         | 40/500 [00:41<07:50, 1.02s/it, loss=0.21, lr=2e-5]",
     ("loss", "0.21", None, None)),
    ("Epoch 0: : 47%|####7| 7/15 [06:19<07:13, reduced_train_loss=11.50, global_step=5.000]",
     ("reduced_train_loss", "11.50", 0.0, 7)),
    ("steps: 10 loss: 2.3101 iter time (s): 0.3 samples/sec: 3.1", ("loss", "2.3101", None, 10)),
    ("step:330 smpl:2K loss:0.3 grdn:1 lr:1e-05", ("loss", "0.3", None, 330)),
    ("INFO:tensorflow:loss = 1.204, step = 300 (2.9 sec)", ("loss", "1.204", None, 300)),
    ("step 3 loss: tensor(1.25, device='npu:0')", ("loss", "1.25", None, 3)),
    ("第 3 轮 训练 loss: 0.3，step 9", ("loss", "0.3", None, 9)),
]  # fmt: skip


@pytest.mark.parametrize(("line", "said"), FORMS)
def test_a_step_line_says_its_loss_and_its_place(line, said):
    step = metrics.parse(line.encode())
    assert (step.name, step.text, step.epoch, step.step) == said
    assert step.value == float(step.text)


@pytest.mark.parametrize(
    "line",
    [
        "Test: [  10/50]  Time: 0.2  Loss: 0.93 (0.95)",
        "2026/01/02 10:00:02 - mmengine - INFO - Epoch(val) [1][50/100]  loss: 0.3",
        "val_loss: 0.31",
        "{'eval_loss': 0.41, 'epoch': 1.0}",
        "epoch 3 | valid on 'valid' subset | loss 5.1 | ppl 33",
        "Validation loss: 1.2",
        "验证集 loss: 0.3",
        "Iters: 10/80000 || Task Loss: 1.2 || KD Loss: 3.1",
        "step 3 actor/pg_loss:0.01 critic/vf_loss:0.2",
        "loss scale: 1.0",
        "loss_scale: 65536, loss_fn: cross",
        "packet loss 12%",
        "loss 1: 0.4",
        "best loss 0.2",
        "weight loss is a topic",
    ],
)
def test_what_is_no_total_training_loss_is_left_out(line):
    assert metrics.parse(line.encode()) is None


@pytest.mark.parametrize(
    ("text", "value"), [("nan", math.nan), ("-inf", -math.inf), ("NaN", math.nan)]
)
def test_a_loss_may_not_be_finite(text, value):
    step = metrics.parse(f"iter 3: loss {text}, time 1ms".encode())
    assert step.text == text
    assert step.value == value or math.isnan(step.value)


@pytest.mark.parametrize(
    ("line", "is_bar"),
    [
        ("Epoch 1: 40%|####      | 4/10 [00:01<00:02, loss=0.3]", True),
        ("4/10 [===>...] - 5ms/step - loss: 0.3", True),
        ("iter 3: loss 0.3", False),
    ],
)
def test_a_progress_bar_is_told_apart(line, is_bar):
    assert metrics.parse(line.encode()).is_bar is is_bar


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("{'loss': 0.0, 'reward': 0.4, 'kl': 0.001}", True),
        ("step 3 loss: 0.3 D_loss: 0.1 g_loss: 0.4", True),
        ("epoch 3 loss: 120.1 recon: 100 KL: 20", True),
        ("epoch 3 loss: 0.3 klass: 1 advance: 2", False),
    ],
)
def test_other_objectives_are_told_apart(line, other):
    assert metrics.has_other_objective(line.encode()) is other


@given(st.binary(max_size=300))
def test_no_bytes_break_it(raw):
    for line in (raw, b"loss: " + raw, raw + b" loss: 1.5 " + raw):
        step = metrics.parse(line)
        if step is not None:
            metrics.precision(step.text.lstrip("-"))


@given(st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,20})?([eE][-+]?[0-9]{1,3})?", fullmatch=True))
def test_every_number_has_a_precision(text):
    unit, digits = metrics.precision(text)
    assert unit >= 0
    assert 0 <= digits <= 40


@pytest.mark.parametrize(
    "name", [name for name, value in vars(metrics).items() if isinstance(value, type(pattern("x")))]
)
def test_no_pattern_tells_digits_apart(name):
    assert words_with_digits(getattr(metrics, name).pattern.decode("latin-1")) == ()


def test_of_lines_that_are_alike_each_has_its_own_values():
    for step, loss, norm in ((310, "9.1E+00", "1.25"), (782, "3.4E+00", "0.87")):
        line = f" iteration {step}/ 2000 | lm loss: {loss} | grad norm: {norm} |".encode()
        found = metrics.parse(line)
        assert (found.step, found.text, found.value) == (step, loss, float(loss))
        assert metrics.finite_gradient(line) == norm
