"""Checks that layers include only lower ones: base <- driver <- jit <- plan <- ops, host <- capi, tools. Kernels include only kernel files."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
ALLOWED = {
    "src/base": {"base"},
    "src/driver": {"base", "driver"},
    "src/jit": {"base", "driver", "jit"},
    "src/plan": {"base", "driver", "jit", "plan"},
    "src/host": {"base", "host"},
    "src/ops": {"base", "driver", "plan", "host", "ops", "jit"},
    "capi": {"base", "driver", "jit", "plan", "ops", "host"},
}
failures = 0
checked = 0


def fail(path, include):
    global failures
    failures += 1
    print(f"FAILED {path.relative_to(root)} includes {include}")


for folder, allowed in ALLOWED.items():
    for path in sorted((root / folder).rglob("*.[ch]pp")):
        for include in re.findall(r'^\s*#include "([^"]+)"', path.read_text(), re.M):
            checked += 1
            layer = include.split("/")[0]
            if re.fullmatch(r"kernels/.*\.h", include) and folder == "src/ops":
                continue
            if "/" in include and layer not in allowed:
                fail(path, include)
for path in sorted((root / "include").rglob("*.h*")):
    for include in re.findall(r'^\s*#include [<"]([^>"]+)[>"]', path.read_text(), re.M):
        checked += 1
        if re.match(r"(base|driver|jit|plan|ops|host|cuda|nvrtc|fmt)/", include) and not (root / "include/adjoint" / include).exists():
            fail(path, include)
for path in sorted((root / "kernels").rglob("*.cu*")) + sorted((root / "kernels").rglob("*.h")):
    for include in re.findall(r'^\s*#include [<"]([^>"]+)[>"]', path.read_text(), re.M):
        checked += 1
        if not (root / "kernels" / include).exists() and not (path.parent.name == "prelude" and include in ("device.hpp", "matrix.hpp")):
            fail(path, include)
for path in sorted((root / "src/ops").rglob("*.cpp")):
    for name in re.findall(r"\b(?:cu::Api|nvrtc\(\)|cuda\(\))", path.read_text()):
        fail(path, name)
print(f"{checked} includes checked")
sys.exit(failures > 0 or checked == 0)
