#!/usr/bin/env python3
"""Opens the manual in headless Chromium: check.py SITE SHOTS

Every page is loaded at the width of a phone and must not be wider. Nothing may be written to the console as an error. The search must find an operator and the form of kernels must
answer. Pages and the site have a limit of bytes. SHOTS gets pictures of a few pages, at two widths, in both themes."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PHONE, DESK = 390, 1280
SHOWN = ["index", "operators/layer_norm_backward", "operators/cross_entropy_with_gradient", "kernels", "migration_apex"]
MOST_PAGE, MOST_SITE = 300 << 10, 20 << 20
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files", "--enable-logging=stderr"]
# Loads each page in a frame of a phone's width, and writes what it finds as JSON. SEARCH and FORM stand for the text that a page of results, and an answer, must have.
PROBE = """<!doctype html><iframe id="frame" style="width:%dpx;height:900px;border:0"></iframe><script>
(async () => {
  const frame = document.getElementById("frame"), found = {};
  const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  const open = async address => { const loaded = new Promise(done => { frame.onload = done; }); frame.src = address; await loaded; await wait(20); return frame.contentDocument; };
  const until = async (page, text) => { for (let i = 0; i < 100; i++) { if (page.body.textContent.includes(text)) return true; await wait(50); } return false; };
  for (const address of %s) { const page = await open(address); found[address] = page.documentElement.scrollWidth; }
  let page = await open(%s + "?q=softmax_backward");
  const results = page.querySelector("#search-results");
  let links = [];
  for (let i = 0; i < 100 && !links.length; i++) { await wait(50); links = [...results.querySelectorAll("a")].map(a => a.getAttribute("href").split("?")[0]); }
  await wait(500);
  links = [...results.querySelectorAll("a")].map(a => a.getAttribute("href").split("?")[0]);
  page = await open(%s);
  const answered = await until(page, "softmax_backward/row/f32/sm80: ");
  const pre = document.createElement("pre");
  pre.id = "found";
  pre.textContent = JSON.stringify({widths: found, links, answered});
  document.body.appendChild(pre);
})();
</script>"""


def chromium(*words):
    """Standard output, and what the console said."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([shutil.which("chromium") or "chromium", *FLAGS, f"--user-data-dir={profile}", *map(str, words)], capture_output=True, text=True, timeout=400)
    return done.stdout, re.findall(r"CONSOLE[^\"]*\"(.*)\", source", done.stderr)


def probe(site):
    """What is wrong with the pages as a browser sees them."""
    pages = sorted(site.rglob("*.html"))
    path, planted = site.parent / "manual-probe.html", site.parent / "manual-planted.html"
    planted.write_text("<!doctype html><div style='width:900px'>wide</div><script>console.error('planted')</script>", encoding="utf-8")
    path.write_text(PROBE % (PHONE, json.dumps([p.as_uri() for p in [planted, *pages]]), json.dumps((site / "search.html").as_uri()), json.dumps((site / "kernels.html").as_uri())), encoding="utf-8")
    dom, said = chromium("--virtual-time-budget=600000", "--dump-dom", path.as_uri())
    text = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)
    if not text:
        return [f"the probe did not end; the console said {said}"]
    found = json.loads(html.unescape(text[1]))
    if found["widths"].pop(planted.as_uri()) <= PHONE or "planted" not in said:  # a page with both faults
        return ["the probe does not see a wide page, or does not hear the console"]
    said.remove("planted")
    wrong = [f"{address}: {width} pixels wide on a phone of {PHONE}" for address, width in found["widths"].items() if width > PHONE]
    wrong += [f"console: {line}" for line in said]
    if len(found["widths"]) != len(pages) or len(pages) < 100:
        wrong.append(f"{len(found['widths'])} of {len(pages)} pages were opened")
    if "operators/softmax_backward.html" not in found["links"][:5]:
        wrong.append(f"the search for softmax_backward finds {found['links'][:5]}")
    if not found["answered"]:
        wrong.append("the form of kernels does not answer")
    return wrong


def main():
    site, shots = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    wrong = probe(site)
    sizes = {p: p.stat().st_size for p in site.rglob("*") if p.is_file()}
    wrong += [f"{p.relative_to(site)} has {size} bytes, at most {MOST_PAGE}" for p, size in sizes.items() if p.suffix == ".html" and size > MOST_PAGE]
    if sum(sizes.values()) > MOST_SITE:
        wrong.append(f"the site has {sum(sizes.values())} bytes, at most {MOST_SITE}")
    shutil.rmtree(shots, ignore_errors=True)
    shots.mkdir(parents=True)
    for name in SHOWN:
        for width in (PHONE, DESK):
            for theme, number in (("light", 1), ("dark", 0)):
                shot = shots / f"{name.replace('/', '_')}_{width}_{theme}.png"
                _, said = chromium(f"--window-size={width},1800", f"--blink-settings=preferredColorScheme={number}", "--virtual-time-budget=5000", f"--screenshot={shot}",
                                   (site / f"{name}.html").as_uri())
                wrong += [f"{shot.name}: console: {line}" for line in said]
                if not shot.exists() or shot.stat().st_size < 20000:
                    wrong.append(f"{shot.name} is missing or empty")
    for what in wrong:
        print(f"FAIL: {what}")
    print(f"{len(sizes)} files, {sum(sizes.values()) >> 20} MiB, largest page {max(s for p, s in sizes.items() if p.suffix == '.html') >> 10} KiB; pictures in {shots}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
