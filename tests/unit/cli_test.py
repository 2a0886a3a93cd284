#!/usr/bin/env python3
"""Runs the adjoint tool as a user would: cli_test.py PATH_TO_ADJOINT.

Checks exit codes, that standard output is clean (nothing but JSON under --json, no escape codes in a pipe), that errors
are one sentence on standard error, and that the numbers agree with one another. Needs no GPU; building packs needs NVRTC
and counts as skipped where doctor does not find it."""

import json
import os
import pty
import re
import subprocess
import sys
import tempfile

REGISTRY_ROWS = 212
REGISTRY_KEYS = ["domain", "op", "since_version", "until_version", "types", "adjoint_op", "settings", "note", "resolved", "skus", "reason", "session",
                 "obstacle", "combinations", "binding"]
# Operators without kernels of the library: their plans are steps of the driver, calls, or kernels of the caller.
WITHOUT_KERNELS = {"callback", "copy", "group", "record_event", "user_kernel", "wait_event", "yield"}
SKU_KEYS = ["id", "op", "algorithm", "signature", "arch", "backend", "kernels", "source", "summary", "guarantee", "output_determinism"]
GUARANTEE_KEYS = ["determinism", "math", "accumulator", "bit_stable", "float_atomics", "bound_ulp", "bound_terms", "bound_absolute"]
DETERMINISM = ["none", "run_to_run", "shape_only", "batch_invariant"]
EMBEDDING = ["num_embeddings=1000", "embedding_dim=64", "num_indices=77", "element=bf16", "index=i64"]

tool = ""
scratch = ""
environment = {}
passed = failed = skipped = 0


def check(condition, message):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {message}")


def equal(got, expected, message):
    check(got == expected, f"{message}: got {got!r}, expected {expected!r}")


class Outcome:
    def __init__(self, arguments, **variables):
        self.line = "adjoint " + " ".join(arguments)
        kept = {name: value for name, value in {**environment, **variables}.items() if value is not None}
        done = subprocess.run([tool, *arguments], capture_output=True, env=kept, timeout=300)
        self.code, self.out, self.err = done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def run(*arguments, code=0, **variables):
    outcome = Outcome(arguments, **variables)
    check(outcome.code == code, f"{outcome.line}: exit code {outcome.code}, expected {code}; stderr: {outcome.err}")
    check("\x1b" not in outcome.out + outcome.err, f"{outcome.line}: escape codes in a pipe")
    return outcome


def run_json(*arguments, code=0, **variables):
    outcome = run(*arguments, "--json", code=code, **variables)
    try:
        return json.loads(outcome.out)
    except ValueError as error:
        check(False, f"{outcome.line}: standard output is not JSON ({error}): {outcome.out[:200]!r}")
        return None


def refused(code, *arguments, exit_code=1, mentions=(), **variables):
    """The command fails with "adjoint: <code>: <sentence>", prints nothing else on standard output, and names the culprit."""
    outcome = run(*arguments, code=exit_code, **variables)
    equal(outcome.out, "", f"{outcome.line}: standard output")
    first = outcome.err.split("\n", 1)[0]
    check(re.fullmatch(rf"adjoint: {code}: \S.*", first), f"{outcome.line}: first line of standard error is {first!r}")
    for word in mentions:
        check(word in outcome.err, f"{outcome.line}: standard error does not mention {word!r}: {outcome.err!r}")


def misused(*arguments, mentions=()):
    refused("usage", *arguments, exit_code=2, mentions=[*mentions, "--help"])


def check_guarantee(guarantee, where):
    equal(list(guarantee), GUARANTEE_KEYS, f"{where}: keys of the guarantee")
    check(guarantee["determinism"] in DETERMINISM, f"{where}: determinism {guarantee['determinism']!r}")
    check(guarantee["math"] in ("ieee", "fast"), f"{where}: math {guarantee['math']!r}")
    for key in ("bit_stable", "float_atomics"):
        check(isinstance(guarantee[key], bool), f"{where}: {key} is not a boolean")
    for key in ("bound_ulp", "bound_terms", "bound_absolute"):
        check(isinstance(guarantee[key], (int, float)) and guarantee[key] >= 0, f"{where}: {key} = {guarantee[key]!r}")


def check_levels(sku):
    for output, level in sku["output_determinism"].items():
        check(DETERMINISM.index(level) > DETERMINISM.index(sku["guarantee"]["determinism"]), f"{sku}: {output} is {level}")


# ---- the tool itself


def test_version_and_help():
    check(re.fullmatch(r"adjoint \d+\.\d+\.\d+(\.dev\d+(\+g[0-9a-f]+(\.dirty)?)?)? \(interface \d+\.\d+\)\n", run("--version").out), "--version")
    for command in ([], ["sku"], ["sku", "list"], ["sku", "show"], ["sku", "explain"], ["sku", "kernels"], ["sku", "compile"], ["registry"], ["doctor"],
                    ["cache"], ["cache", "stat"], ["cache", "verify"], ["cache", "clear"], ["pack"], ["pack", "list"], ["verify"], ["bench"], ["tune"], ["ops"]):
        text = run(*command, "--help")
        check("Usage:" in text.out, f"{text.line}: no usage line")
        equal(text.err, "", f"{text.line}: standard error")
        check(not command or "adjoint doctor  " not in text.out, f"{text.line}: has the examples of the tool itself")
    for command in ([], ["sku", "list"], ["sku", "show"], ["sku", "explain"], ["sku", "kernels"], ["sku", "compile"], ["registry"], ["cache"], ["tune"]):
        text = run(*command, "--help").out
        check("Example" in text and "adjoint " in text, f"help of {command} has no examples")


def test_usage():
    misused(mentions=["sku", "registry", "doctor", "cache"])
    misused("nonsense", mentions=["'nonsense'", "registry"])
    misused("sku", mentions=["explain"])
    misused("sku", "nonsense", mentions=["'nonsense'", "compile"])
    misused("registri", mentions=["unknown command 'registri'", "did you mean 'registry'?"])
    misused("sku", "exlain", mentions=["did you mean 'explain'?"])
    misused("--nonsense", mentions=["--nonsense"])
    misused("sku", "list", "--jsno", mentions=["unknown option '--jsno'", "did you mean '--json'?"])
    misused("sku", "list", "--nonsense", mentions=["--nonsense"])
    misused("doctor", "extra", mentions=["extra"])
    misused("sku", "list", "--backend", "abacus", mentions=["'abacus' is none of bespoke, host"])
    misused("sku", "list", "--backend", "hots", mentions=["did you mean 'host'?"])
    misused("sku", "list", "--dtype", "f33", mentions=["f33", "bf16", "did you mean 'f32'?"])
    misused("sku", "explain", "sgd", "--math", "iee", mentions=["did you mean 'ieee'?"])
    misused("sku", "show")
    misused("sku", "explain")
    misused("sku", "kernels")
    misused("sku", "compile", "--arch", "sm_90a")
    misused("sku", "compile", "--arch", "sm_90a", "-o", os.path.join(scratch, "x.pack"), "--jobs", "0")
    misused("registry", "--types", "float")
    misused("registry", "--op", "SGDOptimizer", "--types", "float")
    misused("explain", mentions=["did you mean 'sku explain'?"])
    misused("pack", mentions=["list"])
    misused("bench", "softmax_backward", "extent=4", "--list")
    misused("bench", "--from", "x.json")
    misused("verify", "--op", "sgd", "softmax_backward", "extent=4")


def test_widths():
    """Tables fit into COLUMNS, and in a pipe each row is one line; nothing is cut."""
    for arguments in (["sku", "list"], ["registry"], ["ops", "embedding_backward"], ["sku", "explain", "embedding_backward", *EMBEDDING, "--arch", "sm_90a"],
                      ["sku", "show", "embedding_backward/*/bf16.i64/*"]):
        wide = run(*arguments).out
        for columns, limit in (("100", 100), ("120", 120), ("40", 10**9)):
            text = run(*arguments, COLUMNS=columns).out
            widest = max(len(line) for line in text.splitlines())
            check(widest <= limit, f"{arguments} with COLUMNS={columns}: a line has {widest} columns")
            equal(sorted(re.sub(r"\s", "", text)), sorted(re.sub(r"\s", "", wide)), f"{arguments} with COLUMNS={columns}: the letters")
    rows = run("registry").out.splitlines()
    equal(len([row for row in rows if row.startswith("PassThrough ") and "ai.onnx" not in row]), 1, "a row of the registry in a pipe")
    for columns in ("nonsense", "0", ""):
        equal(run("registry", COLUMNS=columns).out.splitlines(), rows, f"the registry with COLUMNS={columns!r}")
    equal(len(rows), REGISTRY_ROWS + 3, "lines of the registry in a pipe: the titles, the rows, the counts")
    narrow = run("sku", "list", "--op", "sgd", COLUMNS="1").out
    check(max(len(line) for line in narrow.splitlines()) < 90, "the narrowest table")


