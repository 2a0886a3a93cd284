"""Joins our measurements with the peers' of the same run: join.py OUTPUT_PREFIX --ours OURS.json --peers PEERS.json [--case GLOB...]

Writes OUTPUT_PREFIX.md (the table), .json (both, joined) and .svg (size at the floor against fraction of the copy ceiling).
--joined JOINED.json takes an earlier joined file instead of OURS and PEERS. --case keeps the cases that match any of the globs."""
import argparse
import fnmatch
import json
import math


def best_peer(variants):
    timed = {k: v for k, v in (variants or {}).items() if isinstance(v, (int, float))}
    return min(timed.items(), key=lambda item: item[1]) if timed else (None, None)


def join(ours, peers):
    rows = []
    for case in ours["cases"]:
        if "error" in case:
            rows.append(case)
            continue
        peer, us = best_peer(peers["cases"].get(case["name"]))
        row = dict(case)
        if us:
            row |= {"peer": peer if peer in ("cuDNN graph", "Liger") else "PyTorch " + peer, "peer_us": us, "ratio": us / case["us"],
                    "peer_fraction_of_copy": case["floor_bytes"] / us / 1e3 / ours["copy_ceiling_gb_s"]}
        rows.append(row)
    return rows


def table(ours, rows):
    lines = [f"Measured on {ours['device']}, PyTorch {ours['torch']}; copy ceiling of the run {ours['copy_ceiling_gb_s']:.0f} GB/s.",
             "Device time, cold L2, median of 15. The fraction counts each input byte read once and each output byte written once.", "",
             "| case | us | of copy ceiling | best peer | peer us | peer of ceiling | peer time / ours |", "| --- | ---: | ---: | --- | ---: | ---: | ---: |"]
    for row in rows:
        if "error" in row:
            lines.append(f"| {row['name']} | failed: {row['error']} | | | | | |")
            continue
        peer = f"{row['peer']} | {row['peer_us']:.1f} | {row['peer_fraction_of_copy']:.2f} | {row['ratio']:.2f}" if "peer" in row else "none | | |"
        lines.append(f"| {row['name']} | {row['us']:.1f} | {row['fraction_of_copy']:.2f} | {peer} |")
    compared = [row for row in rows if "ratio" in row]
    if compared:
        worst = min(compared, key=lambda row: row["ratio"])
        lines += ["", f"Worst ratio: {worst['ratio']:.2f} ({worst['name']})."]
    if ours.get("host"):
        lines += ["", "Host time per call, microseconds:", "", "| case | launches | raw launches | run | added | bound run | can_implement |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
        for h in ours["host"]:
            if "error" not in h:
                lines.append(f"| {h['name']} | {h['launches']} | {h['raw_us']:.2f} | {h['run_us']:.2f} | {h['run_us'] - h['raw_us']:.2f} | {h['bound_run_us']:.2f} | {h['can_implement_us']:.2f} |")
    if ours.get("select"):
        s = ours["select"]
        lines += ["", f"select: new shape of loaded kernels {s['new_shape_us']:.2f} us; kernel from the disk cache {s['disk_ms']:.2f} ms (medians)."]
    return "\n".join(lines) + "\n"


def plot(rows):
    width, height, left, right, top, bottom = 860, 480, 60, 230, 40, 50
    points = [(row["floor_bytes"], row["fraction_of_copy"], row.get("peer_fraction_of_copy"), row["name"]) for row in rows if "us" in row]
    low, high = math.log10(min(p[0] for p in points)), math.log10(max(p[0] for p in points))
    floor = -3

    def x(value):
        return left + (math.log10(value) - low) / max(high - low, 1e-9) * (width - left - right)

    def y(value):
        return height - bottom - (max(math.log10(max(value, 1e-9)), floor) - floor) / (0.1 - floor) * (height - top - bottom)

    # A colour for each operator, far apart around the circle.
    operators = sorted({name.split(" ")[0] for _, _, _, name in points})
    colours = {name: f"hsl({i * 137 % 360} 65% 40%)" for i, name in enumerate(operators)}
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="22" font-size="15">Fraction of the copy ceiling by size (filled: Adjoint, hollow: best PyTorch)</text>']
    for fraction in (0.001, 0.01, 0.1, 0.5, 1):
        svg.append(f'<line x1="{left}" x2="{width - right}" y1="{y(fraction):.1f}" y2="{y(fraction):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y(fraction) + 4:.1f}" text-anchor="end">{fraction:g}</text>')
    for exponent in range(math.ceil(low), math.floor(high) + 1):
        svg.append(f'<text x="{x(10 ** exponent):.1f}" y="{height - bottom + 18}" text-anchor="middle">1e{exponent}</text>')
    svg.append(f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">bytes at the floor</text>')
    for size, fraction, peer, name in points:
        colour = colours[name.split(" ")[0]]
        svg.append(f'<circle cx="{x(size):.1f}" cy="{y(fraction):.1f}" r="4" fill="{colour}"><title>{name}: {fraction:.3f}</title></circle>')
        if peer:
            svg.append(f'<circle cx="{x(size):.1f}" cy="{y(peer):.1f}" r="4" fill="none" stroke="{colour}"><title>{name}, peer: {peer:.3f}</title></circle>')
    step = min(20, (height - top) / max(len(colours), 1))
    for i, (key, colour) in enumerate(colours.items()):
        svg.append(f'<circle cx="{width - right + 24}" cy="{top + step * i:.1f}" r="4" fill="{colour}"/>'
                   f'<text x="{width - right + 34}" y="{top + step * i + 4:.1f}" font-size="{min(12, step):.0f}">{key}</text>')
    return "\n".join(svg + ["</svg>"]) + "\n"


def load(path):
    with open(path) as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("--ours")
    parser.add_argument("--peers")
    parser.add_argument("--joined")
    parser.add_argument("--case", nargs="*", default=["*"])
    options = parser.parse_args()
    if options.joined:
        report = load(options.joined)
    else:
        report, peers = load(options.ours), load(options.peers)
        report |= {"torch": peers["torch"], "peer_copy_ceiling_gb_s": peers["copy_ceiling_gb_s"], "cases": join(report, peers)}
    report["cases"] = [row for row in report["cases"] if any(fnmatch.fnmatchcase(row["name"], glob) for glob in options.case)]
    with open(options.prefix + ".md", "w") as file:
        file.write(table(report, report["cases"]))
    with open(options.prefix + ".svg", "w") as file:
        file.write(plot(report["cases"]))
    with open(options.prefix + ".json", "w") as file:
        json.dump(report, file, indent=1)
        file.write("\n")


main()
