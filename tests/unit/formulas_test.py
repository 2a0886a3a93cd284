"""Formulas of the manual: formulas_test.py ROOT. What becomes MathML, what stays text, and that the formulas of all headers are well-formed and keep every name."""
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools/manual")]
from checks import check, finish  # noqa: E402
import formulas  # noqa: E402
import text  # noqa: E402

LEAST = 100  # formulas of the headers


def said(markup):
    """The letters, digits and signs of MathML, in order."""
    return "".join(tree.fromstring(markup).itertext()).replace("\u2061", "").replace("\u2062", "").replace("\xa0", " ")


for source, wanted in {
    "y = a * b / c": "<mi>y</mi><mo>=</mo><mfrac><mrow><mrow><mi>a</mi><mo>·</mo><mi>b</mi></mrow></mrow><mrow><mi>c</mi></mrow></mfrac>",
    "y = a * (b / c)": "<mi>y</mi><mo>=</mo><mrow><mi>a</mi><mo>·</mo><mrow><mo>(</mo><mfrac><mrow><mi>b</mi></mrow><mrow><mi>c</mi></mrow></mfrac><mo>)</mo></mrow></mrow>",
    "y = x[i]": "<mi>y</mi><mo>=</mo><msub><mi>x</mi><mrow><mi>i</mi></mrow></msub>",
    "y = 1 / (a + b)": "<mi>y</mi><mo>=</mo><mfrac><mrow><mn>1</mn></mrow><mrow><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mrow></mfrac>",
    "lse_i = x": "<msub><mi>lse</mi><mi>i</mi></msub><mo>=</mo><mi>x</mi>",
    "top_k = x": "<mi>top_k</mi><mo>=</mo><mi>x</mi>",
    "weight_decay = x": "<mi>weight_decay</mi><mo>=</mo><mi>x</mi>",
}.items():
    found = formulas.formula(source)
    check(found == f'<math displaystyle="true" alttext="{source}"><mrow>{wanted}</mrow></math>', f"{source}: {found}")
for source, wanted in {
    "dbias[i] (=|+=) sum over the rows of d[row, i]": "dbiasi=│+=∑rowsdrow,i",
    "a - sum over k of b[k] * c[k] - d = 0": "a−∑kbk·ck−d=0",
    "y = max(|x|, 1e-30) (1 + |log p_c|)": "y=max(|x|,1·10−30)(1+|logpc|)",
    "out[e] = kept(e) ? d[e] / (1 - ratio) : 0": "oute=de1−ratio if kept(e) else 0",
    "j <= i": "j≤i",
    "w += update": "w+=update",
}.items():
    found = formulas.formula(source)
    check(found and re.sub(r"\s+", " ", said(found)) == wanted, f"{source}: {found and said(found)}")
for source in ("sum: their sum", "the factor of the sample", "q = a in words", "P(the neighbour farther from 0) = distance of both", "f(c & 127) = 0", "y = (a", "y = |a", "y = a b_word other", "x"):
    check(formulas.formula(source) is None, f"'{source}' is set as a formula")
for source, wanted in {"a = b,   for the rest c": None, "a = b; c = d": 2, "none: a = -b      sum: their sum": 1, "decay l2:    a = b,   c = d": 2, "b * s[0] + d": 1, "words alone": None,
                       "code = f8(x * s),   the product rounded to f32": 1, "to: s = F / a, r = 1 / s": 2, "out[p, :] = 0 where order[p] < 0": 2, "a = largest |x| of the group, NaN left out": 1,
                       "z = saved + bias as before": None, "db (=|+=) column sums of G": 1, "q = 2^-3 a of the words": None, "dW = G' input / t": 1, "s = F 2^-margin / A": 1}.items():
    found = formulas.line(source)
    check((found and found.count("<math")) == wanted or wanted is None and (found is None or "for the rest c" in found), f"{source}: {found}")
check(formulas.block(["a = b", "words", "more words"]) is None and "plain" in "".join(formulas.block(["a = b", "words"])), "a block of text is set as formulas, or a mixed one is not")
found = formulas.line("g_c = |d| (f p_c + v_c), for the label |d| more")
check(found and 'alttext="g_c = |d| (f p_c + v_c)"' in found and "<span>, for the label |d| more</span>" in found, f"a remark in words: {found}")
rows = "".join(formulas.block(["order[p]      the pair of row p", "loss          2 * a where n > 0", "              a line more"]))
check(rows.count("<dt>") == 2 and rows.count("<dd>") == 3 and rows.count("<math") == 3 and 'alttext="order[p]"' in rows, f"rows of names and what they are: {rows}")
for block in (["f: out (1 + q)     g: |x| + q", "h: out             k: |y| * q"], ["forward    m = rows", "dx = dy W  m = in"], ["a  words", "b  words"]):
    check("<dt>" not in "".join(formulas.block(block) or ""), f"set as rows of names: {block}")
check(formulas.block(["out = a * b +", "      c * d"]) is None, "a formula that goes on in the next line is set without its rest")

count = 0
for header in sorted((ROOT / "include/adjoint/ops").glob("*.h")):
    for comment in re.findall(r"/\*(.*?)\*/", header.read_text(encoding="utf-8"), re.S):
        lines = [re.sub(r"^ \* ?", "", line) for line in comment.splitlines()]
        for markup in re.findall(r"<math.*?</math>", "\n".join(text.comment("\n".join(lines), 2))):
            count += 1
            parsed = tree.fromstring(markup)
            shown = said(markup)
            for name in re.findall(r"[A-Za-z]\w*", parsed.get("alttext")):
                known = {"sqrt", "floor", "ceil", "sum", "product", "over", "of", "and", "the", "e", "pi"}
                check(name in known or name in shown or name.replace("_", "") in shown, f"{header.name}: {parsed.get('alttext')} loses {name}: {shown}")
check(count >= LEAST, f"{count} formulas in the headers, of {LEAST} at least")
finish()