def test_completion():
    def complete(*words):
        return run("complete", "--", *words).out.splitlines()
    operators = [row["op"] for row in run_json("ops")]
    equal(sorted(complete("ops", "")), sorted(operators), "operators")
    equal(complete("sku", "explain", "softmax_b"), ["softmax_backward"], "an operator")
    fields = [f["name"] for f in run_json("ops", "adam")[0]["fields"]]
    equal(complete("bench", "adam", ""), [f + "=" for f in fields], "fields")
    check("decay=" not in complete("bench", "adam", "decay=last", ""), "a field that was given")
    equal(complete("verify", "adam", "decay=l"), ["decay=last", "decay=l2"], "values of an enumeration")
    check({"param=f32", "param=bf16"} <= set(complete("verify", "adam", "param=")), "element types")
    equal(complete("sku", "list", "--backend", "n"), ["nccl"], "values of an option")
    check("--workspace-limit" in complete("sku", "explain", "--"), "options")
    equal(complete("sk"), ["sku"], "commands")
    check("complete" not in complete(""), "the hidden command")
    check(all(i.startswith("sgd/") for i in complete("sku", "show", "sgd/")) and complete("sku", "show", "sgd/"), "SKU ids")
    equal(complete("nonsense", "x"), [], "an unknown command")


def test_verbose_anywhere():
    for arguments in (["-v", "ops", "sgd"], ["ops", "-v", "sgd"], ["ops", "sgd", "--verbose"], ["sku", "list", "--op", "sgd", "-v"]):
        run(*arguments)


def test_type_names():
    """Other libraries' names of the element types are accepted."""
    for name, ours in (("bfloat16", "bf16"), ("half", "f16"), ("float", "f32"), ("float32", "f32"), ("double", "f64")):
        equal(run_json("sku", "list", "--op", "softmax_b*", "--dtype", name), run_json("sku", "list", "--op", "softmax_b*", "--dtype", ours), f"--dtype {name}")
        equal(run_json("sku", "explain", "softmax_backward", "extent=3", f"element={name}", "--host")["descriptor"]["element"], ours, f"element={name}")
    equal(run_json("sku", "explain", "embedding_forward", "num_embeddings=3", "embedding_dim=3", "num_indices=3", "element=float", "index=long", "--host")
          ["descriptor"]["index"], "i64", "index=long")


# ---- verify, bench


def test_without_gpu():
    """Without a GPU the commands say so, but only after they have checked the words."""
    nothing = {"ADJOINT_LIBCUDA": ""}
    problem = ["softmax_backward", "outer=8", "extent=4", "element=bf16"]
    for arguments in (["verify"], ["verify", "--op", "softmax*"], ["verify", *problem], ["verify", *problem, "dout:positive"], ["bench"], ["bench", *problem],
                      ["bench", "--case", "adamw*", "--json"], ["verify", "--json"], ["tune", *problem, "-o", "a.tuning"]):
        refused("backend_unavailable", *arguments, exit_code=77, mentions=[f"{arguments[0]} needs a GPU", "install the NVIDIA driver"], **nothing)
    refused("not_found", "verify", "--op", "sofmax_backward", mentions=["did you mean 'softmax_backward'?"], **nothing)
    refused("not_found", "verify", "--sku", "sofmax_backward/*", mentions=["no SKU matches", "did you mean 'softmax_backward/*'?"], **nothing)
    refused("not_found", "bench", "--case", "nothing*", mentions=["nothing*", "--list"], **nothing)
    refused("not_found", "bench", "--case", "sofmax_backward *", mentions=["--list", "did you mean 'softmax_backward'?"], **nothing)
    misused("tune", *problem)
    refused("not_found", "tune", "sofmax_backward", "-o", "a.tuning", mentions=["did you mean 'softmax_backward'?"], **nothing)
    for command in ("verify", "bench"):
        refused("not_found", command, "sofmax_backward", mentions=["did you mean 'softmax_backward'?"], **nothing)
        misused(command, *problem, "+dlos", mentions=["no argument 'dlos'", "dinput"])
        misused(command, *problem, "dot:positive", mentions=["did you mean 'dout'?"])
        misused(command, *problem, "dout:<0", mentions=["'0' is not a positive integer"])
        misused(command, *problem, "dout:dinputs", mentions=["did you mean 'dinput'?"])
        misused(command, *problem, "dout", mentions=["'dout' is none of"])
        refused("invalid_problem", command, "softmax_backward", "outer=8", "element=bf16", mentions=["extent was not given"], **nothing)


def test_bench_list():
    names = run_json("bench", "--list")
    check(len(names) > 100 and len(set(names)) == len(names), f"{len(names)} cases")
    equal(run("bench", "--list").out.splitlines(), names, "bench --list")
    equal(run_json("bench", "--list", "--case", "adamw*"), [n for n in names if n.startswith("adamw")], "bench --list --case")


def test_bench_svg():
    report = {"device": "A <GPU>", "copy_ceiling_gb_s": 3000.0,
              "cases": [{"name": "adamw f32 1", "floor_bytes": 1e6, "fraction_of_copy": 0.25}, {"name": "adamw f32 2", "floor_bytes": 3e9, "fraction_of_copy": 1.2},
                        {"name": "sgd a & b", "floor_bytes": 2e3, "fraction_of_copy": 0.0004}, {"name": "sgd that failed", "error": "no"}]}
    source, target = os.path.join(scratch, "bench.json"), os.path.join(scratch, "bench.svg")
    with open(source, "w") as file:
        json.dump(report, file)
    run("bench", "--from", source, "--svg", target)
    import xml.etree.ElementTree as tree
    root = tree.parse(target).getroot()
    space = "{http://www.w3.org/2000/svg}"
    _, _, width, height = map(float, root.get("viewBox").split())
    points = [c for c in root.iter(space + "circle") if c.find(space + "title") is not None]
    equal([c.find(space + "title").text for c in points], ["adamw f32 1: 0.250", "adamw f32 2: 1.200", "sgd a & b: 0.000"], "the points and their titles")
    for c in points:
        check(0 < float(c.get("cx")) < width and 0 < float(c.get("cy")) < height, f"a point outside of the picture: {c.attrib}")
    check(float(points[0].get("cx")) < float(points[1].get("cx")) and float(points[0].get("cy")) > float(points[1].get("cy")), "larger is to the right, faster is higher")
    equal(points[0].get("fill"), points[1].get("fill"), "the colour of an operator")
    check(points[0].get("fill") != points[2].get("fill"), "the colours of two operators")
    with open(target) as file:
        check("prefers-color-scheme: dark" in file.read(), "the picture on dark pages")
    refused("corrupt", "bench", "--from", target, "--svg", source, mentions=[target])
    refused("io_error", "bench", "--from", os.path.join(scratch, "none"), "--svg", target, mentions=["none"])


# ---- ADJOINT_LOG


def test_log_is_replayed():
    """The tool takes back the problem of a line of ADJOINT_LOG and has the same problem."""
    import shlex
    for words in (["embedding_backward", *EMBEDDING, "write_mode=accumulate", "has_padding_idx=1", "padding_idx=-1"],
                  ["adam", "numel=3x5,7,2x0", "param=bf16", "grad=bf16", "beta1=0.1"], ["adam", "param=f32"],
                  ["reduce", "shape=4,8,16", "axes=0,-1", "kind=mean", "element=f16"]):
        for preference in ([], ["--determinism", "shape_only", "--math", "ieee"], ["--workspace-limit", "1MiB"], ["--backend", "host"]):
            given = run_json("sku", "explain", *words, "--host", *preference, ADJOINT_LOG="")
            log = run("sku", "explain", *words, "--host", *preference, ADJOINT_LOG="select").err
            line = [line for line in log.splitlines() if line.startswith("adjoint: select ")][-1]
            again = shlex.split(line.split(" -- ", 1)[1])
            equal(run_json("sku", "explain", *again, "--host")["descriptor"], given["descriptor"], f"the words of {line!r}")
            equal(run_json("sku", "explain", *again, "--host")["chosen"], given["chosen"], f"the choice of {line!r}")


def test_output_that_cannot_be_written():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool, "registry", "--json"], stdout=full, stderr=subprocess.PIPE, env=environment, timeout=60)
    equal(done.returncode, 1, "registry into a full device: exit code")
    equal(done.stderr.decode().count("\n"), 1, "registry into a full device: lines of standard error")
    check(done.stderr.decode().startswith("adjoint: io_error: "), f"registry into a full device: {done.stderr!r}")


