"""Joins our measurements with the peers' of the same run: join.py OUTPUT_PREFIX --ours OURS.json --peers PEERS.json [--case GLOB...]

Writes OUTPUT_PREFIX.md (the table), .json (both, joined) and .svg (a row for each case; needs matplotlib).
--joined JOINED.json takes an earlier joined file instead of OURS and PEERS. --case keeps the cases that match any of the globs."""
import argparse
import fnmatch
import io
import json
import math

import files
import records


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
        replayed, graph_us = best_peer(peers.get("graphs", {}).get(case["name"]))
        row = dict(case) | ({"launched_ratio": us / case["us"]} if us and graph_us else {})
        if graph_us and (not us or graph_us < us):
            peer, us = f"{replayed} in a graph", graph_us
        if case["name"] in peers.get("copies", {}):
            row["fraction_of_such_copy"] = peers["copies"][case["name"]] / case["us"]
        if us:
            row |= {"peer": peer if peer.startswith(("cuDNN graph", "Liger")) else "PyTorch " + peer, "peer_us": us, "ratio": us / case["us"],
                    "peer_fraction_of_copy": case["floor_bytes"] / us / 1e3 / ours["copy_ceiling_gb_s"]}
        rows.append(row)
    return rows


def table(ours, rows):
    copies = any("fraction_of_such_copy" in row for row in rows)
    lines = [f"Measured on {ours['device']}, PyTorch {ours['torch']}; copy ceiling of the run {ours['copy_ceiling_gb_s']:.0f} GB/s.",
             "Device time, cold L2, median of 15. The fraction counts each input byte read once and each output byte written once.", "",
             "| case | us | of copy ceiling |" + " of a copy of as many bytes |" * copies + " best peer | peer us | peer of ceiling | peer time / ours |",
             "| --- | ---: | ---: |" + " ---: |" * copies + " --- | ---: | ---: | ---: |"]
    for row in rows:
        if "error" in row:
            lines.append(f"| {row['name']} | failed: {row['error']} | | | | | |")
            continue
        peer = f"{row['peer']} | {row['peer_us']:.1f} | {row['peer_fraction_of_copy']:.2f} | {row['ratio']:.2f}" if "peer" in row else "none | | |"
        such = f" {row['fraction_of_such_copy']:.2f} |" if "fraction_of_such_copy" in row else " |" * copies
        lines.append(f"| {row['name']} | {row['us']:.1f} | {row['fraction_of_copy']:.2f} |{such} {peer} |")
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


def plot(report, rows, path):
    """One row a case, sorted by the peer's time over ours: fraction of the copy ceiling, ours filled, the peer's hollow."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "adjoint", "font.family": "sans-serif", "font.size": 8}
    timed = sorted((row for row in rows if "us" in row), key=lambda row: (row.get("ratio", math.inf), row["name"]))
    figure, axes = pyplot.subplots(figsize=(6, 0.6 + 0.17 * len(timed)))
    heights = range(len(timed), 0, -1)
    for height, row in zip(heights, timed):
        ours, peer = row["fraction_of_copy"], row.get("peer_fraction_of_copy")
        if peer:
            axes.plot([ours, peer], [height, height], color="#bbbbbb", linewidth=1, zorder=1)
            axes.plot(peer, height, "o", markerfacecolor="white", markeredgecolor="#b45309", markersize=4, zorder=2)
        axes.plot(ours, height, "o", color="#1565c0", markersize=4, zorder=3)
        axes.annotate(f"{row['ratio']:.2f}" if peer else "no peer", (1.01, height), xycoords=("axes fraction", "data"), va="center",
                      color="#b91c1c" if peer and row["ratio"] < 1 else "#333333")
    axes.set_yticks(list(heights), [row["name"] for row in timed])
    axes.set_ylim(0.2, len(timed) + 0.8)
    axes.set_xlim(left=0)
    axes.grid(axis="x", color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("fraction of the copy ceiling")
    axes.set_title(f"{report['device']}: Adjoint (filled), best peer (hollow), and the peer's time over ours", loc="left", fontsize=10)
    picture = io.StringIO()
    figure.savefig(picture, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    files.write(path, picture.getvalue())


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
    files.write(options.prefix + ".md", table(report, report["cases"]))
    plot(report, report["cases"], options.prefix + ".svg")
    records.write(options.prefix + ".json", report)


if __name__ == "__main__":
    main()
