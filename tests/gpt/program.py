#!/usr/bin/env python3
"""The program tools/gpt on the host: its loss against a model of its own from the same formulas, checkpoints, ranks, and what it refuses.
program.py GPT [--stand-in]"""
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

MASK = (1 << 64) - 1


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


class Formula:
    """Parameters in their order, each asked for once."""
    def __init__(self, seed):
        self.seed, self.t = seed, -1

    def matrix(self, rows, columns, power=-5, offset=0.0):
        self.t += 1
        base = mix((self.seed << 32) + self.t)
        values = [offset + 2.0**power * ((mix((base + e) & MASK) >> 11) * 2.0**-52 - 1) for e in range(rows * columns)]
        return [values[r * columns:(r + 1) * columns] for r in range(rows)]

    def norm(self, n):
        return self.matrix(1, n, -4, 1.0)[0]

    def bias(self, n):
        return self.matrix(1, n, -6)[0]

    def token(self, i, vocabulary):
        return (mix((mix((self.seed << 32) + 0x80000000) + i) & MASK) >> 33) % vocabulary


def linear(x, weight, bias=None):
    return [[sum(a * b for a, b in zip(row, w)) + (bias[o] if bias else 0) for o, w in enumerate(weight)] for row in x]


def add(x, y):
    return [[a + b for a, b in zip(p, q)] for p, q in zip(x, y)]


def normalised(row, weight, bias=None):
    mean = sum(row) / len(row) if bias else 0
    inv = 1 / math.sqrt(sum((v - mean)**2 for v in row) / len(row) + 1e-5)
    return [(v - mean) * inv * w + (bias[i] if bias else 0) for i, (v, w) in enumerate(zip(row, weight))]


def attention(qkv, heads, kv_heads, dim):
    out = []
    for i, row in enumerate(qkv):
        result = []
        for h in range(heads):
            kv = h * kv_heads // heads
            q = row[h * dim:(h + 1) * dim]
            scores = [sum(a * b for a, b in zip(q, other[(heads + kv) * dim:])) / math.sqrt(dim) for other in qkv[:i + 1]]
            weights = [math.exp(s - max(scores)) for s in scores]
            at = (heads + kv_heads + kv) * dim
            result += [sum(w * other[at + d] for w, other in zip(weights, qkv)) / sum(weights) for d in range(dim)]
        out.append(result)
    return out


def rotated(head, position):
    half = len(head) // 2
    angles = [position * 500000.0**(-j / half) for j in range(half)]
    return ([head[j] * math.cos(a) - head[j + half] * math.sin(a) for j, a in enumerate(angles)] +
            [head[j + half] * math.cos(a) + head[j] * math.sin(a) for j, a in enumerate(angles)])


def reference_loss(seed, model, layers, width, heads, kv_heads, dim, hidden, vocabulary, context, batch, tokens, qk_norm=False, untied=False):
    f = Formula(seed)
    padded = (vocabulary + 127) // 128 * 128
    gpt2 = model == "gpt2"
    residual = -5 - math.floor(math.log2(2 * layers) / 2 + 0.5)
    wte = f.matrix(padded, width)
    wpe = f.matrix(context, width) if gpt2 else None

    def norm():
        return f.norm(width), f.bias(width) if gpt2 else None

    def layer(rows, columns, power=-5):
        return f.matrix(rows, columns, power), f.bias(rows) if gpt2 else None
    blocks = []
    for _ in range(layers):
        norm1, qkv = norm(), layer((heads + 2 * kv_heads) * dim, width)
        qk = (f.norm(dim), f.norm(dim)) if qk_norm else None
        blocks.append((norm1, qkv, qk, layer(width, heads * dim, residual), norm(), layer(hidden if gpt2 else 2 * hidden, width), layer(width, hidden, residual)))
    last = norm()
    head = f.matrix(padded, width) if untied else wte

    losses = []
    for b in range(batch):
        row = [f.token(b * (tokens + 1) + i, vocabulary) for i in range(tokens + 1)]
        x = [wte[t] for t in row[:-1]]
        if gpt2:
            x = add(x, wpe)
        for norm1, qkv_weights, qk, proj, norm2, up, down in blocks:
            qkv = linear([normalised(r, *norm1) for r in x], *qkv_weights)
            if not gpt2:
                for position, r in enumerate(qkv):
                    for h in range(heads + kv_heads):
                        part = r[h * dim:(h + 1) * dim]
                        if qk:
                            part = normalised(part, qk[h >= heads])
                        r[h * dim:(h + 1) * dim] = rotated(part, position)
            x = add(x, linear(attention(qkv, heads, kv_heads, dim), *proj))
            wide = linear([normalised(r, *norm2) for r in x], *up)
            if gpt2:
                act = [[z / (1 + math.exp(-math.sqrt(8 / math.pi) * (z + 0.044715 * z**3))) for z in r] for r in wide]
            else:
                act = [[z / (1 + math.exp(-z)) * v for z, v in zip(r[:hidden], r[hidden:])] for r in wide]
            x = add(x, linear(act, *down))
        for r, target in zip(linear([normalised(r, *last) for r in x], head[:vocabulary]), row[1:]):
            losses.append(math.log(sum(math.exp(s) for s in r)) - r[target])
    return sum(losses) / len(losses)


SMALL = ["--layers", "2", "--width", "16", "--heads", "2", "--hidden", "24", "--context", "16", "--batch", "2"]