def on_terminal(*arguments, **variables):
    """Standard output of a run whose standard output is a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([tool, *arguments], stdout=slave, stderr=subprocess.DEVNULL, env={**environment, **variables})
    os.close(slave)
    text = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        text += chunk
    os.close(master)
    process.wait(timeout=60)
    return text.decode("utf-8").replace("\r\n", "\n")


def test_colours():
    plain = run("sku", "list").out
    coloured = on_terminal("sku", "list")
    check("\x1b[" in coloured, "no colours on a terminal")
    equal(re.sub(r"\x1b\[\d*m", "", coloured), plain, "the table on a terminal, colours taken away")
    equal(on_terminal("sku", "list", NO_COLOR="1"), plain, "the table on a terminal under NO_COLOR")
    check("\x1b" not in on_terminal("sku", "list", "--json"), "colours in JSON")


# ---- sku list, show


def runs_on(sku, capability):
    rule = re.fullmatch(r"sm(\d+)(a?)", sku["arch"])
    if not rule:
        return False
    return capability == int(rule[1]) if rule[2] else capability >= int(rule[1])


def test_sku_list():
    skus = run_json("sku", "list")
    check(len(skus) > 0, "sku list is empty")
    ids = [sku["id"] for sku in skus]
    equal(len(set(ids)), len(ids), "distinct SKU ids")
    for sku in skus:
        equal(list(sku), SKU_KEYS, f"{sku['id']}: keys")
        equal(sku["id"], f"{sku['op']}/{sku['algorithm']}/{sku['signature']}/{sku['arch']}", "id and its parts")
        equal(sku["backend"] == "host", sku["arch"] == "host", f"{sku['id']}: host backend and host architecture")
        check(sku["backend"] != "host" or sku["kernels"] == 0, f"{sku['id']}: only GPU SKUs have kernels")
        if sku["kernels"] == 0 and sku["backend"] == "bespoke":
            check(sku["op"] in WITHOUT_KERNELS, f"{sku['id']}: has no kernel")
        check_guarantee(sku["guarantee"], sku["id"])
        check_levels(sku)
    check(any(sku["backend"] == "host" for sku in skus) and any(sku["backend"] == "bespoke" for sku in skus), "SKUs of both backends")
    equal(run("sku", "list", "--json").out, run("sku", "list", "--json").out, "sku list --json twice")

    def kept(condition, *arguments):
        equal([s["id"] for s in run_json("sku", "list", *arguments)], [s["id"] for s in skus if condition(s)], f"sku list {arguments}")

    kept(lambda s: s["op"].startswith("embedding"), "--op", "embedding*")
    kept(lambda s: s["op"] == "embedding_forward", "--op", "embedding_forward")
    refused("not_found", "sku", "list", "--op", "no_such_operator", mentions=["no_such_operator"])
    refused("not_found", "sku", "list", "--op", "embeding_forward", mentions=["did you mean 'embedding_forward'?"])
    kept(lambda s: False, "--op", "embedding_forward", "--dtype", "bool")
    kept(lambda s: "bf16" in s["signature"].split("."), "--dtype", "bf16")
    kept(lambda s: "f16" in s["signature"].split("."), "--dtype", "f16")
    kept(lambda s: runs_on(s, 80), "--arch", "sm_80")
    kept(lambda s: runs_on(s, 90), "--arch", "sm_90a")
    kept(lambda s: runs_on(s, 100), "--arch", "sm_100")
    kept(lambda s: s["backend"] == "host", "--backend", "host")
    kept(lambda s: s["op"] == "embedding_forward" and "i32" in s["signature"] and runs_on(s, 80), "--op", "embedding_f*", "--dtype",
         "i32", "--arch", "sm_80", "--backend", "bespoke")
    refused("invalid_argument", "sku", "list", "--arch", "sm_1", mentions=["sm_1", "sm_90a"])
    refused("invalid_argument", "sku", "list", "--arch", "turing", mentions=["turing"])

    lines = run("sku", "list").out.splitlines()
    equal(lines[0].split(), ["SKU", "DETERMINISM", "SUMS", "MATH", "BOUND", "KERNELS"], "titles of the table")
    equal([line.split()[0] for line in lines[1:-1]], ids, "ids in the table")
    equal(lines[-1], f"{len(ids)} SKUs", "last line of the table")
    starts = {line.index(sku["guarantee"]["determinism"]) for line, sku in zip(lines[1:], skus)}
    equal(starts, {lines[0].index("DETERMINISM")}, "column of the determinism")


def test_sku_show():
    for sku in run_json("sku", "list", "--op", "embedding_*")[:6]:
        shown, = run_json("sku", "show", sku["id"])
        words = shown.pop("guarantee_in_words")
        equal(shown, sku, f"sku show {sku['id']}")
        text = run("sku", "show", sku["id"]).out
        for sentence in words + [sku["id"], sku["algorithm"], sku["signature"], sku["arch"], sku["summary"]]:
            check(sentence in text, f"sku show {sku['id']} does not say {sentence!r}")
        check(sku["guarantee"]["determinism"] in words[0], f"{sku['id']}: words about the determinism")
    several = [sku["id"] for sku in run_json("sku", "list", "--op", "embedding_forward") if "bf16" in sku["id"]]
    equal([sku["id"] for sku in run_json("sku", "show", "embedding_forward/*bf16*")], several, "sku show with a glob")
    equal(run("sku", "show", "embedding_forward/*bf16*").out.count("guarantee\n"), len(several), "sku show with a glob, in words")
    refused("not_found", "sku", "show", "no/such/sku", mentions=["no/such/sku"])
    refused("not_found", "sku", "show", several[0][:-1], mentions=[f"did you mean '{several[0]}'?"])
    refused("not_found", "sku", "show", "zero", mentions=["no SKU matches 'zero': 'zero/*' matches those of the operator"])
    refused("not_found", "sku", "show", "sofmax_backward/*/bf16/*", mentions=["did you mean 'softmax_backward/*/bf16/*'?"])
    refused("not_found", "ops", "layer_nor", mentions=["did you mean 'layer_norm_forward'?"])
    refused("not_found", "registry", "--op", "AdamW", mentions=["there is no CUDA training registration of AdamW: did you mean 'AdamWOptimizer'?"])


# ---- sku explain


def explain(*arguments, code=0):
    answer = run_json("sku", "explain", *arguments, code=code)
    equal(list(answer), ["op", "target", "descriptor", "candidates", "chosen", "kernels", "error"], f"explain {arguments}: keys")
    for candidate in answer["candidates"]:
        equal(candidate["accepted"], candidate["code"] == "ok", f"{candidate['sku']}: accepted and its code")
        check(candidate["reason"] != "", f"{candidate['sku']}: no reason")
    equal(answer["chosen"] is None, answer["error"] is not None, f"explain {arguments}: either a choice or an error")
    if answer["chosen"]:
        accepted = [c["sku"] for c in answer["candidates"] if c["accepted"]]
        equal(answer["chosen"]["sku"], accepted[0], f"explain {arguments}: the first accepted candidate is chosen")
        check_guarantee(answer["chosen"]["guarantee"], answer["chosen"]["sku"])
        check_levels(answer["chosen"])
        check(answer["chosen"]["bind_workspace_bytes"] >= answer["chosen"]["workspace_bytes"] >= 0, "workspace of run and bind")
    return answer


def test_explain():
    answer = explain("embedding_forward", *EMBEDDING, "--arch", "sm_80")
    equal(answer["op"], "embedding_forward", "op")
    equal(answer["target"]["kind"], "offline", "target of --arch")
    unknown = explain("embedding_forward", *EMBEDDING, "--arch", "sm_88")
    equal((unknown["target"]["kind"], unknown["chosen"]["sku"]), ("offline", answer["chosen"]["sku"]), "an architecture that is not known")
    equal(unknown["target"]["text"], "a device of sm_88, which this version does not know: 16 multiprocessors and 99.0 KiB (101,376 bytes) of shared memory a block are assumed",
          "what is assumed of it")
    check(answer["chosen"]["sku"].endswith("/bf16.i64/sm80"), f"chosen: {answer['chosen']['sku']}")
    equal(answer["chosen"]["launches"], 1, "launches of an embedding lookup")
    expected = {"num_embeddings": 1000, "embedding_dim": 64, "num_indices": 77, "element": "bf16", "index": "i64", "has_padding_idx": 0,
                "padding_zeroes_forward": 0, "padding_idx": 0}
    equal(answer["descriptor"], expected, "descriptor")

    ptx = os.path.join(scratch, "kernel.ptx")
    with open(ptx, "w") as file:
        file.write(".version 8.0\n.target sm_80\n.visible .entry k(.param .u64 x) { ret; }\n")
    kernel = ["user_kernel", "code_kind=ptx", "entry=k", "output_numel=4", "grid=1", "block=32", "element=f32", "--arch", "sm_90a"]
    answer = explain(*kernel, f"code=@{ptx}")
    equal(answer["chosen"]["sku"], "user_kernel/code/f32/sm80", "a kernel of the caller's")
    equal(answer["descriptor"]["code"], f"{os.path.getsize(ptx)} bytes", "bytes of a file")
    equal(explain(*kernel, "code=.version 8.0\n.target sm_80 .entry k(.param .u64 x) {}")["chosen"], answer["chosen"], "the same written out")
    refused("io_error", "sku", "explain", *kernel, "code=@" + os.path.join(scratch, "missing"), mentions=["code: cannot open", "missing"])

    answer = explain("embedding_backward", *EMBEDDING, "write_mode=accumulate", "has_padding_idx=true", "padding_idx=-1", "--host")
    equal(answer["target"]["kind"], "host", "target of --host")
    check(answer["chosen"]["sku"].endswith("/host"), f"chosen: {answer['chosen']['sku']}")
    equal(answer["descriptor"]["write_mode"], "accumulate", "enumerator by name")
    equal(answer["descriptor"]["has_padding_idx"], 1, "true as a number")
    equal(answer["descriptor"]["padding_idx"], -1, "negative value")
    by_number = explain("embedding_backward", *EMBEDDING, "write_mode=2", "has_padding_idx=1", "padding_idx=-1", "--host")
    equal(by_number["descriptor"], answer["descriptor"], "enumerator by number")
    equal(by_number["chosen"], answer["chosen"], "choice for the same descriptor")
    need = answer["chosen"]["workspace_bytes"]
    check(need > 0, "the host's embedding gradient needs workspace")
    explain("embedding_backward", *EMBEDDING, "--host", "--workspace-limit", str(need))
    explain("embedding_backward", *EMBEDDING, "--host", "--workspace-limit", "1GiB")
    on_device = explain("embedding_backward", *EMBEDDING, "--arch", "sm_90a")["chosen"]
    as_device = explain("embedding_backward", *EMBEDDING, "--host", "--workspace-arch", "sm_90a")["chosen"]
    equal(as_device["workspace_bytes"], max(need, on_device["workspace_bytes"]), "workspace of the host with --workspace-arch")
    refused("invalid_argument", "sku", "explain", "embedding_backward", *EMBEDDING, "--host", "--workspace-arch", "sm_1", mentions=["sm_1"])
    equal(explain("embedding_backward", *EMBEDDING, "--host", "--tune")["chosen"], answer["chosen"], "--tune on the host")
    refused("io_error", "sku", "explain", "embedding_backward", *EMBEDDING, "--host", "--tuning", "/nonexistent/a.tuning", mentions=["/nonexistent/a.tuning"])
    refused("corrupt", "sku", "explain", "embedding_backward", *EMBEDDING, "--host", "--tuning", __file__, mentions=[__file__, "tuning file"])
    less = explain("embedding_backward", *EMBEDDING, "--host", "--workspace-limit", str(need - 1), code=1)
    equal(less["error"]["code"], "unsupported", "code when the workspace limit is too small")
    check(any(f"needs {need} bytes of workspace" in c["reason"] for c in less["candidates"]), f"reasons: {less['candidates']}")

    unreachable = explain("embedding_backward", *EMBEDDING, "--host", "--determinism", "batch_invariant", code=1)
    check(any("batch_invariant" in c["reason"] for c in unreachable["candidates"]), "reason names the determinism required")
    explain("embedding_forward", *EMBEDDING, "--host", "--determinism", "batch_invariant", "--math", "ieee")
    excluded = explain("embedding_forward", *EMBEDDING, "--host", "--sku", "embedding_forward/*/sm80", code=1)
    check(all(not c["accepted"] for c in excluded["candidates"]), "every candidate is excluded by --sku")

    default = explain("embedding_forward", *EMBEDDING)
    if run_json("doctor")["devices"]:
        equal(default["target"]["kind"], "device", "default target with a GPU")
    else:
        equal(default["target"]["kind"], "offline", "default target without a GPU")
        check("sm_90a" in default["target"]["text"], f"default target: {default['target']['text']}")
        refused("not_found", "sku", "explain", "embedding_forward", *EMBEDDING, "--device", "0", mentions=["device 0"])

    text = run("sku", "explain", "embedding_forward", *EMBEDDING, "--arch", "sm_90a").out
    for word in ("num_embeddings = 1000", "accepted", "runs on the host stream only", "select would choose embedding_forward/", "workspace: ",
                 "launches: 1", "every output element is exact"):
        check(word in text, f"explain does not say {word!r}:\n{text}")
    rejected = run("sku", "explain", "embedding_forward", *EMBEDDING, "--arch", "sm_90a", "--sku", "*/host", code=1)
    check("select would choose nothing" in rejected.out, "text of an explanation without a choice")
    check(rejected.err.startswith("adjoint: unsupported: embedding_forward: "), f"its error: {rejected.err!r}")


def test_ops():
    rows = run_json("ops")
    order = list(dict.fromkeys(sku["op"] for sku in run_json("sku", "list")))
    equal(sorted(row["op"] for row in rows), sorted(order), "operators of ops and of sku list")
    equal([(row["family"], order.index(row["op"])) for row in rows], sorted((row["family"], order.index(row["op"])) for row in rows), "the order of ops")
    # In words: a line on each family, then a row for each of its operators.
    lines = run("ops").out.splitlines()
    equal(lines[0].split(), ["OPERATOR", "FAMILY", "TYPES", "BACKENDS"], "titles of ops")
    told = [(line.split(":")[0], None) if ": " in line else (line.split()[1], line.split()[0]) for line in lines[1:-1]]
    expected = []
    for row in rows:
        expected += [(row["family"], None)] * ((row["family"], None) not in expected) + [(row["family"], row["op"])]
    equal(told, expected, "lines of ops")
    check(all(line.endswith(".") for line in lines[1:-1] if ": " in line), "a sentence on each family")
    check("norm: Layer norm and RMS norm with their gradients." in lines, "the sentence on norms")
    equal([row["op"] for row in run_json("ops", "norm")], [row["op"] for row in rows if row["family"] == "norm"], "ops of a family")
    equal(len(run_json("ops", "reduce")), 1, "an operator that has the name of its family")
    refused("not_found", "ops", "attentoin", mentions=["did you mean 'attention'?"])
    check("fields" not in rows[0], "ops --json of all lists no fields")
    one, = run_json("ops", "softmax_backward")
    equal(one["family"], "softmax", "family")
    equal(one["types"], ["f32", "f64", "f16", "bf16"], "types")
    equal([f["name"] for f in one["fields"]], ["outer", "extent", "inner", "element"], "fields")
    equal([(a["name"], a["role"], a["presence"]) for a in one["arguments"]],
          [("dout", "in", "required"), ("out", "in", "required"), ("dinput", "out", "required")], "arguments")
    check("FIELD" in run("ops", "softmax_backward").out, "ops of one operator shows its fields")
    refused("not_found", "ops", "sotfmax_backward", mentions=["did you mean 'softmax_backward'?"])


def test_explain_errors():
    for line, words in ([("rms_norm_forward", "shape=4,8"), "element was not given; supported: f32.f32"], [("embedding_forward", *EMBEDDING[:3], "element=i8", "index=i64"), "i8.i64"]):
        check(words in run("sku", "explain", *line, code=1).out.split("no candidate: ")[-1].split("\n")[0], f"{line}: standard output has no reason")
    refused("unsupported", "sku", "explain", "embedding_forward", *EMBEDDING, "--arch", "sm_75", mentions=["sm_75 is older than sm_80", "bfloat16"])
    refused("unsupported", "sku", "kernels", "--arch", "sm_75", mentions=["sm_75 is older than sm_80"])
    refused("unsupported", "sku", "compile", "--arch", "sm_80,sm_75", "--dry-run", mentions=["sm_75 is older than sm_80"])
    refused("not_found", "sku", "explain", "embeding_forward", "x=1", mentions=["no operator is called 'embeding_forward'", "did you mean 'embedding_forward'?"])
    refused("invalid_argument", "sku", "explain", "embedding_forward", *EMBEDDING, "--arch", "sm_12345", mentions=["sm_12345", "sm_90a"])
    refused("invalid_problem", "sku", "explain", "embedding_forward", "num_embeddings=4", "embedding_dim=4", "num_indices=-3", "element=f32", "index=i64",
            mentions=["num_indices", "-3"])
    refused("invalid_problem", "sku", "explain", "embedding_forward", "num_embeddings=4", "embedding_dim=4", "num_indices=-3", "element=f32", "index=i64", "--json")
    fields = ["num_embeddings", "element", "write_mode", "64-bit integer", "element type", "default|overwrite|accumulate", "DEFAULT"]
    misused("sku", "explain", "embedding_backward", "no_such_field=1", mentions=["no_such_field", *fields])
    misused("sku", "explain", "embedding_backward", "num_indices", mentions=["'num_indices'", *fields])
    misused("sku", "explain", "embedding_backward", "=7", mentions=["'=7'"])
    for word, culprit in (("num_indices=many", "many"), ("num_indices=", "''"), ("num_indices=9223372036854775808", "9223372036854775808"),
                          ("num_indices=1.5", "1.5"), ("element=f33", "f33"), ("write_mode=append", "append"),
                          ("has_padding_idx=2147483648", "2147483648")):
        misused("sku", "explain", "embedding_backward", word, mentions=[word.split("=")[0], culprit])
    for word, meant in (("write_mode=acumulate", "accumulate"), ("element=bf1", "bf16"), ("elment=bf16", "element")):
        misused("sku", "explain", "embedding_backward", word, mentions=[f"did you mean '{meant}'?"])
    misused("sku", "explain", "embedding_backward", "num_indices=1", "num_indices=2", mentions=["num_indices", "twice"])
    for option, value in (("--determinism", "total"), ("--math", "exact"), ("--workspace-limit", "-5"), ("--workspace-limit", "5 MB"),
                          ("--workspace-limit", "99999999999GiB"), ("--device", "first")):
        misused("sku", "explain", "embedding_forward", *EMBEDDING, option, value, mentions=[option, value])
    misused("sku", "explain", "embedding_forward", *EMBEDDING, "--host", "--arch", "sm_80", mentions=["--host", "--arch"])
    misused("sku", "explain", "embedding_forward", *EMBEDDING, "--device", "0", "--arch", "sm_80", mentions=["--device", "--arch"])


def test_explain_lists():
    """A list field sets its count."""
    table = run("sku", "explain", "adam", "--fields").out
    check("list of 64-bit integers" in table, f"fields of adam:\n{table}")
    types = ["param=f32", "--arch", "sm_90a"]

    def lengths(text):
        descriptor = explain("adam", f"numel={text}", *types)["descriptor"]
        equal(descriptor.get("count", len(descriptor["numel"])), len(descriptor["numel"]), f"count for numel={text}")
        return descriptor["numel"]

    equal(lengths("10,20,30"), [10, 20, 30], "numel=10,20,30")
    equal(lengths("3x5,7,2x0"), [5, 5, 5, 7, 0, 0], "numel=3x5,7,2x0")
    equal(lengths("1000x4096"), [4096] * 1000, "numel=1000x4096")
    equal(lengths(""), [], "numel=")
    check("items)" in run("sku", "explain", "adam", "numel=1000x4096", *types).out, "a long list is shortened")
    for text in ("1,,2", "x", "3x", "x3", "-3x4", "3x4x5", "1;2", "99999999x1"):
        misused("sku", "explain", "adam", f"numel={text}", mentions=["numel", text])
    for field in ("shape=2x3", "shape=2,3 axes=1x0"):
        misused("sku", "explain", "reduce", *field.split(), mentions=["is not a 64-bit integer; items are separated by commas, as in 4,8,16"])
    refused("invalid_problem", "sku", "explain", "adam", "numel=4,-1", *types, mentions=["numel"])
    if re.search(r"^count\b", table, re.M):
        misused("sku", "explain", "adam", "count=3", mentions=["count", "numel"])


def test_fields():
    text = run("sku", "explain", "embedding_backward", "--fields").out
    equal(text.splitlines()[0].split(), ["FIELD", "TYPE", "DEFAULT", "ABOUT"], "titles of --fields")
    fields, arguments = text.split("\n\n")
    names = [line.split()[0] for line in fields.splitlines()[1:]]
    equal(names, list(explain("embedding_backward", *EMBEDDING, "--host")["descriptor"]), "fields and the descriptor's keys")
    equal(arguments.splitlines()[0].split(), ["ARGUMENT", "KIND", "ROLE", "ABOUT"], "titles of the arguments")
    equal([line.split()[:3] for line in arguments.splitlines()[1:4]],
          [["dout", "tensor", "in"], ["indices", "tensor", "in,"], ["dweight", "tensor", "in/out"]], "arguments and roles")
    check("added to it" in arguments, f"what an argument is for:\n{arguments}")


# ---- registry


def test_registry():
    rows = run_json("registry")
    equal(len(rows), REGISTRY_ROWS, "rows of the registry")
    ids = {sku["id"]: sku for sku in run_json("sku", "list")}
    for row in rows:
        name = f"registry row {row['op']} {row['types']}"
        equal(list(row), REGISTRY_KEYS, f"{name}: keys")
        for key in ("domain", "op", "types"):
            check(isinstance(row[key], str), f"{name}: {key} = {row[key]!r}")
        check(row["domain"] in ("", "com.microsoft"), f"{name}: domain {row['domain']!r}")
        check(row["op"] and row["types"], f"{name}: empty op or types")
        check(isinstance(row["since_version"], int) and row["since_version"] >= 1, f"{name}: since_version {row['since_version']!r}")
        until = row["until_version"]
        check(until is None or (isinstance(until, int) and until >= row["since_version"]), f"{name}: until_version {until!r}")
        check(row["adjoint_op"] is None or (isinstance(row["adjoint_op"], str) and row["adjoint_op"]), f"{name}: adjoint_op {row['adjoint_op']!r}")
        check(isinstance(row["resolved"], bool), f"{name}: resolved {row['resolved']!r}")
        check(isinstance(row["reason"], str) and row["reason"] if not row["resolved"] else row["reason"] is None, f"{name}: reason {row['reason']!r}")
        if row["resolved"]:
            check(row["adjoint_op"] is not None and len(row["skus"]) >= 2, f"{name}: resolved without an operator, or by fewer than two SKUs")
            backends = {ids[s]["backend"] for s in row["skus"] if s in ids}
            check("host" in backends and len(backends) > 1, f"{name}: resolved by {backends}")
        check(len(set(row["skus"])) == len(row["skus"]), f"{name}: repeated SKUs")
        for sku in row["skus"]:
            check(sku in ids and ids[sku]["op"] == row["adjoint_op"], f"{name}: SKU {sku}")
    equal(run("registry", "--json").out, run("registry", "--json").out, "registry --json twice")

    lines = run("registry").out.splitlines()
    equal(lines[0].split()[:5], ["OP", "DOMAIN", "OPSET", "RESOLVED", "SESSION"], "titles of the table")
    equal([line.split()[0] for line in lines[1:1 + len(rows)]], [row["op"] for row in rows], "ops in the table")
    sessions = [sum(row["session"] == kind for row in rows) for kind in ("table", "rewrite", "none")]
    equal(sessions, [176, 22, 14], "rows that run in a session as they stand, after a rewrite, and not")
    equal(lines[2 + len(rows)], "in a session of a stock ONNX Runtime: {} as they stand, {} after a rewrite, {} not".format(*sessions), "the line on sessions")
    for row in rows:
        equal((row["binding"] is None, row["obstacle"] is not None), 2 * (row["session"] == "none",), f"binding and obstacle of {row['op']}")
    shown = run("registry", "--op", "GatherGrad").out.splitlines()
    check("  attr axis int 0 @axis" in shown and "  in indices Tind indices flat" in shown, f"the binding of GatherGrad: {shown}")
    check("  not in a session: a stock session has no communicator" in run("registry", "--op", "Send").out.splitlines(), "why Send is not in a session")
    resolved = sum(row["resolved"] for row in rows)
    without = sum(row["adjoint_op"] is None for row in rows)
    equal(lines[1 + len(rows)], f"{len(rows)} registrations: {resolved} resolved, {len(rows) - resolved} not ({without} without an operator here)",
          "counts under the table")

    def kept(condition, *arguments):
        equal(run_json("registry", *arguments), [row for row in rows if condition(row)], f"registry {arguments}")

    kept(lambda r: r["op"] == "AdamOptimizer", "--op", "AdamOptimizer")
    for domain in ("ms", "com.microsoft"):
        kept(lambda r: r["domain"] == "com.microsoft", "--domain", domain)
    for domain in ("", "onnx", "ai.onnx"):
        kept(lambda r: r["domain"] == "", "--domain", domain)
    kept(lambda r: r["op"] == "SoftmaxCrossEntropyLoss" and r["since_version"] <= 12 and (r["until_version"] or 99) >= 12,
         "--op", "SoftmaxCrossEntropyLoss", "--opset", "12")

    # Every row with plain types is found by looking it up at its own versions.
    for row in rows:
        if "=" in row["types"]:
            continue
        arguments = ["--op", row["op"], "--domain", row["domain"], "--types", row["types"]]
        for opset in {row["since_version"], row["until_version"] or row["since_version"] + 1}:
            found = run_json("registry", *arguments, "--opset", str(opset))
            same = [r for r in rows if (r["op"], r["domain"], r["types"]) == (row["op"], row["domain"], row["types"])]
            check(len(found) == 1 and found[0] in same and found[0]["since_version"] <= opset <= (found[0]["until_version"] or opset),
                  f"registry {arguments} --opset {opset}: {found}")
    found = run_json("registry", "--op", "SGDOptimizer", "--opset", "1", "--types", "float")
    equal([row["types"] for row in found], ["T={float}"], "lookup by one element type, domain left out")


def test_registry_errors():
    refused("not_found", "registry", "--op", "NoSuchOp", mentions=["NoSuchOp"])
    refused("not_found", "registry", "--op", "NoSuchOp", "--opset", "1", "--types", "float", mentions=["NoSuchOp"])
    refused("not_found", "registry", "--domain", "no.such.domain", mentions=["no.such.domain"])
    refused("not_found", "registry", "--op", "SoftmaxCrossEntropyLoss", "--opset", "1", "--json", mentions=["opset 1"])
    refused("not_found", "registry", "--op", "SGDOptimizer", "--opset", "1", "--types", "complex", mentions=["complex", "T={float}"])
    misused("registry", "--opset", "none")
    misused("registry", "--opset", "0", mentions=["--opset", "0", "1"])
    check(len(run("registry", "--opset", "0", code=2).err.splitlines()[0]) < 100, "a refused number has a short sentence")


# ---- doctor, cache


def test_doctor():
    report = run_json("doctor")
    equal(list(report), ["version", "interface", "libraries", "devices", "cache", "kernel_sources", "packs", "probes", "known_faults", "warnings", "host", "gpu"], "doctor: keys")
    names = [library["name"] for library in report["libraries"]]
    for name in ("CUDA driver", "NVRTC"):
        check(name in names, f"doctor does not speak of {name}")
    for library in report["libraries"]:
        equal(list(library), ["name", "available", "version", "path", "problem"], f"{library['name']}: keys")
        equal(library["available"], library["problem"] is None, f"{library['name']}: available, or a problem")
    equal(report["host"]["usable"], True, "the host backend works")
    if not report["devices"]:
        equal(report["gpu"]["usable"], False, "a GPU backend without a device")
    check(report["gpu"]["because"], "doctor gives no reason")
    equal(report["packs"], [], "packs without ADJOINT_PACK")
    last = run("doctor").out.splitlines()[-1]
    check(last.startswith("host: yes, GPU: " + ("yes, " if report["gpu"]["usable"] else "no because ")), f"doctor's last line: {last!r}")

    # Without a driver and without NVRTC the host still works, and the report says how to get them.
    nothing = os.path.join(scratch, "missing.so")
    bare = run_json("doctor", ADJOINT_LIBCUDA=nothing, ADJOINT_LIBNVRTC=nothing)
    for library in bare["libraries"]:
        if library["name"] in ("CUDA driver", "NVRTC"):
            equal(library["available"], False, f"{library['name']} that is not there")
            check("install" in library["problem"], f"{library['name']}: no advice in {library['problem']!r}")
    equal((bare["host"]["usable"], bare["gpu"]["usable"], bare["devices"]), (True, False, []), "doctor without libraries")

    bad = os.path.join(scratch, "bad.pack")
    with open(bad, "w") as file:
        file.write("not a pack")
    packs = run_json("doctor", ADJOINT_PACK=f"{bad}:{nothing}")["packs"]
    equal([(p["path"], p["usable"]) for p in packs], [(bad, False), (nothing, False)], "unusable packs")
    check("not a usable pack" in packs[0]["problem"] and "No such file" in packs[1]["problem"], f"problems of the packs: {packs}")

    # What would make every process compile anew is said.
    equal((report["cache"]["problem"], report["warnings"]), (None, []), "doctor with a sound cache")
    hidden = run_json("doctor", ADJOINT_CACHE_DIR="/proc/nothing/here")["cache"]
    check(re.fullmatch(r"nothing can be made in '/proc' \(.*\), so that every process compiles anew", hidden["problem"] or ""), f"a cache that cannot be made: {hidden}")
    warnings = run_json("doctor", ADJOINT_CACHE_LIMIT_MB="big")["warnings"]
    equal(warnings, ["ADJOINT_CACHE_LIMIT_MB = 'big' is not a number of megabytes; 256 is used"], "a limit that is no number")
    nowhere = dict(ADJOINT_CACHE_DIR=None, XDG_CACHE_HOME=None, HOME=None)
    equal(run_json("doctor", **nowhere)["cache"]["problem"], "none of ADJOINT_CACHE_DIR, XDG_CACHE_HOME and HOME names a directory", "no place for a cache")
    equal(run_json("doctor", ADJOINT_CACHE_DIR="")["cache"]["problem"], "ADJOINT_CACHE_DIR is empty", "a cache that is turned off")
    warnings = run_json("doctor", ADJOINT_TUNING=f"{nothing}:{bad}")["warnings"]
    check(len(warnings) == 2 and all(w.startswith("ADJOINT_TUNING: ") for w in warnings) and "No such file" in warnings[0] and bad in warnings[1],
          f"tuning files that cannot be read: {warnings}")
    check("ADJOINT_CACHE_LIMIT_MB = 'big'" in run("doctor", ADJOINT_CACHE_LIMIT_MB="big").out, "the text has the warning")

    # Where kernels come from.
    equal(report["kernel_sources"], {"directory": None, "line_info": False, "problem": None}, "doctor with embedded kernels")
    check("\nkernel sources\n  yes embedded\n" in run("doctor").out, "doctor on embedded kernels, in words")
    kernels = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kernels")
    equal(run_json("doctor", ADJOINT_KERNEL_DIR=kernels, ADJOINT_LINEINFO="1")["kernel_sources"], {"directory": kernels, "line_info": True, "problem": None},
          "doctor with a directory of kernels")
    check(f"  yes {kernels}, compiled with line information\n" in run("doctor", ADJOINT_KERNEL_DIR=kernels, ADJOINT_LINEINFO="1").out, "the same in words")
    for variables, words in (({"ADJOINT_KERNEL_DIR": nothing}, f"ADJOINT_KERNEL_DIR = '{nothing}' cannot be read"), ({"ADJOINT_KERNEL_DIR": ""}, "is empty"),
                             ({"ADJOINT_LINEINFO": "on"}, "ADJOINT_LINEINFO = 'on' is neither 1 nor 0")):
        wrong = run_json("doctor", **variables)
        check(words in (wrong["kernel_sources"]["problem"] or ""), f"doctor with {variables}: {wrong['kernel_sources']}")
        equal(wrong["gpu"]["usable"], False, f"a GPU with {variables}")
    part = os.path.join(scratch, "part")
    os.makedirs(os.path.join(part, "softmax"))
    with open(os.path.join(part, "softmax", "row.cu"), "w") as file:
        file.write("// nothing\n")
    check("has no file" in run_json("doctor", ADJOINT_KERNEL_DIR=part)["kernel_sources"]["problem"], "doctor with a part of the kernels")

    # A path that is not UTF-8 must not break the JSON.
    raw = subprocess.run([os.fsencode(tool), b"doctor", b"--json"], capture_output=True, timeout=60,
                         env={**{os.fsencode(k): os.fsencode(v) for k, v in environment.items()}, b"ADJOINT_PACK": b"/\xff\xfe"})
    equal(raw.returncode, 0, "doctor with a path that is not UTF-8")
    equal(json.loads(raw.stdout.decode("utf-8"))["packs"][0]["path"], "/\ufffd\ufffd", "a path that is not UTF-8, in JSON")


def test_cache():
    directory = os.path.join(scratch, "cache")
    os.mkdir(directory, 0o700)
    at = {"ADJOINT_CACHE_DIR": directory, "ADJOINT_CACHE_LIMIT_MB": "3"}
    empty = run_json("cache", "stat", **at)
    equal(empty, {"directory": directory, "problem": None, "entries": 0, "bytes": 0, "limit": 3 << 20}, "an empty cache")
    damaged = os.path.join(directory, "0" * 64 + ".cubin")
    with open(damaged, "wb") as file:
        file.write(b"x" * 1000)
    equal(run_json("cache", "stat", **at), {**empty, "entries": 1, "bytes": 1000}, "a cache with one entry")
    check("1 entry, 1000 bytes" in run("cache", "stat", **at).out, "cache stat in words")
    for limit in ("lots", "-1", "3MB", "99999999999999999999"):
        equal(run_json("cache", "stat", **{**at, "ADJOINT_CACHE_LIMIT_MB": limit})["limit"], 256 << 20, f"a limit of {limit}")
    equal(os.path.getsize(damaged), 1000, "a cache whose limit is no number keeps what it has")

    kept = run_json("cache", "verify", **at, ADJOINT_CACHE_READ_ONLY="1")
    equal((kept["damaged"], kept["problem"], os.path.exists(damaged)), (1, "read-only", True), "verify of a read-only cache")
    refused("io_error", "cache", "clear", **at, ADJOINT_CACHE_READ_ONLY="1", mentions=[directory, "read-only"])
    equal(run_json("cache", "verify", **at), {**empty, "damaged": 1}, "verify of a damaged entry")
    check(not os.path.exists(damaged), "verify removes a damaged entry")
    equal(run_json("cache", "verify", **at), {**empty, "damaged": 0}, "verify again")

    for i in range(3):
        with open(os.path.join(directory, f"{i:064}.cubin"), "wb") as file:
            file.write(b"x" * 100)
    equal(run_json("cache", "clear", **at), {"directory": directory, "removed_entries": 3, "removed_bytes": 300}, "cache clear")
    equal(run_json("cache", "stat", **at), empty, "a cleared cache")

    off = run_json("cache", "stat", ADJOINT_CACHE_DIR="")
    equal((off["directory"], off["entries"]), (None, 0), "a cache that is off")
    check(off["problem"], "a cache that is off has no reason")
    check(run("cache", "clear", ADJOINT_CACHE_DIR="").out.startswith("the disk cache is off"), "clear of a cache that is off")
    os.chmod(directory, 0o777)
    check("writable by others" in run_json("cache", "stat", **at)["problem"], "a directory that others may write")


# ---- sku kernels


def nvrtc_available(what):
    global skipped
    libraries = {library["name"]: library for library in run_json("doctor")["libraries"]}
    if not libraries["NVRTC"]["available"]:
        skipped += 1
        print(f"skipped: {what}: {libraries['NVRTC']['problem']}")
    return libraries["NVRTC"]["available"]


def test_kernels_errors():
    refused("invalid_argument", "sku", "kernels", "--arch", "sm_1", mentions=["sm_1", "sm_90a"])
    refused("not_found", "sku", "kernels", "--arch", "sm_80", "--sku", "no/such/*", mentions=["no SKU matches 'no/such/*'"])
    refused("not_found", "sku", "kernels", "--arch", "sm_80", "--sku", "sofmax_backward/*", mentions=["did you mean 'softmax_backward/*'?"])
    refused("not_found", "sku", "kernels", "--arch", "sm_80", "--sku", "*/host", mentions=["*/host"])
    refused("not_found", "sku", "kernels", "--arch", "sm_80", "--sku", "*/sm90", mentions=["sm_80"])
    refused("backend_unavailable", "sku", "kernels", "--arch", "sm_80", "--sku", "embedding_forward/*",
            ADJOINT_LIBNVRTC=os.path.join(scratch, "missing.so"), mentions=["NVRTC"])


def test_kernels():
    if not nvrtc_available("sku kernels"):
        return
    arguments = ["sku", "kernels", "--arch", "sm_90a", "--sku", "embedding_forward/*/f*"]
    cold = {"ADJOINT_CACHE_DIR": os.path.join(scratch, "kernels")}
    kernels = run_json(*arguments, **cold)
    equal(len(kernels), sum(sku["kernels"] for sku in run_json("sku", "list", "--op", "embedding_forward", "--arch", "sm_90a")
                            if sku["signature"].startswith("f")), "kernels of embedding_forward")
    compiled = set()  # SKUs share programs
    for kernel in kernels:
        where = f"kernels of {kernel['sku']}, {kernel['entry']}"
        equal(list(kernel), ["sku", "arch", "source", "entry", "macros", "registers", "static_shared_bytes", "local_bytes", "code_bytes",
                             "compile_ms"], f"{where}: keys")
        equal((kernel["arch"], kernel["source"]), ("sm_90a", "segment_sum/lookup.cu"), where)
        check(kernel["entry"].startswith("embedding_forward"), where)
        check("ADJ_I=" + kernel["sku"].split("/")[2].split(".")[1] in kernel["macros"], f"{where}: macros {kernel['macros']}")
        check(16 <= kernel["registers"] <= 255 and kernel["code_bytes"] % 16 == 0 and kernel["code_bytes"] > 0, f"{where}: {kernel}")
        equal((kernel["static_shared_bytes"], kernel["local_bytes"]), (0, 0), f"{where}: memory")
        program = (kernel["entry"], *kernel["macros"])
        equal(kernel["compile_ms"] > 0, program not in compiled, f"{where}: compiled in {kernel['compile_ms']} ms")
        compiled.add(program)
    again = run_json(*arguments, **cold)
    equal([kernel["compile_ms"] for kernel in again], [0] * len(again), "kernels from the cache: compile_ms")
    equal([kernel["registers"] for kernel in again], [kernel["registers"] for kernel in kernels], "kernels from the cache: registers")
    text = run(*arguments, **cold).out
    # The sources of a directory, and an edit of one.
    import shutil
    directory = os.path.join(scratch, "edited")
    shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kernels"), directory)
    same = run_json(*arguments, **cold, ADJOINT_KERNEL_DIR=directory)
    equal([kernel["compile_ms"] for kernel in same], [0] * len(same), "the same kernels from a directory: compile_ms")
    lines = run_json(*arguments, **cold, ADJOINT_KERNEL_DIR=directory, ADJOINT_LINEINFO="1")
    equal([(k["registers"], k["code_bytes"]) for k in lines], [(k["registers"], k["code_bytes"]) for k in kernels], "kernels with line information")
    with open(os.path.join(directory, "segment_sum", "lookup.cu"), "a") as file:
        file.write("#error an edit\n")
    refused("compile_failed", *arguments, **cold, ADJOINT_KERNEL_DIR=directory, mentions=["an edit", "lookup.cu"])
    run(*arguments, **cold)
    check("REGISTERS" in text and "(cached)" in text and text.endswith(f"{len(kernels)} kernels for sm_90a\n"), f"kernels: {text!r}")


# ---- sku compile


def test_compile_errors():
    path = os.path.join(scratch, "out.pack")
    refused("io_error", "sku", "compile", "--arch", "sm_90a", "-o", os.path.join(scratch, "no", "such", "x.pack"), mentions=["No such file"])
    refused("io_error", "sku", "compile", "--arch", "sm_90a", "-o", scratch, mentions=["directory"])
    refused("invalid_argument", "sku", "compile", "--arch", "sm_1", "-o", path, mentions=["sm_1", "sm_90a"])
    refused("invalid_argument", "sku", "compile", "--arch", ",", "-o", path, mentions=["arch"])
    refused("not_found", "sku", "compile", "--arch", "sm_90a", "--sku", "no/such/*", "-o", path, mentions=["no/such/*"])
    refused("not_found", "sku", "compile", "--arch", "sm_90a", "--sku", "sofmax_backward/*", "-o", path, mentions=["did you mean 'softmax_backward/*'?"])
    refused("not_found", "sku", "compile", "--arch", "sm_80", "--sku", "*/sm90", "--dry-run", mentions=["sm_80"])
    refused("invalid_argument", "sku", "compile", "--arch", "sm_1", "--dry-run", mentions=["sm_1", "sm_90a"])
    refused("backend_unavailable", "sku", "compile", "--arch", "sm_90a", "-o", path, ADJOINT_LIBNVRTC=os.path.join(scratch, "missing.so"),
            mentions=["NVRTC"])
    check(not os.path.exists(path), "a failed compile leaves a file")


def test_compile_dry_run():
    """Counts and a time, without a compiler, and nothing is written."""
    without = {"ADJOINT_LIBNVRTC": "", "ADJOINT_CACHE_DIR": os.path.join(scratch, "dry")}
    plan = run_json("sku", "compile", "--arch", "sm_80,sm_90a", "--sku", "embedding_forward/*", "--jobs", "2", "--dry-run", **without)
    equal(list(plan), ["archs", "kernels", "threads", "seconds_about"], "compile --dry-run: keys")
    equal((list(plan["archs"]), sum(plan["archs"].values()), plan["threads"]), (["sm_80", "sm_90a"], plan["kernels"], 2), "compile --dry-run")
    check(0 < plan["seconds_about"] < 60, f"seconds of {plan['kernels']} kernels: {plan['seconds_about']}")
    everything = run_json("sku", "compile", "--arch", "sm_90a", "--jobs", "2", "--dry-run", **without)
    check(everything["kernels"] > 10 * plan["kernels"], f"all kernels: {everything}")
    equal(run_json("sku", "compile", "--arch", "sm_90a", "--jobs", "4", "--dry-run", **without)["seconds_about"] * 2, everything["seconds_about"], "twice the threads")
    path = os.path.join(scratch, "dry.pack")
    lines = run("sku", "compile", "--arch", "sm_80,sm_90a", "--sku", "embedding_forward/*", "--jobs", "2", "--dry-run", "-o", path, **without).out.splitlines()
    equal(lines[:2], [f"{arch}: {count} kernels" for arch, count in plan["archs"].items()], "compile --dry-run in words")
    check(re.fullmatch(rf"{plan['kernels']} kernels for sm_80, sm_90a, about \d+ s on 2 threads, less with kernels in the cache; nothing was compiled", lines[2]), lines[2])
    check(re.search(r"about \d+ min on 1 thread,", run("sku", "compile", "--arch", "sm_90a", "--jobs", "1", "--dry-run", **without).out), "minutes of all kernels")
    check(not os.path.exists(path) and not os.path.exists(without["ADJOINT_CACHE_DIR"]), "compile --dry-run writes something")


def test_compile():
    if not nvrtc_available("sku compile"):
        return
    path = os.path.join(scratch, "embedding.pack")
    arguments = ["sku", "compile", "--arch", "sm_80,sm_90a", "--sku", "embedding_forward/*/f*", "-o", path, "--jobs", "2"]
    cold = {"ADJOINT_CACHE_DIR": os.path.join(scratch, "compile")}
    summary = run_json(*arguments, **cold)
    equal(summary["compiled"], summary["kernels"], "kernels that are compiled into a cold cache")
    with open(path, "rb") as file:
        packed = file.read()
    equal(run_json(*arguments, **cold)["compiled"], 0, "kernels that are compiled once more")
    equal(run_json(*arguments, **cold, ADJOINT_LIBNVRTC="")["compiled"], 0, "kernels from the cache where there is no NVRTC")
    run_json(*arguments, **cold)
    with open(path, "rb") as file:
        equal(file.read(), packed, "the pack from the cache")
    equal(list(summary), ["pack", "archs", "kernels", "compiled", "bytes", "seconds", "milliseconds_median", "milliseconds_worst", "worst_kernel"],
          "compile: keys")
    equal((summary["pack"], summary["archs"], summary["bytes"]), (path, ["sm_80", "sm_90a"], os.path.getsize(path)), "compile: summary")
    programs = {(kernel["entry"], *kernel["macros"]) for kernel in run_json("sku", "kernels", "--arch", "sm_80", "--sku", "embedding_forward/*/f*")}
    equal(summary["kernels"], 2 * len(programs), "kernels for two architectures")
    check(0 < summary["milliseconds_median"] <= summary["milliseconds_worst"], "milliseconds per kernel")
    check("embedding_forward" in summary["worst_kernel"], f"worst kernel: {summary['worst_kernel']}")

    outcome = run(*arguments)
    equal(outcome.out.count("\n"), 1, "compile: lines of standard output")
    check(re.fullmatch(rf"{re.escape(path)}: {summary['kernels']} kernels \(\d+ compiled now, the rest from the cache\), .* bytes\), [\d.]+ s, [\d.]+ ms per kernel \(median\), "
                       r"worst [\d.]+ ms: .*embedding_forward.*\n", outcome.out), f"compile: summary line {outcome.out!r}")
    check(re.match(rf"compiling {summary['kernels']} kernels for sm_80, sm_90a, about \d+ s on 2 threads, less with kernels in the cache\n", outcome.err),
          f"compile: the first line says how much there is: {outcome.err!r}")
    percents = [int(p) for p in re.findall(r"(\d+)%", outcome.err)]
    check(percents and percents == sorted(percents) and percents[-1] == 100, f"compile: progress {percents}")
    check(len(percents) <= 11 and "\r" not in outcome.err, "compile: progress off a terminal is plain lines")
    equal(run_json("doctor", ADJOINT_PACK=path)["packs"], [{"path": path, "usable": True, "problem": None}], "doctor with the pack")

    listed = run_json("pack", "list", path)
    equal(list(listed), ["pack", "nvrtc", "bytes", "kernels", "unknown"], "pack list: keys")
    equal((listed["pack"], listed["unknown"], len(listed["kernels"])), (path, 0, summary["kernels"]), "pack list")
    equal({(k["entry"], *k["macros"], k["arch"]) for k in listed["kernels"]}, {(*p, arch) for p in programs for arch in ("sm_80", "sm_90a")},
          "kernels of pack list")
    equal(sum(k["bytes"] for k in listed["kernels"]), listed["bytes"], "bytes of pack list")
    check(re.fullmatch(r"\d+\.\d+", listed["nvrtc"]), f"NVRTC of the pack: {listed['nvrtc']!r}")
    # Architectures that this version does not know: sm_88, which NVRTC does, and one that it does not, for which a pack has PTX.
    later = os.path.join(scratch, "later.pack")
    run("sku", "compile", "--arch", "sm_88,sm_199", "--sku", "embedding_forward/row_copy/f32*", "-o", later)
    listed = run_json("pack", "list", later)
    equal((listed["unknown"], {k["arch"] for k in listed["kernels"]}), (0, {"sm_88", "sm_199"}), "pack list of later architectures")
    check(all(k["ptx"] for k in listed["kernels"] if k["arch"] == "sm_199"), f"code for an architecture that NVRTC does not know: {listed}")
    refused("unsupported", "sku", "kernels", "--arch", "sm_199", "--sku", "embedding_forward/row_copy/f32*", mentions=["does not know sm_199"])
    damaged = os.path.join(scratch, "damaged.pack")
    with open(damaged, "wb") as file:
        file.write(packed[:-1] + bytes([packed[-1] ^ 1]))
    refused("corrupt", "pack", "list", damaged, mentions=[damaged, f"1 of its {summary['kernels']} kernels"])
    found, = run_json("doctor", ADJOINT_PACK=damaged)["packs"]
    check(not found["usable"] and "1 of its" in found["problem"], f"doctor with a damaged pack: {found}")
    text = run("pack", "list", path).out
    check(f"{path}: {summary['kernels']} kernels" in text and "embedding_forward" in text, f"pack list: {text!r}")

    # sku explain says whether a pack is enough for a problem.
    problem = ["embedding_forward", "num_embeddings=9", "embedding_dim=64", "num_indices=7", "element=f32", "index=i64"]
    off = {"ADJOINT_CACHE_DIR": "", "ADJOINT_LIBNVRTC": ""}
    with_pack = explain(*problem, "--arch", "sm_90a", "--jit", "packs_only", "--pack", path)
    equal((with_pack["kernels"]["where"], with_pack["kernels"]["missing"]), (path, []), "a pack that is enough")
    needed = with_pack["kernels"]["needed"]
    check(needed >= 1, "kernels of a lookup")
    check(f"{needed} of {needed} kernel" in run("sku", "explain", *problem, "--arch", "sm_90a", "--jit", "packs_only", "--pack", path).out, "a pack that is enough, in words")
    through_variable = run_json("sku", "explain", *problem, "--arch", "sm_90a", "--jit", "packs_only", ADJOINT_PACK=path, **off)
    equal(through_variable["kernels"]["missing"], [], "a pack of ADJOINT_PACK")
    for arguments in (["--arch", "sm_100", "--jit", "packs_only", "--pack", path], ["--arch", "sm_90a", "--jit", "packs_only"],
                      ["--arch", "sm_90a", "--jit", "cached_only"]):
        lacking = run("sku", "explain", *problem, *arguments, code=1, **off)
        check(f"0 of {needed} kernel" in lacking.out and "missing: segment_sum/lookup.cu" in lacking.out, f"{arguments}: {lacking.out}")
        check(lacking.err.startswith("adjoint: backend_unavailable: embedding_forward: only 0 of "), f"{arguments}: {lacking.err}")
    kept = run_json("sku", "explain", *problem, "--arch", "sm_100", "--pack", path, **off)
    equal(len(kept["kernels"]["missing"]), needed, "what a pack lacks, where NVRTC would do as well")
    equal(explain(*problem, "--arch", "sm_90a")["kernels"], None, "kernels that nobody asked for")


def test_pack_errors():
    bad = os.path.join(scratch, "bad-again.pack")
    with open(bad, "w") as file:
        file.write("not a pack")
    refused("corrupt", "pack", "list", bad, mentions=[bad])
    refused("io_error", "pack", "list", os.path.join(scratch, "missing.pack"), mentions=["missing.pack", "No such file"])
    misused("pack", "list")
    refused("corrupt", "sku", "explain", "embedding_forward", *EMBEDDING, "--arch", "sm_90a", "--pack", bad, mentions=[bad])


def main():
    global tool, scratch
    if len(sys.argv) != 2:
        sys.exit("usage: cli_test.py PATH_TO_ADJOINT")
    tool = os.path.abspath(sys.argv[1])
    environment.update({k: v for k, v in os.environ.items() if (not k.startswith("ADJOINT_") or k == "ADJOINT_LIBRARY_PATH") and k != "NO_COLOR"})
    with tempfile.TemporaryDirectory() as directory:
        scratch = directory
        environment["COLUMNS"] = "1000"  # one line for each row; tests of the width set their own
        environment["ADJOINT_CACHE_DIR"] = os.path.join(scratch, "default-cache")
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                try:
                    test()
                except Exception as error:  # a broken answer must not hide the other tests
                    check(False, f"{name}: {type(error).__name__}: {error}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
