"""tools/bench/curve.py without a GPU: its problems, what the library says of some of them, classes, fractions, table and picture."""
import pathlib
import random
import sys
import xml.dom.minidom

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / 'tools/bench'))
import curve  # noqa: E402


def check(right, what):
    if not right:
        sys.exit(f'FAIL: {what}')


points = curve.points()
check(len({line for line, _, _ in points}) == len(points), 'each problem stands once')
check({curve.name_of(line) for line, _, _ in points} == {op.name for op in curve.OPERATORS}, 'each operator has a name of its own')
check(curve.EXTENTS[0] == 1 and curve.EXTENTS[-1] == 262144, f'{curve.EXTENTS}')
for rest in range(8):
    check(sum(n % 8 == rest for n in curve.EXTENTS) >= 2, f'two extents or more leave {rest} when divided by 8')
for op in curve.OPERATORS:
    for element, size in curve.SIZES.items():
        words = dict(word.split('=') for word in op.problem(1000, element).split()[1:] if '=' in word)
        extents = [int(n) for name in ('shape', 'rows', 'outer', 'samples', 'batch') if name in words for n in words[name].split(',')]
        other = max(n for n in extents if n != 1000)
        check(abs(other * 1000 * op.elements * size / curve.BYTES - 1) < 0.05, f'{op.name} {element} has {other} rows')

drawn = curve.drawn(7, 400)
check(drawn == curve.drawn(7, 400) and drawn != curve.drawn(8, 400), 'a seed says what is drawn')
check({element for _, _, element in drawn} == set(curve.SIZES) and {curve.name_of(line) for line, _, _ in drawn} == {op.name for op in curve.OPERATORS}, 'all are drawn')
check(any('label_smoothing' in line for line, _, _ in drawn) and not all('label_smoothing' in line for line, _, _ in drawn if line.startswith('cross')), 'options are drawn')
tried = random.Random(1).sample([line for line, _, _ in points + drawn], 24)
check(curve.check(sys.argv[1], tried) == 0, 'the library refuses a problem')

line, columns = curve.OPERATORS[0].problem(257, 'bf16'), next(op for op in curve.OPERATORS if op.columns).problem(257, 'bf16')
large = 256 << 20
for found, expected in (((line, 257, 'bf16', 1e6), 'small'), ((line, 257, 'bf16', large), 'rows that are no multiple of 16 bytes'), ((line, 257, 'f32', large), 'rows that are no multiple of 16 bytes'),
                        ((line, 8192, 'f32', large), 'long rows'), ((line, 8, 'bf16', large), 'narrow rows'), ((line, 768, 'bf16', large), 'whole rows'),
                        ((columns, 257, 'bf16', large), 'columns')):
    check(curve.class_of(*found) == expected, f'{found}: {curve.class_of(*found)}')

batch_norm = next(op for op in curve.OPERATORS if op.name == 'batch_norm_forward').problem(64, 'f32')
rows = [{'problem': problem, 'operator': curve.name_of(problem), 'extent': extent, 'element': element, 'us': us, 'copy_us': 90.0, 'sku': 'op/row/bf16', 'class': 'long rows'}
        for problem, extent, element, us in ((line, 257, 'bf16', 100.0), (batch_norm, 64, 'f32', 150.0), (line, 8192, 'bf16', 180.0), (line, 8, 'bf16', 140.0))]
rows.append({'problem': line, 'operator': 'layer_norm_forward', 'extent': 1, 'element': 'bf16', 'error': 'why'})
judged = curve.judge(rows)
check([round(row.get('fraction', 9), 2) for row in judged] == [0.5, 0.64, 0.9, 0.9, 9], f'{judged}')
report = {'device': 'a device', 'copy_ceiling_gb_s': 1000.0, 'rows': judged}
text = curve.table(report)
check('a device, 4 points: median 0.90' in text and '1 of 3 with 16 columns or more below 0.75, 1 of all below 0.6' in text, text)
check('long rows: 1 of 4 points are low.' in text and text.endswith('- ' + line + ': why\n'), text)
drawing = xml.dom.minidom.parseString(curve.picture(report, 'layer_norm_forward'))
check([path.getAttribute('class') for path in drawing.getElementsByTagName('path')].count('bf16') == 2 and len(drawing.toxml()) < 4000, drawing.toxml())