class Program:
    def __init__(self, path, directory, *always):
        self.path, self.directory, self.always = path, pathlib.Path(directory), always

    def run(self, *arguments, code=0):
        command = [self.path, *self.always, "--out", str(self.directory / "curve"), *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == code, f"{' '.join(command)}: {result.returncode}\n{result.stdout}{result.stderr}"
        return result.stdout if code == 0 else result.stderr

    def losses(self, *arguments):
        return [float(x) for x in re.findall(r"^loss \d+ (\S+)$", self.run("--print-losses", *arguments), re.M)]

    def hash(self, *arguments):
        return re.search(r"^hash +(\w+)$", self.run("--print-hash", *arguments), re.M).group(1)

    def refuses(self, sentence, *arguments):
        error = self.run(*arguments, code=1)
        assert sentence in error, f"{arguments}: {error}"


def formulas(program):
    common = dict(layers=2, width=8, heads=4, dim=2, hidden=12, vocabulary=11, context=7, batch=2, tokens=5)
    for extra in ({"model": "gpt2", "kv_heads": 4}, {"model": "llama", "kv_heads": 2}, {"model": "llama", "kv_heads": 2, "qk_norm": True},
                  {"model": "llama", "kv_heads": 1, "untied": True}):
        sizes = common | extra
        arguments = ["--data", "formula", "--init", "formula", "--seed", "3", "--dtype", "f64", "--steps", "1"]
        for name, value in sizes.items():
            if value is True:
                arguments += ["--" + name.replace("_", "-")]
            elif not (name == "kv_heads" and sizes["model"] == "gpt2"):
                arguments += ["--" + {"dim": "head-dim"}.get(name, name).replace("_", "-"), str(value)]
        gradients = program.directory / "gradients"
        loss, expected = program.losses(*arguments, "--dump-gradients", gradients)[0], reference_loss(3, **sizes)
        assert abs(loss - expected) < 1e-12, f"{extra}: loss {loss!r}, by the formulas {expected!r}"
        count = int(re.search(r"(\d+) parameters", program.run(*arguments)).group(1))
        values = struct.unpack(f"<{count}d", gradients.read_bytes())
        assert any(values) and all(map(math.isfinite, values))


def tensors_by_formula(seed, model, layers, width, heads, kv_heads, dim, hidden, vocabulary, context, qk_norm=False, untied=False, **_):
    """The weights of reference_loss as transformers names and stores them: {name: rows, or a list of numbers}. GPT-2's matrices are [inputs, outputs]."""
    f, gpt2, tensors = Formula(seed), model == "gpt2", {}
    padded = (vocabulary + 127) // 128 * 128
    residual = -5 - math.floor(math.log2(2 * layers) / 2 + 0.5)

    def norm(name, n=width):
        tensors[name + ".weight"] = f.norm(n)
        if gpt2:
            tensors[name + ".bias"] = f.bias(n)

    def linear(names, sizes, columns, power=-5):
        rows = f.matrix(sum(sizes), columns, power)
        if gpt2:
            tensors[names[0] + ".weight"] = [list(column) for column in zip(*rows)]
            tensors[names[0] + ".bias"] = f.bias(sum(sizes))
            return
        for name, size in zip(names, sizes):
            tensors[name + ".weight"], rows = rows[:size], rows[size:]

    tensors["wte.weight" if gpt2 else "model.embed_tokens.weight"] = f.matrix(padded, width)[:vocabulary]
    if gpt2:
        tensors["wpe.weight"] = f.matrix(context, width)
    q, kv = heads * dim, kv_heads * dim
    for layer in range(layers):
        if gpt2:
            h = f"h.{layer}."
            norm(h + "ln_1")
            linear([h + "attn.c_attn"], [q + 2 * kv], width)
            linear([h + "attn.c_proj"], [width], q, residual)
            norm(h + "ln_2")
            linear([h + "mlp.c_fc"], [hidden], width)
            linear([h + "mlp.c_proj"], [width], hidden, residual)
            continue
        h = f"model.layers.{layer}."
        norm(h + "input_layernorm")
        linear([f"{h}self_attn.{x}_proj" for x in "qkv"], [q, kv, kv], width)
        for x in "qk" if qk_norm else "":
            norm(f"{h}self_attn.{x}_norm", dim)
        linear([h + "self_attn.o_proj"], [width], q, residual)
        norm(h + "post_attention_layernorm")
        linear([h + "mlp.gate_proj", h + "mlp.up_proj"], [hidden, hidden], width)
        linear([h + "mlp.down_proj"], [width], hidden, residual)
    norm("ln_f" if gpt2 else "model.norm")
    if untied:
        tensors["lm_head.weight"] = f.matrix(padded, width)[:vocabulary]
    return tensors


def safetensors_of(tensors, types={}):
    """A file of safetensors. types: those of tensors that are not F64, with the format of struct."""
    header, data = {}, b""
    for name, rows in tensors.items():
        shape = [len(rows), len(rows[0])] if isinstance(rows[0], list) else [len(rows)]
        kind, form = types.get(name, ("F64", "d"))
        values = [v for row in rows for v in row] if len(shape) == 2 else rows
        if kind == "BF16":
            values = [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in values]
        own = struct.pack(f"<{len(values)}{form}", *values)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(own)]}
        data += own
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def read_safetensors(image):
    """{name: (type, shape, bytes)}"""
    length, = struct.unpack_from("<Q", image)
    header, data = json.loads(image[8:8 + length]), image[8 + length:]
    assert header.pop("__metadata__") == {"format": "pt"} and length % 8 == 0
    at = 0
    for entry in header.values():  # without a gap, as the format asks
        assert entry["data_offsets"][0] == at
        at = entry["data_offsets"][1]
    assert at == len(data)
    return {name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])]) for name, entry in header.items()}


