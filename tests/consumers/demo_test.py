#!/usr/bin/env python3
"""The demo of several ranks, on the host: the loss of one rank, one set of weights and of scales, and the same bits in every run."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

STEPS = 60
# Every rank rounds its gradients to f16, by half of 2^-10 at most.
TOLERANCE = 5e-4


def train(demo, text, directory, ranks):
    out = pathlib.Path(directory) / f"curve{ranks}"
    result = subprocess.run([demo, str(text), "--host", "--steps", str(STEPS), "--ranks", str(ranks), "--out", str(out)], capture_output=True, text=True)
    assert result.returncode == 0, f"{ranks} ranks: {result.stdout}{result.stderr}"
    return json.loads(out.with_suffix(".json").read_text())


def losses(run):
    return [loss for _, loss in run["loss"]]


def main():
    demo = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        text = pathlib.Path(directory) / "text"
        draw = random.Random(1)
        words = ["gradient", "of", "the", "loss", "is", "summed", "over", "ranks", "and", "tokens"]
        text.write_text(" ".join(draw.choice(words) for _ in range(400))[:2101])  # 2100 tokens share out evenly
        runs = {ranks: train(demo, text, directory, ranks) for ranks in (1, 2, 3)}
        for ranks, run in runs.items():
            assert run["ranks"] == ranks and run["tokens"] == 2100 and run["equal_ranks"] is True, run
            assert run["skipped"] > 0 and run["clipped"] > 0, "no step was skipped, or none was clipped: the test does not try it"
            assert len(losses(run)) == STEPS + 1
            for step, (own, one) in enumerate(zip(losses(run), losses(runs[1]))):
                assert abs(own - one) <= TOLERANCE * one, f"{ranks} ranks, step {step}: loss {own}, with one rank {one}"
            print(f"{ranks} ranks: loss {run['final_loss']:.7f}, entropy {run['entropy']:.7f}")
        for ranks in (2, 3):
            assert losses(train(demo, text, directory, ranks)) == losses(runs[ranks]), f"{ranks} ranks: another run has other bits"


if __name__ == "__main__":
    main()
