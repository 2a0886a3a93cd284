"""What the annotations of a descriptor's field say of its values: ranges, element types, conditions and refusals."""
import re

from generators.expressions import Node, Wrong, condition, parse, typed

MOST_ELEMENTS = 1 << 59  # of a tensor: the most of a range that states none


class Bounds:
    """ADJ_RANGE of a real number. above, below: the bound itself is refused; expected: the range in words."""
    BOUND = r"(-?infinity|-?\d+(?:\.\d+)?)"

    def __init__(self, member):
        text = member.notes["RANGE"]
        match = re.fullmatch(f"finite|(above )?{self.BOUND}(?:, (below )?{self.BOUND})?", text)
        if not match:
            member.fault("ADJ_RANGE of a real number takes finite, or [above] a least value and [below] a most")
        above, least, below, most = match.groups()
        self.least, self.most = least or "-infinity", most or "infinity"
        self.above, self.below, self.finite = bool(above), bool(below), most is None
        ends = [f"above {least}" if above else f"from {least}" if least and least != "-infinity" else "",
                f"below {most}" if below else f"to {most}" if most and most != "infinity" else ""]
        words = ", ".join(filter(None, ends)) if above or below else " ".join(filter(None, ends)) or "but no NaN" * (not self.finite)
        self.said = f"{words} on" if words.startswith("from") and not ends[1] else words
        self.expected = " ".join(filter(None, ["a finite number" if self.finite else "a number", self.said]))


def conditions(m, scope):
    """{"ONLY_IF": node, "TYPES": node that is true of the types, "REFUSE": [(node, condition, words)]} of a field, checked."""
    found = {}
    if "TYPES" in m.notes:
        try:
            for node in parse(m.notes["TYPES"]):
                if typed(node, scope).kind != "type":
                    raise Wrong("expected element types")
                same = Node("==", Node("name", m.name), node)
                found["TYPES"] = Node("||", found["TYPES"], same) if "TYPES" in found else same
        except Wrong as wrong:
            m.fault(f"ADJ_TYPES: {wrong}")
    refused = [("ONLY_IF", m.notes["ONLY_IF"], None)] if "ONLY_IF" in m.notes else []
    for text in m.notes.get("REFUSE", []):
        match = re.fullmatch(r'(.*), "([^"]*[^".])"', text)
        if not match:
            m.fault("ADJ_REFUSE takes a condition, and why in quotation marks, without a period")
        refused.append(("REFUSE", *match.groups()))
    for note, text, words in refused:
        try:
            nodes = parse(text)
            if len(nodes) != 1:
                raise Wrong(f"expected one condition, found {len(nodes)}")
            condition(nodes[0], scope)
        except Wrong as wrong:
            m.fault(f"ADJ_{note}: {wrong}")
        if words is None:
            found[note] = nodes[0]
        else:
            found.setdefault(note, []).append((nodes[0], text, words))
    return found


def about_field(m):
    """What is said of a field: its comment, its range and types, whether it must be given, what a type of 0 stands for, and what refuses it."""
    said = [m.comment]
    if "RANGE" in m.notes and m.range:
        least, most = m.range
        said.append(f">= {least}" if most == MOST_ELEMENTS else f"{least} to {most}")
        if m.default == "-1" and least > -1:
            said.append("must be given")
    if m.bounds:
        said.append(m.bounds.said or "finite")
    if "TYPES" in m.notes:
        said.append(m.notes["TYPES"])
    if "ZERO_IS" in m.notes:
        said.append(f"0 = {m.notes['ZERO_IS']}")
    if "ONLY_IF" in m.notes:
        said.append(f"only if {m.notes['ONLY_IF']}")
    said += [f"refused if {text}" for text in refusals_of(m)]
    return "; ".join(filter(None, said))


def refusals_of(m):
    """The refusals of a field, each as "condition: why"."""
    return [re.sub(r', "([^"]*)"$', r": \1", text) for text in m.notes.get("REFUSE", [])]
