"""tools/bench/ncu_table.py on pages as ncu prints them: the table, and what is refused."""
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import check, finish  # noqa: E402

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / 'tools/bench/ncu_table.py'
STALLED = 'smsp__average_warps_issue_stalled_{}_per_issue_active.ratio'
PAGE = {
    'ID': ('', '0'), 'Kernel Name': ('', 'softmax_backward_row(SoftmaxBackwardParams)'), 'gpu__time_duration.sum': ('ns', '"53,120"'),
    'dram__bytes.sum.per_second': ('byte/s', '"3,790,000,000,000"'), 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed': ('%', '79.04'),
    'lts__t_sector_hit_rate.pct': ('%', '33.5'), 'sm__warps_active.avg.pct_of_peak_sustained_active': ('%', '46.25'),
    'launch__registers_per_thread': ('register/thread', '64'), STALLED.format('long_scoreboard'): ('inst', '15'), STALLED.format('barrier'): ('inst', '3'),
    STALLED.format('wait'): ('inst', '1'), STALLED.format('selected'): ('inst', '1'), STALLED.format('long_scoreboard_not_issued'): ('inst', '14'),
}


def run(page, kernels=1):
    lines = [','.join(f'"{name}"' for name in page), ','.join(f'"{unit}"' for unit, _ in page.values())]
    lines += [','.join(value if value.startswith('"') else f'"{value}"' for _, value in page.values())] * kernels
    return subprocess.run([sys.executable, TOOL, '-'], input='==PROF== a line of ncu itself\n' + '\n'.join(lines) + '\n', capture_output=True, text=True)


done = run(PAGE)
wanted = '| softmax_backward_row | 53.12 | 3790 | 79.0 | 33.5 | 46.2 | 64 | long_scoreboard 75 %, barrier 15 %, wait 5 % |'
check(done.returncode == 0 and done.stdout.splitlines()[2:] == [wanted], f'{done.stdout}{done.stderr}')
check(len(run(PAGE, 3).stdout.splitlines()) == 5, 'a row for each kernel')
for missing in ('launch__registers_per_thread', 'gpu__time_duration.sum'):
    done = run({name: cell for name, cell in PAGE.items() if name != missing})
    check(done.returncode == 1 and missing in done.stderr and '--set full' in done.stderr, done.stderr)
done = run({name: cell for name, cell in PAGE.items() if 'stalled' not in name})
check(done.returncode == 1 and 'stalls' in done.stderr, done.stderr)
done = subprocess.run([sys.executable, TOOL, '-'], input='', capture_output=True, text=True)
check(done.returncode == 1 and 'no kernels' in done.stderr, done.stderr)
finish()
