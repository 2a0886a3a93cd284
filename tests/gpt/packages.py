#!/usr/bin/env python3
"""tools/gpt beside the packages that other programs have for its files: packages.py GPT [--record]. Needs numpy, safetensors and tokenizers; exit status 77: one is
not installed.

Trains a GPT-2 and a Llama, exports them, and reads the weights with safetensors: they are those of the checkpoint, bit by bit. Tokens of tools/gpt are those of
tokenizers, for tokenizers that are trained here. --record writes tests/gpt/tokenizers.json, which has two of them with tokens of texts, for the suites that do
without the packages."""
import importlib.util
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "tokenizers.json"
NEEDED = ("numpy", "safetensors", "tokenizers")
sys.path.insert(0, str(HERE))
import program as gpt  # noqa: E402

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
CORPUS = ("The gradient of the loss is summed over the tokens, and the norm of the gradient isn't clipped before 1024 steps. We'll train them again: they've 50257 "
          "tokens.\n\n  def step(self, loss):\n      return self.rate * loss.mean()\n\nIl était une fois; größer als 100 %, 数学と言語, Привет мир.\n") * 3
TEXTS = ["", " ", "the gradient", "The gradient of the loss isn't clipped, they'll say; WE'VE said it'S so, 'tis.", "12345678 1 22 333 4444 ½ ² Ⅷ ٣",
         "  two  spaces   before, and after  ", "line\nline\r\n\r\n  indented\n\n\n\tand tabs \t\n ", "a<|endoftext|>b<|endoftext|><|end", "größer, été, 数学と言語です。 Привет!",
         "🙂🙃 emoji 👩‍👩‍👧‍👦, e\u0301 combining, \u200b zero, \u00a0no break, \u3000ideographic, \u2028 line, \x85 next", "!!!???... --- ///\n///\n\n", "'ſ 'ſ'S'T'RE'Ve'lL'D'M",
         "\x01\x02\x7f\x1b[2J", "x" * 100 + " " * 50 + "the" * 30, "\ufeff\U00010000\U0010ffff\ue000", "'", "''s", " 's", "a'", " \n", "\n ", " \n a", "\t the", "_the", "1the", "the1 2the"]


