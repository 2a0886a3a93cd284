"""Speed over extents: curve.py OUTPUT_PREFIX [--adjoint PROGRAM] [--operators GLOB] [--seed N --count N] [--peers N] [--svg] [--from OUTPUT.json] [--dry-run]

Each operator with rows or columns is measured at extents from 1 to 262144, with operands of 256 MB in all: where planning changes, around powers of two, at primes and
other odd numbers. A point is its time beside that of a copy of as many bytes; what a second pass has to read is allowed for. OUTPUT_PREFIX.md names the points below
the limit by class, .json has all times, and with --svg OUTPUT_PREFIX_<operator>.svg is a picture. With --seed shapes, types, options and sizes are drawn instead.
--peers measures PyTorch, launched and in graphs, at the N lowest points. --from writes tables and pictures of an earlier run. --dry-run prints the problems and checks
without a GPU that the library takes them."""
import argparse
import fnmatch
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import files
import records

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BYTES = 256 << 20
SIZES = {'bf16': 2, 'f16': 2, 'f32': 4}
TYPES = ('bf16', 'f32')
LIMIT, FLOOR = 0.75, 0.6
VECTOR = 16                         # bytes
NARROW, LONG, SMALL = 16, 8192, 16 << 20  # columns, columns, bytes
MOST_ROWS = 1 << 28

# Powers of two and their neighbours, where kernels hold one unit more or less; widths of models; multiples of 2 and 4; primes and other odd numbers.
EXTENTS = sorted({1 << power for power in range(19)} | {(1 << power) + step for power in (6, 8, 10, 11, 12, 13, 14, 15, 16, 17) for step in (-1, 1)}
                 | {3, 5, 7, 12, 22, 24, 31, 33, 48, 49, 50, 96, 97, 100, 192, 197, 250, 384, 500, 513, 640, 768, 1000, 1001, 1002, 1152, 1280, 1500, 1502, 1536, 1601, 2304, 2560, 3072, 3584,
                    4099, 5120, 6144, 7168, 8200, 10240, 12288, 14336, 20480, 24576, 28672, 32000, 40001, 50257, 50304, 100003, 128256, 151936, 262139})


class Operator:
    """line: a problem of `rows` rows of `columns` elements. elements: of a row and column that are read and written. passes: bytes that have to move over
    those that are counted. columns: sums go along the rows' axis. options: words of which the random mode takes some."""

    def __init__(self, line, elements, passes=1.0, columns=False, options=()):
        self.line, self.elements, self.passes, self.columns, self.options = line, elements, passes, columns, options
        self.name = line.split()[0] + (' columns' if columns else '')

    def problem(self, extent, element, total=BYTES, words=''):
        other = max(1, min(MOST_ROWS, round(total / (extent * SIZES[element] * self.elements))))
        rows, columns = (extent, other) if self.columns else (other, extent)
        return ' '.join(self.line.format(rows=rows, columns=columns, element=element).split() + words.split())


def norm(op, words, elements):
    return Operator(f'{op} shape={{rows}},{{columns}} axis=1 element={{element}} {words}', elements)


OPERATORS = [
    norm('layer_norm_forward', '+gamma +beta +mean +inv_std', 2),
    norm('rms_norm_forward', '+gamma +inv_std', 2),
    norm('layer_norm_backward', 'has_dgamma=1 has_dbeta=1 inv_std:positive', 3),
    norm('rms_norm_backward', 'has_dgamma=1 inv_std:positive', 3),
    Operator('softmax_forward outer={rows} extent={columns} element={element}', 2),
    Operator('softmax_backward outer={rows} extent={columns} element={element}', 3),
    Operator('cross_entropy_with_gradient samples={rows} num_classes={columns} element={element} label=i64 labels:<{columns} dloss:1 dscores:scores', 2,
             options=('z_loss=0.0001', 'label_smoothing=0.1')),
    Operator('softmax_cross_entropy_loss batch={rows} num_classes={columns} element={element} label=i64 labels:<{columns}', 2),
    Operator('log_prob_entropy samples={rows} num_classes={columns} element={element} label=i64 labels:<{columns}', 1),
    Operator('log_prob_entropy_backward samples={rows} num_classes={columns} element={element} label=i64 labels:<{columns}', 2),
    Operator('reduce shape={rows},{columns} axes=1 kind=sum element={element}', 1),
    Operator('reduce shape={rows},{columns} axes=0 kind=sum element={element}', 1, columns=True),
    Operator('activation_backward outer={rows} inner={columns} function=gelu_tanh has_bias=1 has_dbias=1 element={element}', 3),
    Operator('gated_activation_forward outer={rows} inner={columns} function=swiglu element={element}', 3),
    Operator('gated_activation_backward outer={rows} inner={columns} function=swiglu element={element}', 5),
    Operator('bias_softmax_dropout_forward rows={rows} columns={columns} element={element} mask=bool ratio:0.1', 3),
    Operator('softmax_dropout_backward rows={rows} columns={columns} element={element} mask=bool ratio:0.1', 3),
    Operator('batch_norm_forward outer={rows} channels=64 inner={columns} element={element}', 128, passes=3 / 2),
    Operator('batch_norm_backward outer={rows} channels=64 inner={columns} element={element} saved_inv_std:positive +dscale +dbias', 192, passes=5 / 3),
]


