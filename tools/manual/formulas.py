"""Formulas of the headers, which are plain text, as MathML: no program and no network is needed to read it.

A line is set as a formula only if all of it is understood: what was read is written back and compared with the line. Any other line stays text."""
import html
import re

RELATIONS = {"(=|+=)": "=│+=", "+=": "+=", "*=": "·=", "-=": "−=", "==": "=", "<=": "≤", ">=": "≥", "!=": "≠", "=": "=", "<": "<", ">": ">"}
WORDS = {"mod", "of", "over", "as", "at", "by", "is", "or", "to", "for", "where", "with", "without", "unless", "else"}
LARGE = {"sum": "∑", "product": "∏"}
NAMED = {"mean", "logsumexp"}
APPLIED = {"log", "exp", "sin", "cos"}  # of an operand without parentheses
FIELDS = {"top_k"}  # fields whose last letter is no index
GREEK = {"pi": "π"}
# Quantities that have no letter.
PHRASES = ["variance of row i", "mean of squares of row i"]
TOKEN = re.compile(rf"\s*({'|'.join(PHRASES)}|\(=\|\+=\)|\+=|\*=|-=|==|<=|>=|!=|[A-Za-z][A-Za-z0-9_]*'?|\d+(?:\.\d+)?(?:e-?\d+)?|[-+*/^()\[\],=<>|?:%])")
# A remark in words, which ends a part of a line; what stands between parts.
REMARK = re.compile(r",? {1,2}(?:for|where|with|without|over the|the|or|half|masks|one|rounded|bounded|unless|else|in)\b.*$| {1,2}\([\w ,()=]*$")
WORDING = re.compile(r"\(?[a-z][\w ,:]+[\w)]|\([\w ,:=]+\)|(?:each|else|for|where|with|without|the|or)\b.*")
NAME = re.compile(r"[A-Za-z_]\w*(?:\[[\w, :]+\])?(?:, \w+)*")  # of a row
STATED = re.compile(r"(.+?) (\(=\|\+=\)|\+=|=) ([a-z][a-z ,|]* of [\w |]+(?:, [\w ]+)?)")  # a quantity in words
PARTS = re.compile(r"(;\s+|,\s{2,}|\s{3,})")
LABEL = re.compile(r"^((?!\w+ =)[A-Za-z][\w ,]*:)\s+(?=\S)")


class NoFormula(Exception):
    pass


class Node:
    """What was read: its MathML, and the text that it was read from without spaces."""

    inner = None   # of parentheses
    bare = False   # a name alone

    def __init__(self, markup, text, simple=False):
        self.markup, self.text, self.simple = markup, text, simple


def row(*markup):
    return f"<mrow>{''.join(markup)}</mrow>"


def operator(sign, spaced=True):
    return f"<mo>{html.escape(sign)}</mo>" if spaced else f'<mo lspace="0" rspace="0" stretchy="false">{html.escape(sign)}</mo>'


def brackets(left, inner, right):
    """Around what is between them; larger than a letter only where that is."""
    kind = "<mo>" if "<mfrac" in inner or "<msqrt" in inner else '<mo stretchy="false">'
    return row(f"{kind}{left}</mo>", inner, f"{kind}{right}</mo>")


def name(text):
    base, _, below = text.rpartition("_")
    if base and len(below) == 1 and "_" not in base and len(base) <= 4 and text not in FIELDS:
        return f"<msub>{name(base)}<mi>{below}</mi></msub>"
    prime = text.endswith("'")
    plain = GREEK.get(text, text.rstrip("'"))
    return f"<mi>{html.escape(plain)}</mi>" + ("<mo lspace='0' rspace='0'>′</mo>" if prime else "")


