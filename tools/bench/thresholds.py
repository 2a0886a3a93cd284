"""Measures where selection should change from one SKU to another: thresholds.py OUTPUT_PREFIX [--adjoint PROGRAM] [--from OUTPUT.json] [--dry-run]

Each threshold of src/ops/common/thresholds.hpp has an extent that grows and two SKUs that take it on both sides. Both are measured at every extent, and
OUTPUT_PREFIX.md says where the second becomes faster, beside the constant in force; .json keeps the times. --from writes the table of an earlier run.
--dry-run prints the problems, and checks without a GPU that both SKUs take them."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import files
import records

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = ROOT / 'src/ops/common/thresholds.hpp'
CLASSES = 'cross_entropy_with_gradient samples=8192 num_classes={0} element=bf16 label=i64 labels:<{0} dloss:1 dscores:scores'
LOOKUP = 'embedding_backward num_embeddings=50257 embedding_dim=1024 num_indices={0} element=f32 index=i64 indices:<50257'


class Threshold:
    """low, high: SKUs below and above the constant. scale: the constant's unit for one step of the extent."""

    def __init__(self, constant, problem, low, high, extents, scale):
        self.constant, self.problem, self.low, self.high, self.extents, self.scale = constant, problem, low, high, extents, scale

    def lines(self):
        return [self.problem.format(extent) for extent in self.extents]


THRESHOLDS = [
    Threshold('kEntropyClusterBytes', CLASSES, 'cross_entropy_with_gradient/row/*', 'cross_entropy_with_gradient/row_cluster/*',
              [2048, 4096, 6144, 8192, 10240, 12288, 16384], 2),
    Threshold('kEntropyClusterAnyBytes', CLASSES, 'cross_entropy_with_gradient/row/*', 'cross_entropy_with_gradient/row_cluster/*',
              [257, 513, 1025, 2049, 4097, 8191], 2),
    Threshold('kAtomicBytes', LOOKUP, 'embedding_backward/atomic/*', 'embedding_backward/grouped/*', [512, 1024, 2048, 4096, 8192, 16384], 4096),
]


def constants():
    """{name: value} of the header."""
    return {name: int(value) for name, value in re.findall(r'constexpr std::int64_t (k\w+) = (\d+);', HEADER.read_text())}


def crossover(extents, low, high):
    """The extent at which `high` becomes faster, interpolated between the two measured extents around it; None where it does not."""
    ratios = [a / b for a, b in zip(low, high)]
    for i in range(1, len(ratios)):
        if ratios[i - 1] <= 1 < ratios[i]:
            return extents[i - 1] + (extents[i] - extents[i - 1]) * (1 - ratios[i - 1]) / (ratios[i] - ratios[i - 1])
    return None


def measure(adjoint, threshold, sku):
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as problems:
        problems.write('\n'.join(threshold.lines()) + '\n')
        problems.flush()
        done = subprocess.run([adjoint, 'bench', '--problems', problems.name, '--sku', sku, '--json'], stdout=subprocess.PIPE, text=True, check=True)
    report = json.loads(done.stdout)
    failed = [case for case in report['cases'] if 'error' in case]
    if failed:
        sys.exit(f"{failed[0]['name']}: {failed[0]['error']}")
    return report['device'], [case['us'] for case in report['cases']]


def verdict(row, now):
    low, high, extents = row['low_us'], row['high_us'], row['extents']
    at = crossover(extents, low, high)
    if at is None:
        return 'the first SKU is faster throughout' if sum(low) < sum(high) else 'the second SKU is faster from the first extent on'
    found = at * row['scale']
    return f'{found:.0f}: ' + ('as in force' if abs(found - now) <= now / 4 else 'differs from the constant in force by more than a quarter')


def table(report):
    text = [f"Measured on {report['device']}; device time in us, cold L2, median of 15. The constants are in src/ops/common/thresholds.hpp.", '']
    for row in report['thresholds']:
        now = constants()[row['constant']]
        text += [f"## {row['constant']} = {now}", '', f"`{row['problem']}`", '', f"| extent | {row['low']} | {row['high']} |", '| ---: | ---: | ---: |']
        text += [f'| {e} | {a:.1f} | {b:.1f} |' for e, a, b in zip(row['extents'], row['low_us'], row['high_us'])]
        text += ['', f'Measured crossover: {verdict(row, now)}.', '']
    return '\n'.join(text)


def check(adjoint):
    """Both SKUs of every threshold take every problem."""
    failed = 0
    for t in THRESHOLDS:
        print(f'{t.constant} = {constants()[t.constant]}')
        for line in t.lines():
            fields = [word for word in line.split() if not re.search(r'[:+]', word)]
            for sku in (t.low, t.high):
                command = [adjoint, 'sku', 'explain', *fields, '--arch', 'sm_90a', '--sku', sku, '--determinism', 'none']
                done = subprocess.run(command, capture_output=True, text=True)
                failed += done.returncode != 0
                if done.returncode:
                    print(f'FAIL {sku}: {done.stdout}{done.stderr}')
            print(f'  {line}')
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output', nargs='?')
    parser.add_argument('--adjoint', default=ROOT / 'build/tools/adjoint')
    parser.add_argument('--from', dest='earlier')
    parser.add_argument('--dry-run', action='store_true')
    options = parser.parse_args()
    if options.dry_run:
        sys.exit(1 if check(options.adjoint) else 0)
    if not options.output:
        parser.error('OUTPUT_PREFIX is missing')
    if options.earlier:
        report = json.loads(pathlib.Path(options.earlier).read_text())
    else:
        report = {'thresholds': []}
        for t in THRESHOLDS:
            row = {'constant': t.constant, 'problem': t.problem, 'low': t.low, 'high': t.high, 'extents': t.extents, 'scale': t.scale}
            report['device'], row['low_us'] = measure(options.adjoint, t, t.low)
            report['device'], row['high_us'] = measure(options.adjoint, t, t.high)
            report['thresholds'].append(row)
            print(f"{t.constant}: {verdict(row, constants()[t.constant])}", flush=True)
        records.write(options.output + '.json', report)
    files.write(options.output + '.md', table(report))


if __name__ == '__main__':
    main()