def name_of(line):
    """The operator of a line; sums of columns apart."""
    return next(op.name for op in OPERATORS if op.name.split()[0] == line.split()[0] and op.columns == ('axes=0' in line))


def operator_of(line):
    return next(op for op in OPERATORS if op.name == name_of(line))


def points(pattern='*'):
    """[(line, extent, element)] of the curve."""
    found = {}
    for op in OPERATORS:
        if fnmatch.fnmatchcase(op.name, pattern):
            for element in TYPES:
                for extent in EXTENTS:
                    found.setdefault(op.problem(extent, element), (extent, element))
    return [(line, *point) for line, point in found.items()]


def drawn(seed, count, pattern='*'):
    """The same of problems drawn by a seed: any extent, evenly by its logarithm, as often a multiple of 2 or 8 as any number, and from 1 MB to 1 GB."""
    r = random.Random(seed)
    chosen = [op for op in OPERATORS if fnmatch.fnmatchcase(op.name, pattern)]
    found = []
    for i in range(count):
        op = chosen[i % len(chosen)]
        extent = round(2 ** r.uniform(0, 18))
        unit = r.choice((1, 1, 2, 8))
        extent, element = max(1, extent // unit * unit), r.choice(tuple(SIZES))
        words = ' '.join(word for word in op.options if r.random() < 0.5)
        found.append((op.problem(extent, element, 2 ** r.uniform(20, 30), words), extent, element))
    return found


def class_of(line, extent, element, floor_bytes):
    """Why a point may be low."""
    if floor_bytes < SMALL:
        return 'small'
    if operator_of(line).columns:
        return 'columns'
    if extent < NARROW:
        return 'narrow rows'
    if extent * SIZES[element] % VECTOR:
        return 'rows that are no multiple of 16 bytes'
    return 'long rows' if extent >= LONG else 'whole rows'


def measure(options, chosen):
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
        file.write('\n'.join(line for line, _, _ in chosen) + '\n')
        file.flush()
        done = subprocess.run([options.adjoint, 'bench', '--problems', file.name, '--repeats', str(options.repeats), '--copies', '--json'], stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(f'adjoint bench: exit code {done.returncode}')
    report = json.loads(done.stdout)
    cases = {case['name']: case for case in report['cases']}
    rows = []
    for line, extent, element in chosen:
        case = cases[line]
        row = {'problem': line, 'operator': name_of(line), 'extent': extent, 'element': element}
        if 'us' in case:
            row |= {'us': case['us'], 'copy_us': case['copy_us'], 'sku': case['sku'], 'class': class_of(line, extent, element, case['floor_bytes'])}
        else:
            row['error'] = case['error']
        rows.append(row)
    return {'device': report['device'], 'copy_ceiling_gb_s': report['copy_ceiling_gb_s'], 'rows': rows}


def judge(rows):
    """Adds the fraction of what the passes allow, and sorts the lowest first."""
    for row in rows:
        if 'us' in row:
            row['fraction'] = row['copy_us'] * operator_of(row['problem']).passes / row['us']
    return sorted(rows, key=lambda row: row.get('fraction', math.inf))


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else math.nan


def peers(rows, count, output):
    """Adds the time of PyTorch's fastest variant to the lowest points that have one."""
    import measuring
    import problems
    measuring.begin(output)
    for row in [row for row in rows if 'fraction' in row][:count]:
        try:
            variants = problems.peers(row['problem'])
        except KeyError:
            continue
        measuring.case(row['problem'], variants, graphs=True)
        times = {**measuring.rows.get(row['problem'], {}), **{f'{k} in a graph': v for k, v in measuring.replays.get(row['problem'], {}).items()}}
        times = {k: v for k, v in times.items() if isinstance(v, float)}
        if times:
            row['peer'] = min(times, key=times.get)
            row['peer_us'] = times[row['peer']]


def table(report, limit=LIMIT, most=12):
    measured = [row for row in report['rows'] if 'fraction' in row]
    wide = [row for row in measured if row['extent'] >= NARROW]
    low = [row for row in measured if row['fraction'] < (limit if row['extent'] >= NARROW else FLOOR)]
    text = [f"{report['device']}, {len(measured)} points: median {median([row['fraction'] for row in measured]):.2f} of a copy of as many bytes, "
            f"{sum(row['fraction'] < limit for row in wide)} of {len(wide)} with {NARROW} columns or more below {limit}, "
            f"{sum(row['fraction'] < FLOOR for row in measured)} of all below {FLOOR}.", '',
            '| operator | points | median | lowest | at |', '| --- | ---: | ---: | ---: | --- |']
    for name in dict.fromkeys(op.name for op in OPERATORS):
        own = [row for row in measured if row['operator'] == name]
        if own:
            worst = min(own, key=lambda row: row['fraction'])
            text.append(f"| {name} | {len(own)} | {median([row['fraction'] for row in own]):.2f} | {worst['fraction']:.2f} | {worst['extent']} {worst['element']} |")
    for name in sorted({row['class'] for row in low}):
        own = [row for row in low if row['class'] == name]
        of_class = sum(row['class'] == name for row in measured)
        text += ['', f'{name}: {len(own)} of {of_class} points are low.', '', '| problem | kernel | us | of a copy | peer | peer time / ours |',
                 '| --- | --- | ---: | ---: | --- | ---: |']
        for row in own[:most]:
            ratio = f"{row['peer_us'] / row['us']:.2f}" if 'peer_us' in row else ''
            text.append(f"| {row['problem']} | {row['sku'].split('/')[1]} | {row['us']:.1f} | {row['fraction']:.2f} | {row.get('peer', '')} | {ratio} |")
    failed = [row for row in report['rows'] if 'error' in row]
    return '\n'.join(text + [''] * bool(failed) + [f"- {row['problem']}: {row['error']}" for row in failed]) + '\n'


def picture(report, name):
    """A small picture of an operator: the extent against the fraction, one line for each type."""
    width, height, left, bottom, top = 420, 190, 34, 22, 22
    rows = [row for row in report['rows'] if row['operator'] == name and 'fraction' in row]
    last = max(18.0, *(math.log2(row['extent']) for row in rows))

    def x(extent):
        return left + math.log2(extent) / last * (width - left - 8)

    def y(fraction):
        return height - bottom - min(fraction, 1.25) / 1.25 * (height - bottom - top)
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">', '<style>',
            '.page { fill: #fff } text { fill: #222 } .grid { stroke: #ddd } .bf16 { stroke: #3b82f6 } .f32 { stroke: #d97706 } .f16 { stroke: #22a55b } path { fill: none }',
            '@media (prefers-color-scheme: dark) { .page { fill: #0d1117 } text { fill: #ddd } .grid { stroke: #333 } }', '</style>',
            f'<rect class="page" width="{width}" height="{height}"/>', f'<text x="{left}" y="14">{name}: fraction of a copy by extent</text>']
    for fraction in (0, 0.25, 0.5, 0.75, 1):
        text.append(f'<path class="grid" d="M{left} {y(fraction):.0f}H{width - 8}"/><text x="{left - 4}" y="{y(fraction) + 3:.0f}" text-anchor="end">{fraction:g}</text>')
    for power in range(0, int(last) + 1, 3):
        text.append(f'<text x="{x(1 << power):.0f}" y="{height - 8}" text-anchor="middle">{1 << power}</text>')
    types = sorted({row['element'] for row in rows})
    for i, element in enumerate(types):
        own = sorted((row['extent'], row['fraction']) for row in rows if row['element'] == element)
        text.append(f'<path class="{element}" d="M' + 'L'.join(f'{x(extent):.1f} {y(fraction):.1f}' for extent, fraction in own) + '"/>')
        text.append(f'<path class="{element}" d="M{width - 100 + 50 * i} 11h14"/><text x="{width - 83 + 50 * i}" y="14">{element}</text>')
    return '\n'.join(text) + '\n</svg>\n'


def check(adjoint, lines):
    failed = 0
    for line in lines:
        words = [word for word in line.split() if ':' not in word and not word.startswith('+')]
        done = subprocess.run([adjoint, 'sku', 'explain', *words, '--arch', 'sm_90a'], capture_output=True, text=True)
        failed += done.returncode != 0
        print(line if not done.returncode else f'FAIL {line}: {done.stdout}{done.stderr}')
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output', nargs='?')
    parser.add_argument('--adjoint', default=ROOT / 'build/tools/adjoint')
    parser.add_argument('--operators', default='*')
    parser.add_argument('--repeats', type=int, default=5)
    parser.add_argument('--seed', type=int)
    parser.add_argument('--count', type=int, default=500)
    parser.add_argument('--peers', type=int, default=0, metavar='N')
    parser.add_argument('--limit', type=float, default=LIMIT)
    parser.add_argument('--svg', action='store_true')
    parser.add_argument('--from', dest='source', metavar='JSON')
    parser.add_argument('--dry-run', action='store_true')
    options = parser.parse_args()
    chosen = points(options.operators) if options.seed is None else drawn(options.seed, options.count, options.operators)
    if options.dry_run:
        sys.exit(1 if check(options.adjoint, [line for line, _, _ in chosen]) else 0)
    if not options.output:
        parser.error('OUTPUT_PREFIX is missing')
    report = json.loads(pathlib.Path(options.source).read_text()) if options.source else measure(options, chosen)
    report['rows'] = judge(report['rows'])
    if options.peers:
        peers(report['rows'], options.peers, options.output + '_peers.json')
    if not options.source:
        records.write(options.output + '.json', report)
    text = table(report, options.limit)
    files.write(options.output + '.md', text)
    if options.svg:
        for name in {row['operator'] for row in report['rows'] if 'fraction' in row}:
            files.write(f"{options.output}_{name.replace(' ', '_')}.svg", picture(report, name))
    print(text)


if __name__ == '__main__':
    main()