def weights(program, text):
    """Files of safetensors: their names and layouts are those of transformers, so that the loss is that of the formulas."""
    sizes = dict(layers=2, width=8, heads=4, dim=2, hidden=12, vocabulary=11, context=7, batch=2, tokens=5)
    for extra in ({"model": "gpt2", "kv_heads": 4}, {"model": "llama", "kv_heads": 2, "qk_norm": True}, {"model": "llama", "kv_heads": 1, "untied": True}):
        own = sizes | extra
        gpt2 = own["model"] == "gpt2"
        arguments = ["--model", own["model"], "--data", "formula", "--seed", "3", "--dtype", "f64", "--steps", "1", "--lr", "0"]
        arguments += [word for name in ("layers", "width", "heads", "hidden", "vocabulary", "context", "batch", "tokens") for word in ("--" + name, own[name])]
        arguments += ["--head-dim", 2] + ([] if gpt2 else ["--kv-heads", own["kv_heads"]]) + ["--" + n.replace("_", "-") for n in ("qk_norm", "untied") if n in own]
        tensors, expected = tensors_by_formula(3, **own), reference_loss(3, **own)
        file, written = make(program, "model.safetensors", safetensors_of(tensors)), program.directory / "written.safetensors"
        loss = program.losses(*arguments, "--init", file, "--export", written)[0]
        assert abs(loss - expected) < 1e-12, f"{extra}: loss {loss!r}, by the formulas {expected!r}"
        # What is written is what was read, and so the same file once more.
        found = read_safetensors(written.read_bytes())
        assert list(found) == list(tensors)
        for name, rows in tensors.items():
            flat = [v for row in rows for v in row] if isinstance(rows[0], list) else rows
            assert found[name] == ("F64", [len(rows), len(rows[0])] if isinstance(rows[0], list) else [len(rows)], struct.pack(f"<{len(flat)}d", *flat)), name
        # Other types; names of a model with a head; what else transformers stores.
        first, last = list(tensors)[0], list(tensors)[-1]
        mixed = safetensors_of({"transformer." * gpt2 + name: rows for name, rows in tensors.items()} | ({"transformer.h.0.attn.bias": [1.0]} if gpt2 else {}) |
                               ({} if own.get("untied") else {"lm_head.weight": tensors[first]}), {"transformer." * gpt2 + last: ("F32", "f")})
        near = program.losses(*arguments, "--init", make(program, "mixed.safetensors", mixed))[0]
        assert abs(near - expected) < 1e-6, (near, expected)
        for kind, form, error in (("F16", "e", 1e-2), ("BF16", "H", 1e-1)):
            image = safetensors_of(tensors, dict.fromkeys(tensors, (kind, form)))
            near = program.losses(*arguments, "--init", make(program, "narrow.safetensors", image))[0]
            assert near != expected and abs(near - expected) < error, (kind, near, expected)

    def refused(sentence, image, *more):
        program.refuses(sentence, *arguments, "--init", make(program, "bad.safetensors", image), *more)
    good = safetensors_of(tensors)
    fewer = {name: rows for name, rows in tensors.items() if name != "model.norm.weight"}
    refused("has no tensor model.norm.weight", safetensors_of(fewer))
    refused("model.norm.weight has the shape [2], not [8]", safetensors_of(tensors | {"model.norm.weight": [1.0, 2.0]}))
    refused("has a tensor model.layers.0.self_attn.q_proj.bias, which the model does not", safetensors_of(tensors | {"model.layers.0.self_attn.q_proj.bias": [0.0]}))
    refused("has model.norm.weight as I64; F64, F32, F16 and BF16 are known", safetensors_of(tensors | {"model.norm.weight": [1] * 8}, {"model.norm.weight": ("I64", "q")}))
    # Stored frequencies are those of one base, which heads of width 4 show.
    for base, is_same in ((500000.0, True), (10000.0, False)):
        wide = dict(sizes, model="llama", kv_heads=2, heads=2, dim=4)
        words = [*[word for word in arguments if word != "--untied"], "--head-dim", 4, "--heads", 2, "--kv-heads", 2]
        image = safetensors_of(tensors_by_formula(3, **wide) | {"model.layers.0.self_attn.rotary_emb.inv_freq": [1.0, base**-0.5]})
        if is_same:
            assert program.losses(*words, "--init", make(program, "frequencies.safetensors", image))
        else:
            program.refuses("that are not those of the base 500000", *words, "--init", make(program, "frequencies.safetensors", image))
    tied = [word for word in arguments if word != "--untied"]
    program.refuses("has a tensor lm_head.weight, which the model does not: it is not that of the embedding", *tied, "--init", make(program, "bad.safetensors", good))
    refused("it ends within its header", good[:7])
    refused("it ends within its header", good[:100])
    refused("it ends within its header", struct.pack("<Q", MASK) + good[8:])
    refused("its header is no JSON object", struct.pack("<Q", 4) + b"[1] ")
    def headed(text, data=b""):
        return struct.pack("<Q", len(text)) + text + data
    refused("a has no dtype", headed(b'{"a": {}}'))
    refused("a has no dtype", headed(b'{"a": 1}'))
    refused("a has no dtype", headed(b'{"a": {"dtype": 1, "shape": [], "data_offsets": [0, 0]}}'))
    refused("a has no list shape", headed(b'{"a": {"dtype": "F64", "data_offsets": [0, 0]}}'))
    refused("a has no list data_offsets", headed(b'{"a": {"dtype": "F64", "shape": [0], "data_offsets": 0}}'))
    for number in (b"true", b"-1", b"1.0", b"1e300", b'"1"', b"null", b"18446744073709551616"):  # which are no integers of 64 bits, and are not made one
        refused("is damaged: shape of a has ", headed(b'{"a": {"dtype": "F64", "shape": [' + number + b'], "data_offsets": [0, 8]}}', bytes(8)))
        refused("is damaged: data_offsets of a has ", headed(b'{"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, ' + number + b']}}', bytes(8)))
    refused("a has the bytes [0], and", headed(b'{"a": {"dtype": "F64", "shape": [0], "data_offsets": [0]}}'))
    refused("a has the bytes [8, 0], and", headed(b'{"a": {"dtype": "F64", "shape": [0], "data_offsets": [8, 0]}}', bytes(8)))
    two = '{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "b": {"dtype": "F32", "shape": [2], "data_offsets": [%d, %d]}}'
    refused("b begins at byte 4, and the tensor before it ends at 8", headed((two % (4, 12)).encode(), bytes(12)))
    refused("b begins at byte 12, and the tensor before it ends at 8", headed((two % (12, 20)).encode(), bytes(20)))
    refused("its tensors have 16 bytes, and the file 17 behind its header", headed((two % (8, 16)).encode(), bytes(17)))
    refused("a \\x1b[2J".replace("\\x1b", "?"), headed(b'{"a \\u001b[2J": {}}'))  # a name does not steer the terminal
    refused("has model.layers.0.mlp.gate_proj.weight transposed: its shape is [8, 12], not [12, 8]", safetensors_of(
        tensors | {"model.layers.0.mlp.gate_proj.weight": [list(column) for column in zip(*tensors["model.layers.0.mlp.gate_proj.weight"])]}))
    refused("and the file has", good[:-8])
    refused("and its shape [3] of F64 takes 24", safetensors_of({"a": [1.0, 2.0]}).replace(b'"shape": [2]', b'"shape": [3]'))
    refused("has the shape [4294967296, 4294967296]", (lambda t: struct.pack("<Q", len(t)) + t)(
        b'{"a": {"dtype": "F64", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]}}'))
    program.refuses("cannot open", *arguments, "--init", program.directory / "missing.safetensors")
    program.refuses("cannot write '/dev/full'", *arguments, "--export", "/dev/full")
    program.refuses("--rank does not go with", "--rank", "0", "--ranks", "2", "--meeting", "x", "--export", "y")
    # What shapes do not show stands in config.json.
    for sentence, facts in (("rope_theta is 10000.0; the weights are taken for 500000", {"rope_theta": 10000.0}), ("num_attention_heads is 2", {"num_attention_heads": 2}),
                            ("rope_type is \"llama3\"; the weights are taken for default", {"rope_scaling": {"rope_type": "llama3"}}),
                            ("rms_norm_eps is 1e-06", {"rms_norm_eps": 1e-6}), ("hidden_act is \"gelu\"", {"hidden_act": "gelu"})):
        make(program, "config.json", json.dumps(facts).encode())
        refused(sentence, good)
    make(program, "config.json", json.dumps({"rope_theta": 500000.0, "rope_scaling": None, "rms_norm_eps": 1e-5, "num_attention_heads": 4}).encode())
    assert program.losses(*arguments, "--init", file)[0] == loss
    make(program, "config.json", b"{}")
    # The package that others read such files with.
    try:
        from safetensors import numpy
    except ImportError:
        return print("not read by the package safetensors, which is not installed")
    import numpy as np
    assert {name: value.tolist() for name, value in numpy.load_file(written).items()} == tensors
    numpy.save_file({name: np.array(rows) for name, rows in tensors.items()}, program.directory / "theirs.safetensors")
    assert program.losses(*arguments, "--init", program.directory / "theirs.safetensors")[0] == loss


def learns(program, text):
    program.run(*SMALL, text, "--dtype", "f32", "--steps", "30", "--warmup", "3", "--lr", "0.01", "--eval-every", "10", "--sample-every", "30", "--sample-tokens", "20",
                "--profile", "1", "--print-every", "10")
    facts = json.loads((program.directory / "curve.json").read_text())
    losses = [loss for _, loss in facts["loss"]]
    assert losses[-1] < losses[0] - 1, losses
    assert [step for step, _ in facts["validation_loss"]] == [10, 20, 30] and facts["profile"]["matmul"] > 0
    assert "</svg>" in (program.directory / "curve.svg").read_text()
    # So does a head that is fused, to the same losses but for their roundings.
    fused = [*SMALL, text, "--dtype", "f32", "--steps", "5", "--lr", "0.01", "--warmup", "0"]
    for own, expected in zip(program.losses(*fused, "--head", "fused"), program.losses(*fused), strict=True):
        assert abs(own - expected) < 1e-4 * expected, (own, expected)
    # Losses that are no numbers are told, and end nothing.
    out = program.run(*SMALL, text, "--dtype", "f32", "--steps", "4", "--lr", "1e30", "--warmup", "0", "--print-every", "1")
    assert "nan, skipped" in out and "</svg>" in (program.directory / "curve.svg").read_text(), out