class Reader:
    def __init__(self, text):
        self.tokens, at = [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if not match:
                raise NoFormula(text[at:])
            self.tokens.append((match[1], match.start(1) > at))  # with whether a space comes before
            at = match.end()
        self.at, self.bars = 0, 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else None

    def take(self, *expected):
        token = self.peek()
        if token is None or (expected and token not in expected):
            raise NoFormula(f"{token} for {expected}")
        self.at += 1
        return token

    def whole(self, relation):
        """Relations, one after the other: a = b, or a <= b < c. Without `relation` an expression with a sign is enough."""
        found = self.choice()
        related = 0
        while self.peek() in RELATIONS:
            sign = self.take()
            right = self.choice()
            found = Node(row(found.markup, operator(RELATIONS[sign]), right.markup), found.text + sign + right.text)
            related += 1
        if self.peek() is not None:
            raise NoFormula(f"{self.peek()} is left")
        if not related and (relation or not re.search(r"[-+*/^|]|^(?:sum|product)", found.text)):
            raise NoFormula("nothing is stated")
        return found

    def choice(self):
        found = self.sums()
        if self.peek() == "<=" and "?" in [token for token, _ in self.tokens[self.at:]] or self.peek() == "?":
            if self.peek() == "<=":
                self.take()
                right = self.sums()
                found = Node(row(found.markup, operator("≤"), right.markup), found.text + "<=" + right.text)
            self.take("?")
            yes = self.sums()
            self.take(":")
            no = self.sums()
            words = lambda text: f'<mtext>&#160;{text}&#160;</mtext>'  # noqa: E731
            found = Node(row(yes.markup, words("if"), found.markup, words("else"), no.markup), f"{found.text}?{yes.text}:{no.text}")
        return found

    def sums(self):
        sign = self.take() if self.peek() == "-" else ""
        found = self.products()
        if sign:
            found = Node(row(operator("−", False), found.markup), "-" + found.text)
        while self.peek() in ("+", "-"):
            sign = self.take()
            right = self.products()
            found = Node(row(found.markup, operator("−" if sign == "-" else "+"), right.markup), found.text + sign + right.text)
        return found

    def products(self):
        found = self.power()
        while True:
            token = self.peek()
            if token in ("*", "/", "%", "mod"):
                self.take()
                right = self.power()
                if token == "/":
                    found = Node(f"<mfrac>{bare(found)}{bare(right)}</mfrac>", found.text + "/" + right.text, True)
                else:
                    sign = operator("·") if token == "*" else '<mo lspace="0.3em" rspace="0.3em">mod</mo>'
                    found = Node(row(found.markup, sign, right.markup), found.text + token + right.text)
            elif token is not None and self.begins(token):
                right = self.power()
                if right.bare and len(right.text) > 2 and "_" not in right.text and right.text not in GREEK and not found.text.endswith("'"):
                    raise NoFormula(f"{right.text} may be a word")
                found = Node(row(found.markup, operator("\u2062", False), '<mspace width="0.15em"/>', right.markup), found.text + right.text)
            else:
                return found

    def begins(self, token):
        """Whether a factor begins without a sign: after a space, or a bar that closes nothing."""
        if not self.tokens[self.at][1] or token in WORDS:
            return False
        return token == "(" or (token == "|" and not self.bars) or token[0].isalpha() or token.isdigit() and self.peek(1) == "^"

    def power(self):
        found = self.factor()
        if self.peek() == "^":
            self.take()
            sign = self.take() if self.peek() == "-" else ""
            right = self.factor()
            shown = row(operator("−", False), right.markup) if sign else bare(right)
            found = Node(f"<msup>{found.markup if found.simple else row(found.markup)}{shown}</msup>", f"{found.text}^{sign}{right.text}")
        return found

    def inside(self, closing):
        """Expressions between commas, up to a sign that closes."""
        found, bars, self.bars = [], self.bars, 0
        while True:
            if self.peek() == ":" and closing == "]":
                self.take()
                found.append(Node(operator(":", False), ":"))
            else:
                found.append(self.related() if closing == "]" and not found else self.choice())
            if self.take(",", closing) == closing:
                break
        self.bars = bars
        return found

    def single(self, closing):
        found = self.inside(closing)
        if len(found) != 1:
            raise NoFormula("a list")
        return found[0]

    def related(self):
        found = self.choice()
        if self.peek() == "==":
            self.take()
            right = self.choice()
            found = Node(row(found.markup, operator("="), right.markup), found.text + "==" + right.text)
        return found

    def over(self, word):
        """sum over j of ..., sum of ...: of the product that follows."""
        self.take()
        below = None
        if self.peek() == "over":
            self.take()
            below = [self.take()]
            while self.peek() != "of":
                below.append(self.take())
            if not all(word.isalpha() for word in below):
                raise NoFormula(" ".join(below))
        self.take("of")
        body = self.products()
        shown = operator(LARGE[word]) if word in LARGE else f"<mi>{word}</mi>"
        if below:
            names = [each for each in below if each not in ("and", "the")]
            shown = f"<munder>{shown}{row(operator(',').join(f'<mi>{each}</mi>' for each in names))}</munder>"
        return Node(row(shown, '<mspace width="0.2em"/>', body.markup), word + "".join(["over", *below] if below else []) + "of" + body.text)

    def factor(self):
        token, after = self.peek(), self.peek(1)
        if token in LARGE | dict.fromkeys(NAMED) and after in ("over", "of"):
            return self.over(token)
        self.take()
        if token in PHRASES:
            return Node(f"<mtext>{token}</mtext>", re.sub(r"\s", "", token), True)
        if token == "(":
            inner = self.single(")")
            found = Node(brackets("(", inner.markup, ")"), f"({inner.text})", True)
            found.inner = inner
            return found
        if token == "[":  # 1 where a relation holds, 0 elsewhere
            inner = self.single("]")
            return Node(brackets("[", inner.markup, "]"), f"[{inner.text}]", True)
        if token == "|":
            self.bars += 1
            inner = self.sums()
            self.take("|")
            self.bars -= 1
            return Node(row('<mo stretchy="true" form="prefix">|</mo>', inner.markup, '<mo stretchy="true" form="postfix">|</mo>'), f"|{inner.text}|", True)
        if token[0].isdigit():
            mantissa, _, exponent = token.partition("e")
            return Node(f"<mn>{mantissa}</mn>" if not exponent else row(f"<mn>{mantissa}</mn>", operator("·"), f"<msup><mn>10</mn><mn>{exponent.replace('-', '−')}</mn></msup>"), token, True)
        if not token[0].isalpha() or token in WORDS | LARGE.keys():
            raise NoFormula(token)
        if token in APPLIED and self.peek() is not None and self.tokens[self.at][1] and self.begins(self.peek()):
            argument = self.power()
            return Node(row(name(token), operator("\u2061", False), '<mspace width="0.2em"/>', argument.markup), token + argument.text)
        return self.named(token)

    def named(self, token):
        """A name, with its indices or its arguments where they follow without a space."""
        found = Node(name(token), token, True)
        found.bare = self.peek() not in ("(", "[") or self.tokens[self.at][1]
        while self.peek() in ("(", "[") and not self.tokens[self.at][1]:
            closing = ")" if self.take() == "(" else "]"
            inner = self.inside(closing)
            text = ",".join(each.text for each in inner)
            shown = "<mo separator='true'>,</mo>".join(each.markup for each in inner)
            if closing == "]":
                found = Node(f"<msub>{found.markup if found.simple else row(found.markup)}{row(shown)}</msub>", f"{found.text}[{text}]", True)
            elif token == "sqrt":
                found = Node(f"<msqrt>{shown}</msqrt>", f"sqrt({text})", True)
            elif token in ("floor", "ceil"):
                left, right = "⌊⌋" if token == "floor" else "⌈⌉"
                found = Node(brackets(left, shown, right), f"{token}({text})", True)
            else:
                found = Node(row(found.markup, operator("\u2061", False), brackets("(", shown, ")")), f"{found.text}({text})")
        return found


def bare(node):
    """Without the parentheses that a fraction or an exponent makes needless."""
    return row((node.inner or node).markup)


def formula(text, relation=True):
    """The MathML of a formula, or None."""
    try:
        found = Reader(text).whole(relation)
    except NoFormula:
        return None
    if found.text != re.sub(r"\s", "", text):
        return None
    return f'<math displaystyle="true" alttext="{html.escape(text, quote=True)}">{found.markup}</math>'


def quantity(text):
    """The MathML of a name with its indices or arguments, or None."""
    try:
        reader = Reader(text)
        found = reader.factor()
    except NoFormula:
        return None
    return f'<math alttext="{html.escape(text, quote=True)}">{found.markup}</math>' if reader.peek() is None else None


def wording(text):
    """The HTML of words, in which what stands between backticks is code and a relation at the end a formula."""
    for match in re.finditer(r"(?<= )(?=\S)", text):
        found = formula(text[match.start():])
        if found:
            return wording(text[:match.start()].rstrip()) + " " + found
    return "<span>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text)) + "</span>"


def separated(text, relation):
    """The HTML of formulas between commas, of which each states something; None where one does not."""
    for match in re.finditer(r", ", text):
        found = formula(text[:match.start()], relation)
        rest = found and part(text[match.end():], True)
        if rest:
            return f"{found}<span>,&#8195;</span> {rest}"
    return None


def part(text, relation=True):
    """The HTML of a part of a line between separators: a label, a formula, a remark. None where it has a formula that is not understood."""
    label = LABEL.match(text)
    if label:
        rest = part(text[label.end():], False)
        return rest and f"<span>{html.escape(label[1])}</span> {rest}"
    found = formula(text, relation) or separated(text, relation)
    if found:
        return found
    for i in range(len(text)):
        found = REMARK.match(text, i) and formula(text[:i], relation)
        if found:
            return f"{found}{wording(text[i:])}"
    stated = STATED.fullmatch(text)
    left = stated and quantity(stated[1])
    return left and f"{left} <span>{stated[2].replace('(=|+=)', '=│+=')} {html.escape(stated[3])}</span>"


def line(text):
    """The HTML of a line, or None where any of it is not understood. Words between formulas may stand only after a formula."""
    text = re.sub(r"\s+=\s+", " = ", text.strip().rstrip(",;:"))
    text = re.sub(r"^([\w ,]*:)\s+", r"\1 ", text)
    pieces, shown = PARTS.split(text), []
    if len(pieces) == 1 and not LABEL.match(text) and "*" in text and "=" not in text:
        return part(text, False)
    for i, piece in enumerate(pieces):
        found = f"<span>{html.escape(piece.strip())}&#8195;</span>" if i % 2 else part(piece)
        if found is None and i and WORDING.fullmatch(piece):
            found = wording(piece)
        if found is None:
            return None
        shown.append(found)
    return " ".join(shown)


def meanings(lines):
    """Rows of a name and what it is, whose second column begins at one place, as HTML: the name, empty where the line goes on, and what it is.
    None where the lines are not such rows, or have no formula."""
    first = re.match(r"\S(?:.*?\S)? {2,}(?=\S)", lines[0])
    rows, found = [], False
    for text in lines if first else ():
        left, right = text[:first.end()], text[first.end():]
        name = left.strip()
        if not right or right[0] == " " or name and (left[-2:] != "  " or not NAME.fullmatch(name)):
            return None
        set_name, set_right = quantity(name) if "[" in name else None, line(right)
        found = found or bool(set_name) or bool(set_right)
        name = name and (set_name or f"<span>{html.escape(name)}</span>")
        rows.append((name, set_right or wording(right)))
    return rows if found and len(rows) > 1 and all(name or i for i, (name, _) in enumerate(rows)) else None


def block(lines):
    """Markdown of the lines of a block, or None where less than half of them are formulas. A line that goes on in the next one, with more spaces, is text."""
    rows = meanings(lines)
    if rows:
        return ["```{raw} html", '<div class="formulas"><dl>', *(f"<dt>{name}</dt><dd>{what}</dd>" if name else f"<dd>{what}</dd>" for name, what in rows), "</dl></div>", "```"]
    least = min((len(text) - len(text.lstrip()) for text in lines), default=0)
    goes_on = [text.startswith(" " * (least + 1)) for text in lines]
    shown = [None if goes_on[i] or any(goes_on[i + 1:i + 2]) else line(text) for i, text in enumerate(lines)]
    if 2 * shown.count(None) > len(lines):
        return None
    rows = [f"<p>{made}</p>" if made else f'<p class="plain">{html.escape(text)}</p>' for text, made in zip(lines, shown)]
    return ["```{raw} html", '<div class="formulas">', *rows, "</div>", "```"]
