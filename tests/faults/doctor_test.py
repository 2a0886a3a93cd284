"""adjoint doctor on the machine of the fault tests, whose cuBLASLt leaves terms and slopes out: an algorithm that is known for it is not taken, and the probes
see one that is not known. Known faults are named for the versions that the stand-ins say they have. usage: doctor_test.py TOOL CUDNN NCCL"""
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


def known(**versions):
    """The faults that doctor names without a device, where the stand-ins are of these versions: (library, first words)."""
    environment = dict(os.environ, ADJOINT_LIBCUDA="", ADJOINT_LIBCUDNN=sys.argv[2], ADJOINT_LIBNCCL=sys.argv[3], **{f"FAKE_{name}_VERSION": str(version) for name, version in versions.items()})
    report = json.loads(subprocess.run([sys.argv[1], "doctor", "--json"], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout)
    text = subprocess.run([sys.argv[1], "doctor"], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    installed = {library["name"]: library["version"] for library in report["libraries"]}
    for fault in report["known_faults"]:
        assert fault["version"] == installed[fault["library"]], fault
        assert f"{fault['library']} {fault['version']}: {fault['what']}; {fault['remedy']}" in text, (fault, text)
    assert ("known faults of these versions" in text) == bool(report["known_faults"]), text
    return [(fault["library"], " ".join(fault["what"].split()[:2])) for fault in report["known_faults"]]


SCALES, WINDOWS, TOKENS, SQUARE, SUMS = [("cuDNN", words) for words in ("masked scores", "attention takes", "gradients of", "gradients of", "sums of")]
TERMS, SLOPE, BIAS = [("cuBLASLt", f"algorithm {number}") for number in (66, 39, 13)]
AVERAGE = ("NCCL", "an average")
assert known(CUDNN=92500, CUBLASLT=130200, NCCL=22907) == [SCALES]
assert known(CUDNN=91400, CUBLASLT=130100, NCCL=22705) == [SCALES, TOKENS, SQUARE, TERMS, SLOPE, BIAS, AVERAGE]
assert known(CUDNN=91501, CUBLASLT=120805, NCCL=22703) == [SCALES, SQUARE, TERMS]
assert known(CUDNN=91500, CUBLASLT=120804, NCCL=22906) == [SCALES, TOKENS, SQUARE, AVERAGE]
assert known(CUDNN=90501, CUBLASLT=120000, NCCL=21300) == [SCALES, SUMS, WINDOWS, TOKENS, SQUARE]
listed = json.loads(subprocess.run([sys.argv[1], "doctor", "--faults", "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout)
assert {fault["library"] for fault in listed} == {"cuBLASLt", "cuDNN", "NCCL", "NVRTC"} and all(set(fault) == {"library", "versions", "what", "remedy"} for fault in listed), listed