def says(program, text):
    """What is printed and recorded of a training."""
    file = program.directory / "said"
    words = [*SMALL, text, "--dtype", "f32", "--accumulate", "3", "--warmup", "0"]
    out = program.run(*words, "--steps", "40", "--stop-after", "30", "--print-every", "1", "--checkpoint", file, "--print-hash")
    assert "\nstep      2 x 16 tokens, 3 times\n" in out and "note " not in out and "of the weights of rank" not in out, out
    facts = json.loads((program.directory / "curve.json").read_text())
    # 29 steps were timed: the speed is that of all of them together.
    assert facts["tokens_a_step"] == 96 and 0.2 < facts["tokens_per_second"] * facts["milliseconds"] / 96e3 < 5, facts
    out = program.run(*words, "--steps", "31", "--checkpoint", file, "--resume")
    assert "\nstep      2 x 16 tokens, 3 times; resumed after step 30\n" in out and "speed " not in out, out
    assert json.loads((program.directory / "curve.json").read_text())["tokens_per_second"] == 0
    # Memory by purpose adds up, and is told with the first step; samples take more.
    line = re.search(r"^memory    (\S+ \S+) of buffers: (.*)$", out, re.M)
    assert line and " of buffers at most" not in out and out.count(f"  {line[1]}\n") == 1, out
    facts = json.loads((program.directory / "curve.json").read_text())
    assert sum(facts["memory"].values()) == facts["bytes"] and sorted(facts["memory"]) == sorted(part.rsplit(" ", 2)[0] for part in line[2].split(", ")), facts["memory"]
    out = program.run(*words, "--steps", "2", "--sample-every", "2", "--sample-tokens", "2")
    assert re.search(r"^memory .* of buffers at most: .*activations of samples", out, re.M), out
    # A head that is fused says which scores it holds.
    out = program.run(*SMALL, text, "--batch", 576, "--tokens", 4, "--layers", 1, "--steps", "1", "--head", "fused", "--print-every", "1")
    assert re.search(r"^memory .* workspaces .*; scores of 2048 rows at a time in the workspaces, 1.00 MiB in place of 1.12 MiB$", out, re.M), out
    # The limit of the host is not known, and nothing is said of it; that of a machine is what its user says.
    assert "limit     unknown for 'host backend'" in out and "% of the limit" not in out and "least_milliseconds" not in facts, out
    picture = program.directory / "picture.svg"
    out = program.run(*words, "--steps", "2", "--peak", "0.001", "--bandwidth", "2", "--picture", picture, "--print-every", "1")
    facts = json.loads((program.directory / "curve.json").read_text())
    least = float(re.search(r"^limit     a step takes at least (\S+) ms: \S+ GFLOP of products at 0.001 TFLOP/s, \S+ GB at 2 GB/s$", out, re.M)[1])
    assert abs(least - facts["least_milliseconds"]) < 1e-3 and max(facts["flops_a_step"] / 1e9, facts["bytes_a_step"] / 2e9) <= least / 1e3 * 1.001, facts
    for line in re.findall(r"^step +\d+/.*$", out, re.M):
        milliseconds, limit, products = (float(x) for x in re.search(r"([\d.]+) ms .* (\S+) % of the limit, (\S+) % of the FLOPs", line).groups())
        assert abs(limit * milliseconds / 100 - least) < 0.02 * least and abs(products * milliseconds / 100 - facts["flops_a_step"] / 1e6) < 0.02 * least, line
    drawn = [element.text for element in xml.etree.ElementTree.parse(picture).iter() if element.tag.endswith("text")]
    assert drawn[0].startswith("gpt2 tiny, f32, on host backend: ") and set(facts["profile"]) <= set(drawn), drawn
    assert re.search(r"^  matmul +\d+ x .* ms .* %  ", out, re.M) and "# is what the limit" in out, out
    short = [*SMALL, "--data", "formula", "--steps", "1"]
    assert program.hash(*short) == program.hash(*short, "--seed", "1") != program.hash(*short, "--seed", "2")


