"""F3d: documents are packed into one row without a mask between them."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="f3d-documents-mixed",
    title={
        "en": "Packed documents see each other, and the gradient is that of other texts",
        "zh": "打包的文档互相可见，梯度算的是另一批文本",
    },
    program="packing.py",
    expected=Expected("numerics", "numerics-packed-documents-mixed"),
    broken={"document_mask": False, "reset_positions": False},
    decoy=Decoy(
        {
            "en": "positions that begin anew at each document, and no mask",
            "zh": "只让位置编号在每个文档处重新开始，不加 mask",
        },
        {"reset_positions": True},
    ),
    criteria=(
        Criterion("broken", "gradient_error", ">=", 0.01),
        Criterion("fixed", "gradient_error", "<=", 1e-5),
    ),
    support=support.of_torch,
)
