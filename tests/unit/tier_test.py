"""What tests/tier.py asks for."""
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
import tier  # noqa: E402

failures = 0


def check(right, what):
    global failures
    if not right:
        failures += 1
        print(f"FAIL: {what}")


def asks_for(wanted):
    kept = os.environ.pop("ADJOINT_TEST", None)
    if wanted is not None:
        os.environ["ADJOINT_TEST"] = wanted
    try:
        return tier.tier()
    finally:
        os.environ.pop("ADJOINT_TEST", None)
        if kept is not None:
            os.environ["ADJOINT_TEST"] = kept


check(asks_for("all") == ["all"], "every SKU is asked for in other words")
check(asks_for("lines softmax/row.cu adam/*") == ["lines", "only\tsoftmax/row.cu", "only\tadam/*"], "globs are lost")
check(asks_for(None) == [f"turn\t{tier.turn()}"], "a plain run does not take its turn")
with tempfile.TemporaryDirectory() as folder:
    tier.ROOT = pathlib.Path(folder)
    check(tier.turn() != 0, "without git every run takes the same turn")
sys.exit(failures > 0)
