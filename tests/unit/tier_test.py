"""What tests/tier.py asks for."""
import fnmatch
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
import tier  # noqa: E402


def asks_for(wanted, half=None):
    kept = os.environ.pop("ADJOINT_TEST", None)
    if wanted is not None:
        os.environ["ADJOINT_TEST"] = wanted
    try:
        return tier.tier(half)
    finally:
        os.environ.pop("ADJOINT_TEST", None)
        if kept is not None:
            os.environ["ADJOINT_TEST"] = kept


check(asks_for("all") == ["all"], "every SKU is asked for in other words")
check(asks_for("lines softmax/row.cu adam/*") == ["lines", "only\tsoftmax/row.cu", "only\tadam/*"], "globs are lost")
check(asks_for(None) == [f"turn\t{tier.turn()}"], "a plain run does not take its turn")
check({tuple(asks_for(None, half)) for half in (0, 1)} == {(f"turn\t{tier.turn()}", f"half\t{half}") for half in (0, 1)}, "the halves are not two of a plain run")
check(asks_for("all", 0) == ["all"], "every SKU is halved")
# Over the turns every source that simt/lines.tsv does not name is executed on large tensors, those of products every few commits.
sources = [path.relative_to(ROOT / "kernels").as_posix() for path in ROOT.glob("kernels/*/*.cu")]
always = [line.split("\t")[1] for line in (ROOT / "tests/simt/lines.tsv").read_text(encoding="utf-8").splitlines() if line.startswith("only")]
wanted = {source for source in sources if not any(fnmatch.fnmatch(source, glob) for glob in always)}
chosen = [tier.far(turn) for turn in range(2 * len(sources))]
check(all(words[0] == "lines" and len(words) == 2 for words in chosen), "a turn does not take a source by its lines")
check({word.removeprefix("only\t") for words in chosen for word in words[1:]} == wanted, "a source has no turn on large tensors")
check({words[1].removeprefix("only\t") for words in chosen[1:40:2]} == {source for source in wanted if source.startswith(("attention/", "conv/", "gemm/", "matmul/"))},
      "a source of products has no turn within 40")
with tempfile.TemporaryDirectory() as folder:
    tier.ROOT = pathlib.Path(folder)
    check(tier.turn() != 0, "without git every run takes the same turn")
finish()
