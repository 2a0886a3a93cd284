"""Places of C++ and CUDA sources that can be changed, and the changes: a tokenizer and rules on tokens, no parser. mutate_python.py does the same for Python.

Comments, strings, includes, definitions of macros, inline assembly and both branches of a condition on ADJ_SIMT stay as they are: of these branches
the one is not seen on the CPU, and the other is not part of a kernel. A change leaves the number of lines as it is.
"""
import bisect
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]*)\(.*?\)(?P=delimiter)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?\d(?:[eEpP][+-]|'[0-9a-zA-Z]|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|<=>|\.\.\.|->\*|->|::|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]\#@\\])
  | (?P<space>\s+)
""", re.X | re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:\\\n|[^\n])*)", re.M)

BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&"}
LOGIC = {"&&": "||", "||": "&&"}
ACCUMULATE = {"+=", "-=", "*=", "|=", "&=", "^=", "/="}
NARROW = {"i64": "i32", "u64": "u32", "int64_t": "int32_t", "uint64_t": "uint32_t"}
EXTREMES = [("min_of", "max_of"), ("min", "max"), ("fmin", "fmax"), ("fminf", "fmaxf"), ("atomic_min", "atomic_max")]
EXCHANGED = {a: b for pair in EXTREMES for a, b in (pair, pair[::-1])}
FUSED = {"fused_multiply_add", "__fma_rn", "__fmaf_rn", "fma", "fmaf"}
BARRIER = re.compile(r"\w*(barrier|fence|__sync)\w*|wait_for_earlier_grids|let_next_grid_(begin|read)|begin_beside_last_grids")
# Words that begin what is no statement of its own, or a declaration, or a jump whose loss does not compile.
NO_STATEMENT = {"using", "typedef", "static_assert", "template", "namespace", "struct", "class", "enum", "union", "friend", "extern", "constexpr", "const",
                "static", "return", "case", "default", "else", "do", "goto", "public", "private", "protected", "inline", "auto", "unsigned", "throw"}
KINDS = ("boundary", "comparison", "arithmetic", "constant", "logic", "condition", "statement", "barrier", "narrow", "extremes", "accumulate", "fused")


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str  # below the root
    kind: str
    line: int
    column: int  # both from 1
    start: int
    end: int
    old: str
    new: str

    @property
    def change(self):
        """The change in one line: what stood there, and what stands there now."""
        def short(text):
            text = re.sub(r"\s+", " ", text).strip() or "nothing"
            return text if self.kind != "planted" or len(text) < 120 else f"{text[:60]} ... {text[-50:]}"
        return f"{self.kind}: {short(self.old)} -> {short(self.new)}"

    @property
    def place(self):
        return f"{self.file}:{self.line}:{self.column}"

    def apply(self, text):
        assert text[self.start:self.end] == self.old
        return text[:self.start] + self.new + text[self.end:]


def hidden_ranges(text):
    """Ranges of directives, and of what lies between those that ask for ADJ_SIMT."""
    ranges, stack = [], []  # stack: (asks for ADJ_SIMT, begin)
    for match in DIRECTIVE.finditer(text):
        ranges.append(match.span())
        name = match[1]
        if name in ("if", "ifdef", "ifndef"):
            stack.append(("ADJ_SIMT" in match[2], match.start()))
        elif name == "endif" and stack:
            asks, begin = stack.pop()
            if asks:
                ranges.append((begin, match.end()))
    return ranges


def tokens_of(text):
    """Tokens outside of hidden ranges, without blanks and comments."""
    ranges = hidden_ranges(text)
    found, position = [], 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if not match:
            raise ValueError(f"no token at {text[position:position + 20]!r}")
        position = match.end()
        kind = match.lastgroup if match.lastgroup != "delimiter" else "string"
        if kind in ("space", "comment") or any(begin <= match.start() < end for begin, end in ranges):
            continue
        found.append(Token(kind, match[0], match.start()))
    return found


def partners(tokens):
    """{index of an opening bracket: index of its closing one} and back."""
    pairs, stack = {}, []
    closing = {")": "(", "]": "[", "}": "{"}
    for i, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in "([{":
            stack.append(i)
        elif token.text in closing and stack and tokens[stack[-1]].text == closing[token.text]:
            pairs[stack[-1]], pairs[i] = i, stack[-1]
            stack.pop()
    return pairs


def arguments(tokens, pairs, opening):
    """(first token, last token) of each argument behind an opening parenthesis. Commas between < and > are taken for those of arguments."""
    found, first, i = [], opening + 1, opening + 1
    end = pairs[opening]
    while i < end:
        if tokens[i].text in ("(", "[", "{") and i in pairs:
            i = pairs[i]
        elif tokens[i].text == ",":
            found.append((first, i - 1))
            first = i + 1
        i += 1
    if first < end:
        found.append((first, end - 1))
    return found


def statements(tokens, pairs):
    """(first token, its semicolon) of assignments, calls, steps, and jumps out of loops."""
    for i, token in enumerate(tokens):
        before = tokens[i - 1].text if i else ";"
        if before not in (";", "{", "}") and not (before == ")" and i - 1 in pairs and tokens[pairs[i - 1] - 1].text in ("if", "for", "while", "constexpr")) \
                and before != "else":
            continue
        if token.text in NO_STATEMENT or token.text in ("if", "for", "while", "switch", "{", "}", ";", "#", ")", "]"):
            continue
        # Inside parentheses only the head of a for loop has semicolons.
        end, assigns, called = i, False, False
        while end < len(tokens) and tokens[end].text not in (";", "{", "}"):
            if tokens[end].text in ("(", "[") and end in pairs:
                called |= tokens[end].text == "(" and end > i and (tokens[end - 1].kind == "word" or tokens[end - 1].text == ">")
                end = pairs[end]
            elif tokens[end].text == ")":  # the head of a for loop
                end = len(tokens)
                break
            elif not assigns and (tokens[end].text == "=" or tokens[end].text in ACCUMULATE):
                assigns = True
                # A declaration has a type before the name.
                left = tokens[i:end]
                if any(a.kind == "word" and b.kind == "word" or a.text in (">", "*", "&", "&&") and b.kind == "word" and k > 0
                       for k, (a, b) in enumerate(zip(left, left[1:]))):
                    end = len(tokens)
                    break
            elif assigns and tokens[end].text == "{" and end in pairs:
                end = pairs[end]
            end += 1
        if end >= len(tokens) or tokens[end].text != ";":
            continue
        words = tokens[i:end]
        step = words[0].text in ("++", "--") or words[-1].text in ("++", "--")
        jump = len(words) == 1 and words[0].text in ("break", "continue")
        # "f(x)" is a call, "T x(y)" a declaration.
        call = called and not assigns and words[-1].text == ")" and not any(
            a.kind == "word" and b.kind == "word" for a, b in zip(words[:_head(words)], words[1:_head(words)]))
        if assigns or step or jump or call:
            yield i, end, call


def _head(words):
    return next((k for k, word in enumerate(words) if word.text == "("), len(words))


def planted(table, text_of):
    """The mutants of a table of planted errors (planted.tsv), of those whose texts stand where they are looked for."""
    for line in table.splitlines():
        file, *pairs = line.split("\t")
        text = "" if line.startswith("#") else text_of(file)
        places = [(text.find(old), old, new) for old, new in zip(pairs[::2], pairs[1::2])]
        if not text or any(text.count(old) != 1 for _, old, _ in places):
            continue
        start, end, changed = min(at for at, _, _ in places), max(at + len(old) for at, old, _ in places), text
        for _, old, new in places:
            changed = changed.replace(old, new)
        before = text[:start]
        yield Mutant(file, "planted", before.count("\n") + 1, start - before.rfind("\n"), start, end, text[start:end], changed[start:len(changed) - len(text) + end])


def mutants_of(file, text):
    """Every mutant of a source text, in the order of the places."""
    if file.endswith(".py"):
        import mutate_python  # which imports this module
        return mutate_python.mutants_of(file, text)
    tokens = tokens_of(text)
    pairs = partners(tokens)
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    found = []

    # Tokens of inline assembly, of checks at compile time and of template heads.
    kept = set()
    for i, token in enumerate(tokens):
        if token.text in ("asm", "static_assert", "__launch_bounds__", "alignas"):
            j = i + 1
            while j < len(tokens) and tokens[j].text != "(":
                j += 1
            kept.update(range(i, pairs.get(j, j) + 1))
        if token.text == "operator" and i + 1 < len(tokens):
            kept.update((i, i + 1, i + 2))

    def add(kind, first, last, new):
        start, end = tokens[first].start, tokens[last].end
        line = bisect.bisect_right(starts, start)
        old = text[start:end]
        new += "\n" * (old.count("\n") - new.count("\n"))
        found.append(Mutant(file, kind, line, start - starts[line - 1] + 1, start, end, old, new))

    for i, token in enumerate(tokens):
        if i in kept:
            continue
        before = text[token.start - 1:token.start]
        after = text[token.end:token.end + 1]
        spaced = before.isspace() and after.isspace()  # as operators of two operands are, unlike brackets of templates, pointers and signs
        if token.kind == "sign" and spaced and i > 0:
            if token.text in BOUNDARY:
                add("boundary", i, i, BOUNDARY[token.text])
            if token.text in FLIPPED:
                add("comparison", i, i, FLIPPED[token.text])
            if token.text in ARITHMETIC and tokens[i - 1].text not in ("(", ",", "=", "return"):
                add("arithmetic", i, i, ARITHMETIC[token.text])
            if token.text in LOGIC:
                add("logic", i, i, LOGIC[token.text])
            if token.text in ACCUMULATE:
                add("accumulate", i, i, "=")
        elif token.kind == "number":
            add("constant", i, i, f"({token.text} + 1)")
            if not re.fullmatch(r"0[uUlL.fF0]*", token.text):
                add("constant", i, i, f"({token.text} - 1)")
        elif token.kind == "word":
            following = tokens[i + 1].text if i + 1 < len(tokens) else ""
            if token.text in ("true", "false"):
                add("constant", i, i, "false" if token.text == "true" else "true")
            if token.text in NARROW and tokens[i - 1].text != "using":
                add("narrow", i, i, NARROW[token.text])
            if token.text in EXCHANGED and following in ("(", "<") and tokens[i - 1].text not in (".", "->"):
                add("extremes", i, i, EXCHANGED[token.text])
            if token.text in FUSED and following == "(" and i + 1 in pairs:
                parts = arguments(tokens, pairs, i + 1)
                if len(parts) == 3:
                    a, b, c = (text[tokens[first].start:tokens[last].end] for first, last in parts)
                    add("fused", i, pairs[i + 1], f"(({a}) * ({b}))")
                    add("fused", i, pairs[i + 1], f"({c})")
            if token.text in ("if", "while"):
                opening = i + 2 if following == "constexpr" else i + 1
                if opening in pairs and tokens[opening].text == "(" and not any(t.text == ";" for t in tokens[opening:pairs[opening]]):
                    first, last = opening + 1, pairs[opening] - 1
                    inner = text[tokens[first].start:tokens[last].end]
                    add("condition", first, last, f"!({inner})")
    for first, semicolon, call in statements(tokens, pairs):
        if first in kept:
            continue
        name = next((tokens[k - 1].text for k in range(first, semicolon) if tokens[k].text == "("), "")
        add("barrier" if call and BARRIER.fullmatch(name) else "statement", first, semicolon, ";")
    return sorted(found, key=lambda m: (m.start, m.kind, m.new))
