#!/usr/bin/env python3
"""Prints what to read first of a report of Nsight Compute, as a table for a Markdown page: ncu_table.py REPORT.ncu-rep.

A row for each kernel: duration, traffic of the device memory, achieved occupancy, registers, and the reasons why warps waited, the most frequent
first. The report must have the sections of `ncu --set full`. `-` reads from standard input what
`ncu --import REPORT --page raw --csv --print-units base` prints.
"""
import argparse
import csv
import re
import subprocess
import sys

STALL = re.compile(r'smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio')
COLUMNS = [  # heading, metric of ncu, factor to the unit of the heading, digits
    ('us', 'gpu__time_duration.sum', 1e-3, 2),
    ('GB/s', 'dram__bytes.sum.per_second', 1e-9, 0),
    ('DRAM %', 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed', 1, 1),
    ('L2 hits %', 'lts__t_sector_hit_rate.pct', 1, 1),
    ('occupancy %', 'sm__warps_active.avg.pct_of_peak_sustained_active', 1, 1),
    ('registers', 'launch__registers_per_thread', 1, 0),
]


def number(text):
    return float(text.replace(',', ''))


def rows_of(text):
    """Dictionaries by metric, one for each kernel; refuses text that is no such page."""
    lines = [line for line in text.splitlines() if not line.startswith('==')]
    table = list(csv.reader(lines))
    if len(table) < 3 or 'Kernel Name' not in table[0]:
        sys.exit('ncu_table.py: no kernels: ncu printed no page `raw` in CSV')
    return [dict(zip(table[0], row)) for row in table[2:]]  # the second line has the units


def stalls_of(row, most):
    found = [(number(value), match[1]) for name, value in row.items() if (match := STALL.fullmatch(name)) and value]
    waits = sorted((wait for wait in found if wait[1] != 'selected' and not wait[1].endswith('not_issued')), reverse=True)
    if not waits:
        sys.exit('ncu_table.py: no reasons of stalls: profile with `--set full`')
    total = sum(value for value, name in found if not name.endswith('not_issued'))
    return ', '.join(f'{name} {100 * value / total:.0f} %' for value, name in waits[:most])


def table_of(rows):
    lines = ['| kernel | ' + ' | '.join(heading for heading, *_ in COLUMNS) + ' | warps wait for |', '| --- |' + ' ---: |' * len(COLUMNS) + ' --- |']
    for row in rows:
        cells = [row['Kernel Name'].split('(')[0]]
        for heading, metric, factor, digits in COLUMNS:
            if not row.get(metric):
                sys.exit(f'ncu_table.py: no {metric} ({heading}): profile with `--set full`')
            cells.append(f'{number(row[metric]) * factor:.{digits}f}')
        lines.append('| ' + ' | '.join(cells + [stalls_of(row, 3)]) + ' |')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('report')
    report = parser.parse_args().report
    if report == '-':
        text = sys.stdin.read()
    else:
        try:
            done = subprocess.run(['ncu', '--import', report, '--page', 'raw', '--csv', '--print-units', 'base'], capture_output=True, text=True)
        except FileNotFoundError:
            sys.exit('ncu_table.py: ncu is not installed (Nsight Compute, in the CUDA toolkit)')
        if done.returncode != 0:
            sys.exit(f'ncu_table.py: ncu ended with {done.returncode}: {(done.stderr or done.stdout).strip()}')
        text = done.stdout
    print(table_of(rows_of(text)))


if __name__ == '__main__':
    main()
