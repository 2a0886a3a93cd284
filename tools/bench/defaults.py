"""Compares what selection takes with the fastest kernel that would do: defaults.py OUTPUT_PREFIX [--adjoint PROGRAM] [--seed N] [--count N] [--classes GLOB] [--tune]

Draws problems at random: products, attention both ways, convolutions both ways. Each is measured with the default, with every deterministic SKU that takes it, and
on request with preference.tune. OUTPUT_PREFIX.md has the worst ratios of the default to the fastest; .json has all times. Exits with 1 where a default takes more than
1.15 times as long as the fastest and 2 us more, which is the spread of a launch. --dry-run prints the problems and checks without a GPU that the library takes them."""
import argparse
import fnmatch
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import files
import records

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT, SPREAD_US = 1.15, 2
MOST_ELEMENTS = 1 << 29  # of one operand


def near(r, low, high):
    """A number between two bounds, evenly by its logarithm: as often a multiple of 64 or of 8 as any other number."""
    n = round(low * (high / low) ** r.random())
    unit = r.choice((1, 8, 64))
    return max(low, n // unit * unit)


def product(r):
    while True:
        m, n, k = near(r, 1, 65536), near(r, 1, 65536), near(r, 1, 16384)
        if max(m * n, m * k, n * k) <= MOST_ELEMENTS // 4 and 1e8 < m * n * k < 4e12:
            break
    layout = r.choice(('', 'transpose_b=1', 'transpose_a=1'))
    accumulate = 'out=f32 write_mode=accumulate' if layout == 'transpose_a=1' and r.random() < 0.5 else ''
    epilogue = '' if accumulate else r.choice(('', '', 'has_bias=1', 'epilogue=gelu_tanh has_bias=1 has_preactivation=1'))
    return f"matmul m={m} n={n} k={k} {layout} {epilogue} {accumulate} element={r.choice(('bf16', 'bf16', 'f16'))}"


def attention(direction):
    def draw(r):
        head_dim = r.choice((64, 64, 96, 128, 128, near(r, 16, 128)))
        tokens = r.choice((near(r, 64, 16384), 512, 1024, 2048, 4096, 8192))
        kv_heads = r.choice((1, 2, 4, 8, 12))
        heads = kv_heads * r.choice((1, 1, 2, 4))
        batch = max(1, min(64, (1 << 26) // (tokens * heads * head_dim)))
        mask = r.choice(('', 'causal=1', 'causal=1', f'causal=1 window={near(r, 16, tokens)}'))
        return f'attention_{direction} batch={batch} tokens={tokens} heads={heads} kv_heads={kv_heads} head_dim={head_dim} {mask} element=bf16'
    return draw


def convolution(direction):
    def draw(r):
        kernel, stride = r.choice(((1, 1), (1, 2), (3, 1), (3, 1), (3, 2), (5, 1), (5, 2), (7, 2)))
        channels, out = (r.choice((3, near(r, 8, 512), 64, 128, 256, 512)) for _ in range(2))
        groups = 1
        if r.random() < 0.2:  # depthwise
            groups = out = channels
        size = r.choice((7, 14, 28, 56, 112, near(r, 7, 224)))
        batch = max(1, min(64, (1 << 25) // (size * size * max(channels, out))))
        pad, result = kernel // 2, (size + 2 * (kernel // 2) - kernel) // stride + 1
        last = r.random() < 0.6

        def shape(n, c, h):
            return f'{n},{h},{h},{c}' if last else f'{n},{c},{h},{h}'
        return (f'conv_{direction} input={shape(batch, channels, size)} weight={shape(out, channels // groups, kernel)} out={shape(batch, out, result)} '
                f'strides={stride},{stride} pads={pad},{pad},{pad},{pad} groups={groups} channels_last={int(last)} element={r.choice(("bf16", "f16"))}')
    return draw


CLASSES = {'matmul': product, 'attention_forward': attention('forward'), 'attention_backward': attention('backward'), 'conv_forward': convolution('forward'),
           'conv_backward': convolution('backward')}


def problems(seed, count, classes):
    r = random.Random(seed)
    names = [name for name in CLASSES if fnmatch.fnmatchcase(name, classes)]
    return [' '.join(CLASSES[names[i % len(names)]](r).split()) for i in range(count)]


def algorithms(adjoint, lines):
    """Those with kernels for devices, by operator, as `adjoint sku list` has them. Tiles are for types without tensor cores: tens of times as slow in 16 bits."""
    found = {}
    for op in {line.split()[0] for line in lines}:
        done = subprocess.run([adjoint, 'sku', 'list', '--op', op, '--json'], stdout=subprocess.PIPE, text=True, check=True)
        found[op] = sorted({row['algorithm'] for row in json.loads(done.stdout) if row['backend'] != 'host' and row['guarantee']['determinism'] != 'none'} - {'tiles'})
    return found


def bench(adjoint, lines, *words):
    """{line: microseconds} of the problems that the library takes with these words."""
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
        file.write('\n'.join(lines) + '\n')
        file.flush()
        done = subprocess.run([adjoint, 'bench', '--problems', file.name, '--repeats', '7', '--json', *words], stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(f"adjoint bench {' '.join(words)}: exit code {done.returncode}")
    report = json.loads(done.stdout)
    return report['device'], {case['name']: case for case in report['cases']}


def measure(options, lines):
    device, default = bench(options.adjoint, lines)
    rows = [{'problem': line, 'default': default[line].get('us'), 'sku': default[line].get('sku'), 'error': default[line].get('error'), 'others': {}} for line in lines]
    for op, names in algorithms(options.adjoint, lines).items():
        own = [row for row in rows if row['problem'].split()[0] == op]
        for words in [('--sku', f'{op}/{name}/*') for name in names] + [('--tune',)] * options.tune:
            found = bench(options.adjoint, [row['problem'] for row in own], *words)[1]
            for row in own:
                if 'us' in found[row['problem']]:
                    row['others'][words[-1]] = found[row['problem']]['us']
            print(f"{op} {' '.join(words)}: {sum(words[-1] in row['others'] for row in own)} of {len(own)}", flush=True)
    return device, rows


def judge(rows):
    for row in rows:
        best = min(row['others'], key=row['others'].get, default=None)
        row['best'], row['ratio'] = best, row['default'] / row['others'][best] if best and row['default'] else None
        row['slow'] = bool(row['ratio'] and row['ratio'] > LIMIT and row['default'] - row['others'][best] > SPREAD_US)
    return sorted(rows, key=lambda row: -(row['ratio'] or 0))


def table(report):
    slow = sum(row['slow'] for row in report['rows'])
    text = [f"Measured on {report['device']}, seed {report['seed']}: {len(report['rows'])} problems, of {slow} the default takes more than {LIMIT} times the fastest.", '',
            '| problem | default | us | fastest | us | ratio |', '| --- | --- | ---: | --- | ---: | ---: |']
    for row in report['rows'][:40]:
        if row['ratio']:
            sku = (row['sku'] or '').split('/')[1:2]
            text.append(f"| {row['problem']} | {''.join(sku)} | {row['default']:.1f} | {row['best']} | {row['others'][row['best']]:.1f} | {row['ratio']:.2f} |")
    text += [f"- {row['problem']}: {row['error']}" for row in report['rows'] if row['error']]
    return '\n'.join(text) + '\n'


def check(adjoint, lines):
    failed = 0
    for line in lines:
        done = subprocess.run([adjoint, 'sku', 'explain', *line.split(), '--arch', 'sm_90a'], capture_output=True, text=True)
        failed += done.returncode != 0
        print(line if not done.returncode else f'FAIL {line}: {done.stdout}{done.stderr}')
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output', nargs='?')
    parser.add_argument('--adjoint', default=ROOT / 'build/tools/adjoint')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--classes', default='*')
    parser.add_argument('--tune', action='store_true')
    parser.add_argument('--dry-run', action='store_true')
    options = parser.parse_args()
    lines = problems(options.seed, options.count, options.classes)
    if options.dry_run:
        sys.exit(1 if check(options.adjoint, lines) else 0)
    if not options.output:
        parser.error('OUTPUT_PREFIX is missing')
    device, rows = measure(options, lines)
    report = {'device': device, 'seed': options.seed, 'rows': judge(rows)}
    records.write(options.output + '.json', report['rows'])
    files.write(options.output + '.md', table(report))
    print(table(report))
    sys.exit(1 if any(row['slow'] for row in report['rows']) else 0)


if __name__ == '__main__':
    main()