def trained(kind, corpus, size):
    """A tokenizer of the form of GPT-2's or Llama 3's file, trained on a corpus; size: its tokens without <|endoftext|>."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    own = Tokenizer(models.BPE(ignore_merges=kind == "llama3"))
    if kind == "gpt2":
        own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        own.post_processor = processors.ByteLevel(trim_offsets=False)
    else:
        own.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    own.decoder = decoders.ByteLevel()
    own.train_from_iterator([corpus], trainers.BpeTrainer(vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    own.add_special_tokens([AddedToken("<|endoftext|>", special=True, normalized=False)])
    return own


def tokens_of(program, directory, tokenizer, size, texts):
    """Tokens of each text, by tools/gpt."""
    found = []
    for text in texts:
        file, out = directory / "text.txt", directory / "tokens.bin"
        file.write_bytes(text.encode())
        program.run("--vocabulary", size, "--tokenizer", tokenizer, file, "--write-tokens", out)
        image = out.read_bytes()
        found.append(list(struct.unpack(f"<{struct.unpack_from('<3i', image)[2]}{'I' if size > 1 << 16 else 'H'}", image[1024:])))
    return found


def drawn(rng):
    """A text of any characters, of which some are frequent."""
    kinds = ["abcdeſt", "  ", "\n\r\t\x85\u00a0\u3000", "0123456789½", ".,'!?-_", "éßøДжя数学", "🙂\u0301\u200d", "'s't're"]
    parts = []
    for _ in range(rng.randrange(1, 60)):
        if rng.random() < 0.06:
            value = rng.randrange(1, 0x110000)
            parts.append(chr(value) if not 0xD800 <= value < 0xE000 else "?")
        else:
            parts.append(rng.choice(rng.choice(kinds)) * rng.choice((1, 1, 1, 2, 5)))
    return "".join(parts)


def compare_tokenizers(program, directory):
    from tokenizers import Tokenizer
    compared = 0
    for kind in ("gpt2", "llama3"):
        for seed in range(3):
            rng = random.Random(seed)
            corpus = CORPUS + "".join(drawn(rng) for _ in range(40))
            own = trained(kind, corpus, (256, 400, 900)[seed])
            file = directory / "tokenizer.json"
            own.save(str(file))
            size = own.get_vocab_size()
            # All texts in one file, between tokens of their own: one run of the program.
            texts = TEXTS + [drawn(rng) for _ in range(200)]
            joined = "<|endoftext|>".join(texts)
            expected = own.encode(joined, add_special_tokens=False).ids
            found = tokens_of(program, directory, file, size, [joined])[0]
            assert found == expected, f"{kind} {seed}: differs from place {next(i for i, (a, b) in enumerate(zip(found + [-1], expected + [-1])) if a != b)} on"
            assert Tokenizer.from_file(str(file)).decode(found, skip_special_tokens=False) == joined
            compared += len(expected)
    print(f"{compared} tokens are those of tokenizers")


def record(program, directory):
    """The tokens are those of the package, not of tools/gpt."""
    rows = {"texts": TEXTS}
    for kind in ("gpt2", "llama3"):
        own = trained(kind, CORPUS, 330)
        rows[kind] = {"tokenizer": json.loads(own.to_str()), "tokens": [own.encode(text, add_special_tokens=False).ids for text in TEXTS]}
    RECORD.write_text("{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in rows.items()) + "\n}\n", encoding="utf-8")
    print(f"{RECORD} is written")


def compare_weights(program, directory):
    """Weights of trained models, from the checkpoint by its layout, from the exported file by the package, and back."""
    import numpy as np
    from safetensors import numpy, safe_open
    text = directory / "text"
    text.write_bytes(CORPUS.encode())
    shape = dict(layers=2, width=16, heads=2, hidden=24, vocabulary=256, context=16)
    for extra in ({"model": "gpt2"}, {"model": "llama", "kv_heads": 1, "qk_norm": True, "untied": True}):
        own = {**shape, "kv_heads": 2, "dim": 8, **extra}
        words = [text, "--batch", "2"] + [word for name, value in (shape | extra).items() for word in ([f"--{name.replace('_', '-')}"] if value is True else [f"--{name.replace('_', '-')}", value])]
        for dtype in ("bf16", "f64"):
            checkpoint, exported = directory / "checkpoint", directory / "model.safetensors"
            for file in (checkpoint, exported):
                file.unlink(missing_ok=True)
            program.run(*words, "--dtype", dtype, "--steps", "5", "--warmup", "0", "--checkpoint", checkpoint, "--export", exported)
            master = np.float64 if dtype == "f64" else np.float32
            found = numpy.load_file(exported)
            with safe_open(exported, "np") as file:
                assert file.metadata() == {"format": "pt"}
            initial = gpt.tensors_by_formula(1, **own)
            assert list(sorted(found)) == sorted(initial)
            values = np.frombuffer(checkpoint.read_bytes(), master, offset=15 * 8)  # behind magic number, steps and facts: weights in their order
            at, padded = 0, (own["vocabulary"] + 127) // 128 * 128
            for names, rows, columns, transposed in parameters(padded=padded, **own):
                stored = values[at:at + rows * columns].reshape(rows, columns)
                at += rows * columns
                for name, first, count in names:
                    expected = stored[first:first + count]
                    expected = expected[0] if rows == 1 else expected.T if transposed else expected
                    assert found[name].dtype == master and found[name].tobytes() == np.ascontiguousarray(expected).tobytes(), name
                    assert not np.array_equal(found[name], np.asarray(initial[name], master)), f"{name} was not trained"
            # Written by the package, and read here.
            theirs = directory / "theirs.safetensors"
            numpy.save_file(found, theirs)
            still = [*words, "--dtype", dtype, "--steps", "1", "--lr", "0"]
            assert program.losses(*still, "--init", theirs) == program.losses(*still, "--init", exported) == program.losses(*still, "--init", checkpoint)
            print(f"{own['model']} {dtype}: {len(found)} tensors of a trained model are those that safetensors reads")


def parameters(model, layers, width, heads, kv_heads, dim, hidden, vocabulary, context, padded, qk_norm=False, untied=False):
    """([(name elsewhere, first row, rows)], rows, columns, transposed) of the parameters of tools/gpt/layout.hpp in their order."""
    gpt2 = model == "gpt2"

    def vector(name, n=width):
        yield [(name + ".weight", 0, 1)], 1, n, False
        if gpt2:
            yield [(name + ".bias", 0, 1)], 1, n, False

    def matrix(names, sizes, columns):
        yield [(name + ".weight", sum(sizes[:i]), sizes[i]) for i, name in enumerate(names)], sum(sizes), columns, gpt2
        if gpt2:
            yield [(names[0] + ".bias", 0, 1)], 1, sum(sizes), False
    yield [("wte.weight" if gpt2 else "model.embed_tokens.weight", 0, vocabulary)], padded, width, False
    if gpt2:
        yield [("wpe.weight", 0, context)], context, width, False
    q, kv = heads * dim, kv_heads * dim
    for layer in range(layers):
        h = f"h.{layer}." if gpt2 else f"model.layers.{layer}."
        yield from vector(h + ("ln_1" if gpt2 else "input_layernorm"))
        yield from matrix([h + "attn.c_attn"], [q + 2 * kv], width) if gpt2 else matrix([f"{h}self_attn.{x}_proj" for x in "qkv"], [q, kv, kv], width)
        for x in "qk" if qk_norm else "":
            yield from vector(f"{h}self_attn.{x}_norm", dim)
        yield from matrix([h + ("attn.c_proj" if gpt2 else "self_attn.o_proj")], [width], q)
        yield from vector(h + ("ln_2" if gpt2 else "post_attention_layernorm"))
        yield from matrix([h + "mlp.c_fc"], [hidden], width) if gpt2 else matrix([h + "mlp.gate_proj", h + "mlp.up_proj"], [hidden, hidden], width)
        yield from matrix([h + ("mlp.c_proj" if gpt2 else "mlp.down_proj")], [width], hidden)
    yield from vector("ln_f" if gpt2 else "model.norm")
    if untied:
        yield [("lm_head.weight", 0, vocabulary)], padded, width, False


def main():
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} of PyPI is not installed")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        program = gpt.Program(sys.argv[1], directory, "--host")
        if sys.argv[2:] == ["--record"]:
            record(program, pathlib.Path(directory))
            return 0
        compare_weights(program, pathlib.Path(directory))
        compare_tokenizers(program, pathlib.Path(directory))
    return 0


if __name__ == "__main__":
    sys.exit(main())
