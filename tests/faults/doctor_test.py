"""adjoint doctor on the machine of the fault tests, whose cuBLASLt leaves terms and slopes out: an algorithm that is known for it is not taken, and the probes
see one that is not known. usage: doctor_test.py TOOL"""
import json
import os
import subprocess
import sys


def products(algorithm, splits):
    environment = dict(os.environ, FAKE_CUBLASLT_ID=str(algorithm), FAKE_CUBLASLT_SPLITS=str(splits))
    report = json.loads(subprocess.run([sys.argv[1], "doctor", "--json"], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout)
    found = [probe for probe in report["probes"] if "matmul/cublaslt/" in probe["because"]]
    assert [probe["name"].split(" of ")[0] for probe in found] == ["sums"] * 3 + ["a gradient"] * 2, report["probes"]
    return [probe["right"] for probe in found[:4]]  # the last is computed by a kernel of ours, of which the stand-in for the driver runs none


assert products(0, 1) == [True] * 4
assert products(66, 20) == [True] * 4, "an algorithm that is known to leave terms out is taken"
assert products(24, 20)[:3] == [False, True, False], "20 splits of 360, 484 and 200 steps, of which 484 do not come out even"
assert products(39, 1) == [True] * 4, "an algorithm that is known to leave the slope out is taken"
assert products(1039, 1) == [True] * 3 + [False], "a slope that is left out is not seen"
