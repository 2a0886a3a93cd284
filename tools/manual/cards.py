"""Tables of the page on other cards, from the table that tests/nvrtc/cards.cpp makes, and of versions of libraries."""
from text import ROOT, cell, table

CARDS, VERSIONS = ROOT / "tests/nvrtc/results/cards.tsv", ROOT / "tests/versions.tsv"
THREADS = {"sm_80": 2048, "sm_90a": 2048, "sm_100": 2048}  # of a multiprocessor; 1536 elsewhere
HOME = "sm_90a"


def problems():
    """{problem: {architecture: (algorithm, [(kernel, blocks, threads)])}}. The algorithm is none, without kernels, where the problem is refused."""
    found = {}
    for line in CARDS.read_text(encoding="utf-8").splitlines()[2:]:
        problem, arch, sku, *launches = line.split("\t")
        kernels = [launch.split(" ") for launch in launches[0].split("; ")] if launches and launches[0] != "-" and sku != "none" else []
        found.setdefault(problem, {})[arch] = (sku if sku == "none" else sku.split("/")[1], [(name, int(blocks), int(threads)) for name, threads, _, _, _, blocks in kernels])
    return found


def architectures():
    return list(next(iter(problems().values())))


def resident(arch, algorithm, kernels):
    if not kernels:
        return "none" if algorithm == "none" else "–"
    _, blocks, threads = kernels[0]
    return f"{', '.join(str(blocks) for _, blocks, _ in kernels)}<br>{100 * blocks * threads // THREADS.get(arch, 1536)} %"


def families(facts):
    """Problems by family, as (family, [(problem, {architecture: ...})])."""
    of = {o.name: o.family for o in facts.tree.operators}
    found = {}
    for problem, row in problems().items():
        found.setdefault(of[problem.split()[0]], []).append((problem, row))
    return found


def words(problem):
    """A problem in a cell: the operator leads to its page."""
    name, _, rest = problem.partition(" ")
    return f"[{name}](/operators/{name}.md)<br>{cell(rest)}"


def other(facts):
    archs = [arch for arch in architectures() if arch != HOME]
    rows = [[words(problem), f"`{row[HOME][0]}`", *("" if row[arch][0] == row[HOME][0] else f"`{row[arch][0]}`" for arch in archs)]
            for problem, row in problems().items() if len({algorithm for algorithm, _ in row.values()}) > 1]
    return "\n".join(["Each architecture takes the kernels of sm_90a for every other problem of the next section.", "", *table(["problem", HOME, *archs], rows)])


def cards(facts):
    out = []
    for family, rows in families(facts).items():
        out += [f"### {family}", "", *table(["problem", *architectures()], [[words(problem), *(resident(arch, *row[arch]) for arch in architectures())] for problem, row in rows])]
    return "\n".join(out)


def versions():
    head, *rows = (line.split("\t") for line in VERSIONS.read_text(encoding="utf-8").splitlines())
    return "\n".join(table([name.replace("_", " ") for name in head], [[cell(text) for text in row] for row in rows]))


def faults(facts):
    rows = [[cell(fault["library"]), cell(fault["versions"]), cell(fault["what"]), cell(fault["remedy"])] for fault in facts.ask("doctor", "--faults")]
    return "\n".join(table(["library", "versions", "fault", "what this library does"], rows))
