"""tools/bench/models.py without a GPU: the table in the tree is that of its measurements, and peers are joined as the table says."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

BENCH = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/bench"
sys.path.insert(0, str(BENCH))
import join  # noqa: E402
import models  # noqa: E402

found = models.table(join.load(BENCH / "results/h100_models.json"), models.sections(BENCH / "models.txt"))
check(found == (BENCH / "results/h100_models.md").read_text(encoding="utf-8"), "h100_models.md: models.py --from h100_models.json writes another table")

ours = {"device": "d", "torch": "2", "copy_ceiling_gb_s": 1000, "cases": [{"name": n, "us": 2.0, "fraction_of_copy": 0.5, "floor_bytes": 60e6} for n in "abc"]}
peers = {"cases": {"a": {"eager": 3.0, "compiled": "Error: why"}, "b": {"eager": 3.0}, "c": {"eager": "Error: why"}}, "copies": {"a": 1.0, "b": 1.9},
         "graphs": {"a": {"eager": 2.5}, "b": {"eager": 3.5}, "c": {"eager": 4.0}}}
a, b, c = join.join(ours, peers)
check((a["peer"], a["ratio"], a["launched_ratio"], a["fraction_of_such_copy"]) == ("PyTorch eager in a graph", 1.25, 1.5, 0.5), f"a faster graph: {a}")
check((b["peer"], b["ratio"], b["launched_ratio"]) == ("PyTorch eager", 1.5, 1.5), f"a slower graph: {b}")
check((c["peer"], c["ratio"]) == ("PyTorch eager in a graph", 2.0) and "launched_ratio" not in c, f"a graph alone: {c}")
check(models.copies([a, b])[1] == "1 of 2 problems with 50 MB or more have 0.85 of a copy of as many bytes.", f"{models.copies([a, b])}")
check(models.copies([a])[0].endswith("the mean would be 2.50."), f"{models.copies([a])}")
check(models.copies([c]) == [], "no copies were measured")
report = ours | {"cases": [a, b]}
check(models.table(report, [("one", ["a", "b"]), ("two", ["d"])]) == models.table(report, [("one", ["a", "b"])]), "a section without a measurement has a heading")
finish()
