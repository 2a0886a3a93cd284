"""Results as JSON of one record a line, so that a change of the tree shows which records it changes."""
import json

import files


def text(report):
    """A JSON list of records, or an object whose lists of objects are such lists: each record a line, every other entry a line."""
    def of(value):
        if isinstance(value, list) and any(isinstance(record, dict) for record in value):
            return "[\n" + ",\n".join(json.dumps(record) for record in value) + "\n]"
        return json.dumps(value)

    if not isinstance(report, dict):
        return of(report) + "\n"
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {of(value)}" for key, value in report.items()) + "\n}\n"


def write(path, report):
    files.write(path, text(report))
