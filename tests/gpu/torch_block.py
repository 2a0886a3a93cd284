#!/usr/bin/env python3
"""A step of training of a Llama with torch's modules, and with ours in their place, compiled by torch to one graph.

  torch_block.py [--layers N] [--width N] [--tokens N] [--vocabulary N] [--eager]

Prints milliseconds of a step: of the device, between events, and of the host, until the last call has returned. The first row is torch's modules and fused AdamW;
each other row names what is ours. The rows take turns, and the median of each is shown. Exit 1 where a loss is not torch's, 77 without a GPU. Needs torch, and the
library that ADJOINT_LIBRARY names."""
import argparse
import copy
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "capi", "python"))


def model_of(torch, options):
    nn, F = torch.nn, torch.nn.functional
    heads, head_dim = options.width // 128, 128

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            hidden = options.width * 11 // 4
            self.norm1, self.norm2 = nn.RMSNorm(options.width, eps=1e-5), nn.RMSNorm(options.width, eps=1e-5)
            self.qkv, self.out = nn.Linear(options.width, 3 * options.width, bias=False), nn.Linear(options.width, options.width, bias=False)
            self.up, self.down = nn.Linear(options.width, 2 * hidden, bias=False), nn.Linear(hidden, options.width, bias=False)

        def forward(self, x):
            q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, heads, head_dim)).transpose(1, 3).unbind(2)
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(attended.transpose(1, 2).flatten(2))
            gate, linear = self.up(self.norm2(x)).chunk(2, -1)
            return x + self.down(F.silu(gate) * linear)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.blocks = nn.Embedding(options.vocabulary, options.width), nn.ModuleList([Block() for _ in range(options.layers)])
            self.norm, self.head = nn.RMSNorm(options.width, eps=1e-5), nn.Linear(options.width, options.vocabulary, bias=False)
            self.loss = nn.CrossEntropyLoss()

        def forward(self, tokens, labels):
            x = self.embedding(tokens)
            for block in self.blocks:
                x = block(x)
            return self.loss(self.head(self.norm(x)).flatten(0, 1), labels.flatten())

    torch.manual_seed(1)
    return Model().to("cuda", torch.bfloat16)


def main():
    parser = argparse.ArgumentParser()
    for name, value in {"layers": 4, "width": 2048, "tokens": 2048, "batch": 2, "vocabulary": 128256, "steps": 20}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--eager", action="store_true")
    options = parser.parse_args()
    import torch
    if not torch.cuda.is_available():
        return 77
    import adjoint.torch as adj
    torch.set_float32_matmul_precision("high")
    base = model_of(torch, options)
    rows = {"torch": None, "AdamW": [], "AdamW, loss": [adj.CrossEntropyLoss], "AdamW, loss, embedding": [adj.CrossEntropyLoss, adj.Embedding],
            "AdamW, loss, embedding, norms": [adj.CrossEntropyLoss, adj.Embedding, adj.RMSNorm]}
    tokens = torch.randint(0, options.vocabulary, (options.batch, options.tokens + 1), device="cuda")
    steps, times, losses = {}, {name: [] for name in rows}, {}
    for name, kinds in rows.items():
        model = copy.deepcopy(base)
        if kinds:
            adj.replace_modules(model, kinds)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True) if kinds is None else adj.AdamW(model.parameters(), lr=1e-4)
        forward = model if options.eager else torch.compile(model, fullgraph=True)

        def step(forward=forward, optimizer=optimizer):
            optimizer.zero_grad()
            loss = forward(tokens[:, :-1], tokens[:, 1:])
            loss.backward()
            optimizer.step()
            return loss
        losses[name], steps[name] = [step().item() for _ in range(4)][-1], step
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(options.steps):
        for name, step in steps.items():
            step()
            torch.cuda.synchronize()
            start = time.perf_counter()
            begin.record()
            step()
            end.record()
            host = (time.perf_counter() - start) * 1e3
            torch.cuda.synchronize()
            times[name].append((begin.elapsed_time(end), host))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {'eager' if options.eager else 'compiled to one graph'}; {options.layers} layers of "
          f"{options.width}, {options.batch} x {options.tokens} tokens, {options.vocabulary} words, bf16")
    print(f"{'ours':34}{'device, ms':>12}{'host, ms':>10}{'loss of step 4':>16}")
    for name, found in times.items():
        device, host = (statistics.median(column) for column in zip(*found))
        print(f"{name:34}{device:>12.2f}{host:>10.2f}{losses[name]:>16.4f}")
    return int(any(abs(loss - losses["torch"]) > 0.02 * abs(losses["torch"]) for loss in losses.values()))


if __name__ == "__main__":
    sys.exit(main())