def checkpoints(program, text):
    file = program.directory / "checkpoint"
    common = [*SMALL, text, "--dtype", "bf16", "--accumulate", "2", "--steps", "6", "--print-every", "2"]
    whole = program.hash(*common)
    program.run(*common, "--checkpoint", file, "--save-every", "4", "--print-hash")
    final = file.read_bytes()
    half = program.directory / "half"
    program.run(*common[:-4], "--steps", "6", "--print-every", "1", "--checkpoint", half, "--save-every", "3", "--stop-after", "3")
    resumed = program.hash(*common, "--checkpoint", half, "--resume")
    assert resumed == whole, f"resumed {resumed}, uninterrupted {whole}"
    assert half.read_bytes() == final, "a resumed training leaves another checkpoint"

    program.refuses("has 6 steps already", *common, "--checkpoint", half, "--resume")
    damaged = program.directory / "damaged"
    resume = [*common[:-4], "--steps", "9", "--checkpoint", damaged, "--resume"]
    damaged.write_bytes(final[:-8])
    program.refuses(f"has {len(final) - 8} bytes; a checkpoint of this model has {len(final)}", *resume)
    damaged.write_bytes(final[:50])
    program.refuses("is no checkpoint", *resume)
    damaged.write_bytes(b"x" + final[1:])
    program.refuses("is no checkpoint", *resume)
    for at in (len(final) // 2, len(final) - 1):
        damaged.write_bytes(final[:at] + bytes([final[at] ^ 1]) + final[at + 1:])
        program.refuses("is damaged", *resume)
    damaged.write_bytes(final)
    program.refuses("its width is 16, not 32", *resume, "--width", "32")
    program.refuses("its family is 0, not 1", *resume, "--model", "llama")
    program.refuses("its element is 16, not 1", *resume, "--dtype", "f32")
    # A step that was skipped is none of Adam's, before and after a resumption.
    step = struct.calcsize("<Q")
    skipping = [*SMALL, text, "--dtype", "f64", "--steps", "5", "--print-every", "1", "--warmup", "0", "--layers", "1"]
    bad = program.directory / "bad"
    program.run(*skipping, "--checkpoint", bad, "--stop-after", "2")
    image = bytearray(bad.read_bytes())
    done, taken = struct.unpack_from("<2q", image, step)
    assert (done, taken) == (2, 2), (done, taken)
    assert program.hash(*skipping, "--checkpoint", sealed(program, "fewer", image, step + 8, 1), "--resume") != program.hash(
        *skipping, "--checkpoint", sealed(program, "as many", image, step + 8, 2), "--resume"), "the count of Adam's steps is not read"
    nothing = program.directory / "skipped"
    out = program.run(*skipping, "--lr", "1e300", "--checkpoint", nothing)
    skipped = out.count("skipped")
    assert skipped > 0 and struct.unpack_from("<2q", nothing.read_bytes(), step) == (5, 5 - skipped), out
    # What hides whether there is a checkpoint is an error: a training from the beginning would overwrite it.
    loop = program.directory / "loop"
    loop.symlink_to(loop)
    program.refuses(f"cannot look for '{loop}'", *common[:-4], "--checkpoint", loop, "--resume")
    # A link stays a link, and a device a device.
    link = program.directory / "link"
    link.symlink_to(damaged)
    program.run(*common[:-4], "--steps", "1", "--checkpoint", link)
    assert link.is_symlink() and damaged.read_bytes() != final
    damaged.write_bytes(final)
    for option in ("--checkpoint", "--dump-gradients", "--picture"):
        program.refuses("cannot write '/dev/full'", *common[:-4], "--steps", "1", option, "/dev/full")
    assert pathlib.Path("/dev/full").is_char_device()
    # Weights of a checkpoint, without its moments and its steps.
    assert program.losses(*common[:-4], "--steps", "1", "--init", damaged)[0] < program.losses(*common[:-4], "--steps", "1")[0]
    program.refuses("'nowhere'", *SMALL, text, "--init", "nowhere")


def sealed(program, name, image, at, number):
    """A file with another number at this place of a checkpoint, and the hash that belongs to it."""
    changed = bytes(image[:at]) + struct.pack("<q", number) + bytes(image[at + 8:-8])
    hashed = len(changed)  # as tools/support/hash.hpp
    for word, in struct.iter_unpack("<Q", changed + bytes(-len(changed) % 8)):
        hashed = (hashed ^ word) * 0x9E3779B97F4A7C15 & MASK
        hashed ^= hashed >> 32
    return make(program, name, changed + struct.pack("<Q", hashed))


def ranks(program, text):
    """Two ranks add the same numbers in the same order as one rank that takes two batches: one rounding of a sum of two."""
    for model, dtype in (("gpt2", "f32"), ("llama", "f64"), ("gpt2", "bf16")):
        common = [*SMALL, text, "--model", model, "--dtype", dtype, "--steps", "3", "--clip", "1000"]
        one, two = program.hash(*common, "--accumulate", "2"), program.hash(*common, "--ranks", "2")
        assert one == two, f"{model} {dtype}: two ranks {two}, one rank {one}"
        assert program.hash(*common, "--ranks", "3") == program.hash(*common, "--ranks", "3"), "another run of three ranks has other bits"
    # A checkpoint does not depend on the ranks that wrote it.
    files = [program.directory / f"ranks{n}" for n in (1, 2)]
    program.run(*common, "--accumulate", "2", "--checkpoint", files[0])
    program.run(*common, "--ranks", "2", "--checkpoint", files[1])
    assert files[0].read_bytes() == files[1].read_bytes()
    many_ranks(program, text)
    program.refuses("--rank and --meeting go together", "--rank", "0", "--ranks", "2")
    program.refuses("--rank 2 is not below --ranks 2", "--rank", "2", "--ranks", "2", "--meeting", "x")
    program.refuses("--rank does not go with --checkpoint", "--rank", "0", "--ranks", "2", "--meeting", "x", "--checkpoint", "y")
    program.refuses("ranks in processes of their own need a GPU each", "--host", "--rank", "0", "--ranks", "2", "--meeting", "x")
    program.refuses("--stall one: expected RANK:STEP", "--stall", "one")
    program.refuses("--fail 2:1: rank 2 is not below --ranks 2", "--fail", "2:1", "--ranks", "2")
    program.refuses("--shard weights takes several ranks", "--shard", "weights")
    # The norm of ranks is that of the norms of their parts.
    clipped = [program.losses(*[*SMALL, text, "--dtype", "f32", "--steps", "4", "--clip", "0.01"], *how) for how in (["--accumulate", "2"], ["--ranks", "2"])]
    assert all(abs(a - b) < 1e-6 for a, b in zip(*clipped)), clipped


def many_ranks(program, text):
    """3, 8 and 16 ranks: all have the same weights, in two runs, whatever they share out. A sum over ranks is rounded once, one rank that takes the batches one by
    one rounds after each, so their losses differ in the last bits."""
    for count, dtype, more in ((3, "bf16", ["--model", "llama", "--untied"]), (8, "f64", ["--layers", "3"]), (16, "bf16", ["--recompute", "layer", "--graph"])):
        common = [*SMALL, text, "--dtype", dtype, "--steps", "3", "--clip", "1000", "--print-losses", *more]
        runs = {}
        for shard in ("moments", "weights", "weights"):
            lines = program.run(*common, "--ranks", count, "--shard", shard, "--print-hash").splitlines()
            runs.setdefault(shard, []).append([line for line in lines if line.startswith(("loss", "hash"))])
            hashes = [line.split()[1] for line in lines if "of the weights of rank" in line]
            assert len(hashes) == count and len(set(hashes)) == 1, f"{count} ranks, {shard}: {hashes}"
        assert runs["moments"][0] == runs["weights"][0] == runs["weights"][1], f"{count} ranks: {runs}"
        if dtype == "f64":
            one = program.losses(*common, "--accumulate", count)
            many = [float(line.split()[2]) for line in runs["weights"][0] if line.startswith("loss")]
            assert len(one) == len(many) == 3 and all(abs(a - b) < 1e-14 * a for a, b in zip(one, many)), (one, many)
    # Evaluations, samples and checkpoints are those of ranks that have all weights.
    texts, files = [], [program.directory / f"shard{n}" for n in range(3)]
    for shard, file in zip(("moments", "weights"), files):
        said = program.run(*SMALL, text, "--ranks", 3, "--shard", shard, "--steps", 4, "--eval-every", 2, "--sample-every", 4, "--sample-tokens", 8, "--checkpoint", file)
        texts.append([line for line in said.splitlines() if "evaluation" in line] + said.split("---\n")[1:2])
    assert len(texts[0]) == 3 and texts[0] == texts[1], texts
    assert files[0].read_bytes() == files[1].read_bytes()
    half = [*SMALL, text, "--ranks", 3, "--shard", "weights", "--steps", 4, "--eval-every", 2, "--checkpoint", files[2]]
    program.run(*half, "--stop-after", 2)
    program.run(*half, "--resume")
    assert files[2].read_bytes() == files[0].read_bytes()
    # A rank that answers no more, or fails, ends the others, in bounded time.
    for count, shard in ((2, "moments"), (8, "weights")):
        start = time.monotonic()
        program.refuses("steps 3 to 3: the other ranks did not answer within 1 s, the communicator was aborted", *SMALL, text, "--ranks", count, "--shard", shard,
                        "--print-losses", "--stall", "1:2", "--patience", "1")
        program.refuses("rank 1: --fail 1:2: this rank ends after step 2", *SMALL, text, "--ranks", count, "--shard", shard, "--print-losses", "--fail", "1:2")
        assert time.monotonic() - start < 30


def tokens(program, text):
    program.refuses("and the vocabulary has 100", *SMALL, text, "--vocabulary", "100")
    program.refuses("a batch of 2 sequences takes 33", *SMALL, __file__, "--vocabulary", "256", "--batch", "2", "--tokens", "16", "--eval-every", "1",
                    "--valid", make(program, "short", b"x" * 32))
    file = program.directory / "tokens"

    def write(magic=20240520, version=1, count=100, values=range(100)):
        file.write_bytes(struct.pack("<256i", magic, version, count, *[0] * 253) + struct.pack(f"<{len(values)}H", *values))
        return file
    assert len(program.losses(*SMALL, write(), "--vocabulary", "100", "--steps", "2")) == 2
    program.refuses("token 99 is 99, and the vocabulary has 99", *SMALL, write(), "--vocabulary", "99")
    program.refuses("has 1224 bytes; a token file of 101 tokens has 1226", *SMALL, write(count=101))
    program.refuses("a token file of -1 tokens", *SMALL, write(count=-1))
    program.refuses("version 2; version 1 is known", *SMALL, write(version=2))
    for cut in (12, 1023, 1024, 1223):
        program.refuses(f"has {cut} bytes; a token file of 100 tokens has 1224", *SMALL, make(program, "cut", write().read_bytes()[:cut]))
    program.refuses("cannot open", *SMALL, program.directory / "missing")
    # Tokens of 32 bits: the same losses as of the same tokens in 16 bits.
    def write_32(version=7, count=100, values=range(100)):
        file.write_bytes(struct.pack("<256i", 20240801, version, count, *[0] * 253) + struct.pack(f"<{len(values)}I", *values))
        return file
    narrow = program.losses(*SMALL, write(), "--vocabulary", "100", "--steps", "2")
    assert program.losses(*SMALL, write_32(), "--vocabulary", "100", "--steps", "2") == narrow
    program.refuses("version 1; version 7 is known", *SMALL, write_32(version=1))
    program.refuses("has 1424 bytes; a token file of 101 tokens has 1428", *SMALL, write_32(count=101))
    for token in (100, 2**16, 2**31, 2**32 - 1):
        program.refuses(f"token 99 is {token}, and the vocabulary has 100", *SMALL, write_32(values=[*range(99), token]), "--vocabulary", "100")
    # Files of tokens that are not known, and other files that are no text: their bytes are not trained on.
    program.refuses("nor a token file that is known: its first number is 20240802", *SMALL, write(magic=20240802))
    program.refuses("is a file of questions for an evaluation", *SMALL, write(magic=20240522))
    program.refuses("its byte 3 is 0", *SMALL, make(program, "binary", b"abc\0" + b"x" * 100))
    # Batches: n of them take n * sequences * length + 1 tokens, and with one token less there are n - 1.
    words = ["--layers", "1", "--width", "16", "--heads", "2", "--context", "16", "--batch", "2", "--dtype", "f64", "--lr", "0", "--clip", "1e9", "--steps", "4"]
    values = [i * 37 % 251 % 100 for i in range(3 * 32 + 1)]

    def losses(count):
        return program.losses(*words, write(count=count, values=values[:count]), "--vocabulary", "100")
    three, two = losses(3 * 32 + 1), losses(3 * 32)
    assert len(set(three[:3])) == 3 and three[3] == three[0], three
    assert two[:2] == three[:2] and two[2:] == two[:2], (two, three)


def shards(program):
    """Files of tokens by pattern and folder: each sequence of all files once in a pass, in an order of the seed, and the same after a resumption and on two ranks."""
    folder = program.directory / "shards"
    folder.mkdir()

    def write(name, values):
        (folder / name).write_bytes(struct.pack("<256i", 20240520, 1, len(values), *[0] * 253) + struct.pack(f"<{len(values)}H", *values))
    for i in range(4):
        write(f"part_{i}.bin", [(7 * i + 3 * j + j * j) % 90 + i for j in range(65 + 32 * i)])
    (folder / "notes.txt").write_text("no tokens")
    words = ["--layers", "1", "--width", "16", "--heads", "2", "--context", "16", "--batch", "2", "--vocabulary", "100", "--dtype", "f64"]
    still = [*words, "--lr", "0", "--clip", "1e9", "--steps"]
    batches = 2 + 3 + 4 + 5  # of two sequences: 65 tokens and 32 more for each further file
    order = program.losses(*still, batches + 2, folder)
    assert order[batches:] == order[:2], order
    for names in ([folder / "*.bin"], [folder / "part_[0-3].bin"], sorted(folder.glob("*.bin"))):
        assert program.losses(*still, batches, *names) == order[:batches], names
    out = program.run(*still, 1, folder)
    assert f"data      {4 * 65 + 6 * 32} tokens in 4 files, {batches} batches\n" in out, out
    # Sequences alone have the losses that batches of them share, so with one of them a pass is a permutation.
    alone = [*still, 4 * batches, "--batch", "1", "--seed", "5"]
    passes = program.losses(*alone, folder, "--shuffle")
    plain = program.losses(*alone, folder)[:2 * batches]
    assert sorted(passes[:2 * batches]) == sorted(passes[2 * batches:]) == sorted(plain) and len(set(plain)) > batches
    assert passes[:2 * batches] != passes[2 * batches:] and passes[:2 * batches] != plain
    assert program.losses(*alone, folder, "--shuffle") == passes != program.losses(*alone[:-1], "6", folder, "--shuffle")
    # A training goes on with the bits of one that was not stopped, in the middle of a pass and of a file; two ranks take the batches of one.
    moving = [*words, folder, "--shuffle", "--clip", "1000", "--steps", "6", "--print-every", "2"]
    checkpoint = program.directory / "shuffled"
    whole = program.hash(*moving, "--accumulate", "2")
    program.run(*moving, "--accumulate", "2", "--checkpoint", checkpoint, "--stop-after", "3")
    assert program.hash(*moving, "--accumulate", "2", "--checkpoint", checkpoint, "--resume") == whole
    assert program.hash(*moving, "--ranks", "2") == whole != program.hash(*moving[:-4], *moving[-4:], "--accumulate", "2", "--seed", "9")
    # The evaluation takes the last tenth of each file, or files of its own.
    out = program.run(*still, 2, folder, "--eval-every", "1", "--batch", "1", "--tokens", "4")
    assert out.count("loss of the evaluation") == 2, out
    program.run(*still, 1, folder / "part_[12].bin", "--eval-every", "1", "--valid", folder / "part_[03].bin")
    # All files are read before the first step: what is bad in the last one is found then.
    for sentence, name, values in (("part_9.bin' is of another vocabulary: token 1 is 100, and the vocabulary has 100", "part_9.bin", [1, 100]),):
        write(name, values)
        program.refuses(sentence, *still, 1, folder)
        (folder / name).unlink()
    program.refuses(f"no file matches '{folder / '*.none'}'", *still, 1, folder / "*.none")
    empty = program.directory / "empty folder"
    empty.mkdir()
    program.refuses(f"the directory '{empty}' has no file that ends with .bin", *still, 1, empty)
    program.refuses("and 1 more files has 5 tokens; a batch of 2 sequences takes 33", *still, 1, make(program, "short1", b"abc"), make(program, "short2", b"ab"))
    program.refuses("cannot open", *still, 1, folder, program.directory / "missing")
    # What was read is written as one file of tokens, of which the losses are those of the files.
    joined = program.directory / "joined.bin"
    program.run(*words, sorted(folder.glob("*.bin"))[0], sorted(folder.glob("*.bin"))[1], "--write-tokens", joined)
    image = joined.read_bytes()
    assert struct.unpack_from("<3i", image) == (20240520, 1, 65 + 97) and image[1024:] == b"".join((folder / f"part_{i}.bin").read_bytes()[1024:] for i in (0, 1))
    program.run("--model", "llama", "--size", "1.2B", folder / "part_0.bin", "--write-tokens", joined)
    assert struct.unpack_from("<3i", joined.read_bytes()) == (20240801, 7, 65) and joined.stat().st_size == 1024 + 4 * 65
    program.refuses("cannot write '/dev/full'", *words, folder, "--write-tokens", "/dev/full")


def llmc_tokenizer(tokens, version=2, end=None):
    """The tokenizer file of llm.c."""
    return struct.pack("<256I", 20240328, version, len(tokens), len(tokens) - 1 if end is None else end, *[0] * 252) + b"".join(bytes([len(t)]) + t for t in tokens)


def tokenizers(program):
    """Tokens of texts as the package tokenizers has them, recorded by packages.py, and files that are refused."""
    recorded = json.loads((pathlib.Path(__file__).parent / "tokenizers.json").read_text(encoding="utf-8"))
    words = ["--layers", "1", "--width", "8", "--heads", "2", "--context", "8", "--batch", "1", "--steps", "1"]
    out = program.directory / "encoded.bin"

    def encoded(file, texts, vocabulary):
        program.run("--vocabulary", vocabulary, "--tokenizer", file, make(program, "plain", "<|endoftext|>".join(texts).encode()), "--write-tokens", out)
        return list(struct.unpack(f"<{struct.unpack_from('<3i', out.read_bytes())[2]}H", out.read_bytes()[1024:]))
    for kind in ("gpt2", "llama3"):
        good = recorded[kind]["tokenizer"]
        file = make(program, "tokenizer.json", json.dumps(good).encode())
        vocabulary = good["model"]["vocab"]
        size = len(vocabulary) + len(good["added_tokens"])
        assert size == 331 and "<|endoftext|>" not in vocabulary
        expected = sum(([330, *ids] for ids in recorded[kind]["tokens"]), [])[1:]
        assert encoded(file, recorded["texts"], size) == expected, kind
        # Merges may be written as pairs. An added token may stand in the vocabulary too, as in GPT-2's file.
        pairs = json.loads(json.dumps(good))
        pairs["model"]["merges"] = [" ".join(m) if isinstance(m, list) else m.split(" ") for m in good["model"]["merges"]]
        vocabulary = pairs["model"]["vocab"] | {"<|endoftext|>": 330}
        assert encoded(make(program, "pairs.json", json.dumps(pairs | {"model": pairs["model"] | {"vocab": vocabulary}}).encode()), recorded["texts"], size) == expected
        # A training on the text, and samples of it: the tokens of a model that knows nothing are of the vocabulary, and what is printed steers no terminal.
        text = make(program, "text.txt", ("".join(recorded["texts"]) * 3).encode())
        result = program.run(*words, "--vocabulary", size, "--tokenizer", file, text, "--sample-every", "1", "--sample-tokens", "100", "--temperature", "5")
        assert "\x1b" not in result and "\x01" not in result, result
    program.refuses(f"the tokenizer '{file}' has 331 tokens, and the vocabulary of the model 256: --vocabulary 331 makes", *words, "--tokenizer", file)

    def refused(sentence, *changes, base=recorded["llama3"]["tokenizer"]):
        bad = json.loads(json.dumps(base))
        for *path, key, value in changes:
            at = bad
            for step in path:
                at = at[step]
            if value is None and not isinstance(at, list):
                del at[key]
            elif key == "append":
                at.append(value)
            else:
                at[key] = value
        program.refuses(sentence, *words, "--vocabulary", "331", "--tokenizer", make(program, "bad.json", json.dumps(bad).encode()))
    refused("has a model of the type \"Unigram\"; known is BPE", ("model", "type", "Unigram"))
    refused("has the normalizer {\"type\":\"NFC\"}; known is none", ("normalizer", {"type": "NFC"}))
    refused("has byte_fallback true; known is false", ("model", "byte_fallback", True))
    refused("has end_of_word_suffix \"</w>\"; known is none", ("model", "end_of_word_suffix", "</w>"))
    refused("has the dropout 0.1; known is none", ("model", "dropout", 0.1))
    refused("has the decoder \"Metaspace\"; known is ByteLevel", ("decoder", {"type": "Metaspace"}))
    refused("splits words by the pattern \"x+\"; those of GPT-2 and of Llama 3 are known", ("pre_tokenizer", "pretokenizers", 0, "pattern", {"Regex": "x+"}))
    refused("has the pre_tokenizer {\"type\":\"Whitespace\"}; known is ByteLevel", ("pre_tokenizer", {"type": "Whitespace"}))
    refused("has the pre_tokenizer", ("pre_tokenizer", {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True}))
    refused("has a model without vocab and merges", ("model", "merges", None))
    refused("has the merge [\"a\",\"zz\"], whose parts or result are no tokens", ("model", "merges", "append", ["a", "zz"]))
    refused("has the merge [1,2], whose parts", ("model", "merges", "append", [1, 2]))
    refused("has the merge \"a\", whose parts", ("model", "merges", "append", "a"))
    refused("twice", ("model", "merges", "append", recorded["llama3"]["tokenizer"]["model"]["merges"][0]))
    refused("gives the token \"new\" the id 331; it has 331 tokens", ("model", "vocab", "!", None), ("model", "vocab", "new", 331))
    refused("gives the token \"new\" the id -1", ("model", "vocab", "new", -1))
    refused("gives the token \"new\" the id 1.5", ("model", "vocab", "new", 1.5))
    refused("gives the id 5 to", ("model", "vocab", "new", 5))
    refused("has no token for the byte 33", ("model", "vocab", "!", None), ("model", "vocab", "ĠĠĠĠĠĠ", 0))
    refused("which stands for no bytes: it is not byte-level", ("model", "vocab", "\u2581the", 331))
    refused("gives the token \"<|endoftext|>\" the id 330; it has 330 tokens", ("model", "vocab", "!", None))
    refused("has 331 tokens, and none with the id 330", ("model", "vocab", "<|endoftext|>", 331), ("added_tokens", 0, "id", 331))
    refused("gives the token \"<|endoftext|>\" the ids 331 and 330", ("model", "vocab", "<|endoftext|>", 331))
    refused("has the added token \"<|endoftext|>\" with lstrip", ("added_tokens", 0, "lstrip", True))
    refused("has an added token without content", ("added_tokens", 0, "content", ""))
    refused("has added_tokens that are no list", ("added_tokens", {}))
    for data in (b"", b"text", b"[1]", b"\x00" * 2000):
        program.refuses("is neither a tokenizer.json of Hugging Face's tokenizers nor a tokenizer file of llm.c", *words, "--tokenizer", make(program, "bad", data))
    program.refuses("is no JSON object", *words, "--tokenizer", make(program, "bad", b'{"model": '))
    program.refuses("cannot open", *words, "--tokenizer", program.directory / "missing")
    # llm.c's file of the same tokens: its merges follow from their order.
    good = recorded["gpt2"]["tokenizer"]
    characters = {chr(c): c for c in [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]}
    characters |= {chr(0x100 + i): c for i, c in enumerate(c for c in range(256) if c not in characters.values())}
    by_id = {i: bytes(characters[c] for c in token) for token, i in good["model"]["vocab"].items()}
    own = [by_id[i] for i in range(330)] + [b"<|endoftext|>"]
    file = make(program, "tokenizer.bin", llmc_tokenizer(own))
    assert encoded(file, recorded["texts"], 331) == sum(([330, *ids] for ids in recorded["gpt2"]["tokens"]), [])[1:]
    for sentence, image in (("is of version 3; versions 1 and 2 are known", llmc_tokenizer(own, 3)), ("states the end of a text as token 50256, and has 331", llmc_tokenizer(own, 1)),
                            ("is cut short, or damaged, at token 330 of 331", llmc_tokenizer(own)[:-1]), ("at token 3 of 331", llmc_tokenizer([*own[:3], b"", *own[4:]])),
                            ("has 1 bytes behind its 331 tokens", llmc_tokenizer(own) + b"x"), ("ends within its header", llmc_tokenizer(own)[:1000]),
                            ("states 4294967295 tokens and has 1024 bytes", struct.pack("<256I", 20240328, 2, 2**32 - 1, *[0] * 253))):
        program.refuses(sentence, *words, "--tokenizer", make(program, "bad.bin", image))
    # Tokens in another order decode, and do not encode.
    turned = make(program, "turned.bin", llmc_tokenizer([*own[329:255:-1], *own[:256], own[330]]))
    program.refuses("it decodes, but does not encode", *words, "--vocabulary", 331, "--tokenizer", turned, make(program, "plain", b"the gradient"))
    file.write_bytes(struct.pack("<256i", 20240520, 1, 40, *[0] * 253) + struct.pack("<40H", *range(40)))
    assert "\n---\n" in program.run(*words, "--vocabulary", 331, "--tokenizer", turned, file, "--sample-every", "1", "--sample-tokens", "3")


def keeps(program, text):
    """A training that is refused for what it is to read changes no file that an earlier one has written."""
    written = [program.directory / name for name in ("kept.checkpoint", "kept.safetensors", "kept.svg")]
    outputs = [word for option, path in zip(("--checkpoint", "--export", "--picture"), written) for word in (option, path)]
    words = [*SMALL, "--dtype", "f32", "--steps", "2", *outputs]
    program.run(*words, text)
    written += [program.directory / "curve.svg", program.directory / "curve.json", make(program, "kept.bin", b"tokens of an earlier run")]
    images = [path.read_bytes() for path in written]
    recorded = json.loads((pathlib.Path(__file__).parent / "tokenizers.json").read_text(encoding="utf-8"))["gpt2"]["tokenizer"]
    other = make(program, "tokenizer.json", json.dumps(recorded).encode())
    for sentence, *more in (("is of another vocabulary", make(program, "beyond", struct.pack("<256i4H", 20240520, 1, 4, *[0] * 253, 1, 2, 3, 999))),
                            ("a token file of 9 tokens has", make(program, "cut", struct.pack("<256i", 20240520, 1, 9, *[0] * 253))),
                            ("nor a token file that is known", make(program, "model", struct.pack("<256i", 20240326, 3, *[1] * 254))),
                            ("is damaged", text, "--init", make(program, "lies.safetensors", images[1][:-4])),
                            ("is of another vocabulary", make(program, "beyond", struct.pack("<256i4H", 20240520, 1, 4, *[0] * 253, 1, 2, 3, 999)), "--write-tokens", written[-1]),
                            ("has 331 tokens, and the vocabulary of the model 256", text, "--tokenizer", other),
                            ("has 331 tokens, and the vocabulary of the model 256", text, "--tokenizer", other, "--write-tokens", written[-1]),
                            ("its width is 16, not 32", text, "--width", 32, "--resume")):
        program.refuses(sentence, *words, *more)
        for path, image in zip(written, images):
            assert path.read_bytes() == image, f"{sentence}: {path.name} is another"
    # The weights are still those that an export has, and a training begins with them.
    assert len(program.losses(*SMALL, text, "--dtype", "f32", "--steps", "1", "--init", written[1])) == 1


def on_a_stand_in(program, text):
    """On the driver of the fault tests, which computes nothing: buffers, copies, graphs and events of a GPU are asked for as the driver takes them."""
    for arguments in (["--graph", "--accumulate", "2", "--profile", "1", "--print-hash"], ["--model", "llama", "--qk-norm", "--graph", "--recompute", "layer"],
                      ["--head", "fused", "--graph"], ["--sample-every", "4", "--sample-tokens", "3", "--eval-every", "2", "--checkpoint", program.directory / "checkpoint", "--save-every", "2"]):
        out = program.run(*SMALL, text, "--steps", "4", "--print-skus", *arguments)
        assert "Fake device" in out and "limit     unknown for 'Fake device'" in out and "note      matmul/" in out and "/sm80" in out, out
        assert not re.search(r"^note {6}(?!matmul/|attention_)", out, re.M), out
    # A process of its own has its weights' hash to print; master weights are of ranks in one process.
    alone = program.run(*SMALL, text, "--steps", "2", "--rank", "0", "--ranks", "1", "--meeting", program.directory / "alone", "--print-hash")
    assert len(re.findall(r"^hash .* of the weights of rank 0$", alone, re.M)) == len(re.findall("^hash", alone, re.M)) == 1, alone
    missing = program.directory / "missing"
    program.refuses(f"rank 0 has not written '{missing}' within 1 s", *SMALL, text, "--rank", "1", "--ranks", "2", "--meeting", missing, "--patience", "1")


def make(program, name, data):
    path = program.directory / name
    path.write_bytes(data)
    return path


def options(program, text):
    for sentence, *arguments in (
            ("--resume needs --checkpoint", "--resume"), ("--peak and --bandwidth go together", "--peak", 1), ("--shuffle needs a text", "--data", "formula", "--shuffle"),
            ("--write-tokens needs a text", "--data", "formula", "--write-tokens", "x"), ("--picture take one rank", "--picture", "x", "--ranks", 2), ("--save-every needs", "--save-every", 2), ("needs a text", "--data", "formula", "--eval-every", 1),
            ("--valid needs --eval-every", "--valid", text), ("are for --model llama", "--kv-heads", 1), ("take one rank", "--profile", 1, "--ranks", 2),
            ("no multiple of --heads", "--heads", 3), ("more than the context", "--tokens", 17), ("unknown for --model", "--size", "huge"),
            ("--head fused takes --dtype bf16 or f32", "--head", "fused", "--dtype", "f64"),
            ("no multiple of --kv-heads", "--model", "llama", "--heads", 4, "--kv-heads", 3), ("no halves to rotate", "--model", "llama", "--head-dim", 3)):
        program.refuses(sentence, text, *SMALL, *arguments)
    for option, values in (("--lr", ("nan", "inf", "-1", "x", "1e999")), ("--beta1", ("1", "nan", "-0.1")), ("--beta2", ("1",)), ("--clip", ("0", "nan", "inf")),
                           ("--weight-decay", ("nan",)), ("--final-lr", ("nan", "1.1")), ("--temperature", ("0", "inf")), ("--patience", ("nan", "0"))):
        for value in values:
            error = program.run(text, *SMALL, f"{option}={value}", code=105)
            assert option in error and f"'{value}' is not a number" in error, error


def main():
    with tempfile.TemporaryDirectory() as directory:
        stands_in = sys.argv[2:] == ["--stand-in"]
        program = Program(sys.argv[1], directory, *([] if stands_in else ["--host"]))
        text = make(program, "text", ("The gradient of the loss is summed over ranks and tokens, and the norm of it is clipped. " * 40).encode())
        if stands_in:
            return on_a_stand_in(program, text)
        formulas(program)
        weights(program, text)
        learns(program, text)
        says(program, text)
        checkpoints(program, text)
        ranks(program, text)
        tokens(program, text)
        shards(program)
        tokenizers(program)
        keeps(program, text)
        options(program, text)


if __name__ == "__main__":
    main()
