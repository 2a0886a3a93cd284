"""tools/bench/thresholds.py without a GPU: a threshold for each constant, problems that both of its SKUs take, and the crossover of given times."""
import importlib.util
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / 'tools/bench/thresholds.py'
sys.path.insert(0, str(TOOL.parent))
spec = importlib.util.spec_from_file_location('thresholds', TOOL)
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)


check({t.constant for t in tool.THRESHOLDS} == set(tool.constants()), f'{tool.constants()}')
for t in tool.THRESHOLDS:
    reached = [extent * t.scale for extent in t.extents]
    check(min(reached) < tool.constants()[t.constant] < max(reached), f'{t.constant} lies between the extents {reached}')
check(tool.check(sys.argv[1]) == 0, 'a SKU does not take a problem on both sides of its threshold')

check(tool.crossover([100, 200, 400], [1, 2, 4], [2, 2.5, 2]) == 200 + 200 * (1 - 0.8) / (2 - 0.8), 'the place where the second becomes faster')
check(tool.crossover([100, 200], [1, 2], [2, 3]) is None and tool.crossover([100, 200], [3, 3], [2, 2]) is None, 'times that do not cross')
row = {'constant': 'k', 'problem': 'p', 'low': 'a', 'high': 'b', 'extents': [100, 200], 'scale': 2, 'low_us': [1, 3], 'high_us': [2, 2]}
check(tool.verdict(row, 300) == '300: as in force', tool.verdict(row, 300))
check('differs' in tool.verdict(row, 500), tool.verdict(row, 500))
check(tool.verdict(row | {'low_us': [3, 3]}, 300) == 'the second SKU is faster from the first extent on', 'the second SKU is faster throughout')
finish()
