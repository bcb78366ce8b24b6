"""Writes docs/operators/*.md, a page for each group of operators, from the operator table, with the pictures of
tools/operator_pictures, and docs/stores.md from the tables of options.

    generate_docs.py [--check]     --check: writes nothing, fails when a page or a picture is not as it would be
"""

from __future__ import annotations

import pathlib
import sys

import check_documents
from operator_pictures import files as picture_files, table as picture_table

from forebay import _core
from forebay.compat import operators as dali_operators
from forebay.enum_arguments import LIKES
from forebay.fn import generate

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
PICTURES = DOCS / "pictures" / "operators"
SCOPES = {
    "sample": "each sample by itself",
    "group": "a few samples of a batch at once; each gets the bits that it gets alone",
    "batch": "the whole batch: results may depend on the batch size",
    "expand": "gives none, one or many samples for each",
    "source": "gives samples",
}


def cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def shown_type(parameter: generate.Row) -> str:
    """Enumerations by their own names."""
    text = generate.annotation_of(parameter)
    for enum, like in LIKES.items():
        text = text.replace(like, enum)
    return text


def picture_of(name: str) -> list[str]:
    """The picture and what it shows, if the operator has one."""
    row = picture_table.ROWS.get(name)
    if row is None:
        return []
    return [f"![What fn.{name} does](../pictures/operators/{name}{picture_files.SUFFIX})", "", row.caption(), ""]


def operator_section(row: generate.Row) -> str:
    lines = [f"## fn.{row['name']}", "", row["doc"], "", *picture_of(row["name"])]
    facts = [f"Scope: {SCOPES[row['scope']]}.", "Exact: the same bits everywhere." if row["is_exact"] else "Close."]
    if row["source"]:
        facts.append(f"Matches {row['source']}.")
    if row["is_random"]:
        facts.append("Random: takes `seed`.")
    older = [f"`fn.{old}`" for old, name in generate.old_names().items() if name == row["name"]]
    if older:
        facts.append(f"Also under the older name {' and '.join(older)}.")
    lines += [" ".join(facts), ""]
    if row["inputs"]:
        lines += [f"* input `{name}`: {cell(doc)}" for name, doc in row["inputs"]]
    lines += [f"* gives: {cell(row['output_doc'])}", ""]
    if row["parameters"]:
        lines += ["| argument | type | default | |", "|---|---|---|---|"]
    for parameter in row["parameters"]:
        default = "required" if parameter["is_required"] else f"`{generate.default_of(parameter)!s}`"
        doc = parameter["doc"]
        if parameter["choices"]:
            doc += " One of " + ", ".join(f"`{choice}`" for choice in parameter["choices"]) + "."
        kind = cell(shown_type(parameter))
        lines.append(f"| `{parameter['name']}` | {kind} | {default} | {cell(doc)} |")
    return "\n".join(lines) + "\n"


def group_of(name: str) -> str:
    """The page that the operator is on."""
    return name.rpartition(".")[0] or "general"


def link_to(name: str) -> str:
    return f"[fn.{name}]({group_of(name)}.md#fn{name.replace('.', '')})"


def pages() -> dict[str, str]:
    groups: dict[str, list[generate.Row]] = {}
    for row in generate.table():
        groups.setdefault(group_of(row["name"]), []).append(row)
    result = {}
    for group, rows in groups.items():
        title = "Operators" if group == "general" else f"Operators of fn.{group}"
        intro = "Generated from the operator table. All operators also take `name` and `device`. A DALIDataType may also be"
        intro += " given as NumPy's type or by name (`np.float32`, `\"float32\"`), a DALIInterpType as `\"linear\"`, a"
        intro += " DALIImageType as `\"rgb\"`."
        result[f"{group}.md"] = f"# {title}\n\n{intro}\n\n" + "\n".join(operator_section(row) for row in rows)
    index = ["# Operators", "", "Generated from the operator table; `fn.external_source`, `fn.python_function`", ""]
    index[2] += " and their like are documented by `help()`."
    index += ["| operator | |", "|---|---|"]
    for group, rows in groups.items():
        for row in rows:
            index.append(f"| {link_to(row['name'])} | {cell(row['doc'])} |")
    index += ["", "[DALI's names](dali.md), [departures from DALI](departures.md), [image formats](formats.md),"]
    index.append("[sources of samples](sources.md)")
    result["README.md"] = "\n".join(index) + "\n"
    result["dali.md"] = dali_page()
    result["departures.md"] = departures_page()
    result = {f"operators/{name}": text for name, text in result.items()}
    result["stores.md"] = stores_page()
    return {name: check_documents.wrap(text) for name, text in result.items()}


def option_row(option: tuple[str, str, bool, str, str, list[str]]) -> str:
    name, text, is_secret, kind, default, variables = option
    places = ", ".join(f"`{variable}`" for variable in variables)
    shown = f"{kind}, secret" if is_secret else kind
    return f"| `{name}` | {shown} | {cell(default)} | {places} | {cell(text)} |"


def stores_page() -> str:
    """A section for the schemes that share a table."""
    schemes: dict[str, list[str]] = {}
    for scheme in _core.store_schemes():
        rows = "\n".join(option_row(option) for option in _core.store_options(scheme))
        schemes.setdefault(rows, []).append(f"{scheme}://")
    lines = ["# Options of stores", "", "Generated from the drivers' tables. `forebay mount --option NAME=VALUE` sets"]
    lines[-1] += " one for a mount; where none is given, the variables of the environment stand in, the first that is"
    lines[-1] += " set. Secrets are given by `--option-file`."
    for rows, names in schemes.items():
        if rows:
            lines += ["", "## " + ", ".join(names), ""]
            lines += ["| option | value | default | variables | |", "|---|---|---|---|---|", rows]
    return "\n".join(lines) + "\n"


def departures_page() -> str:
    lines = ["# Departures from DALI", "", "Generated from python/forebay/compat/departures.json.", ""]
    lines += ["| operator | here | why |", "|---|---|---|"]
    for each in dali_operators.departures():
        lines.append(f"| {cell(each.operator)} | {cell(each.departure)} | {cell(each.reason)} |")
    return "\n".join(lines) + "\n"


def dali_page() -> str:
    """Every name of DALI's, and what is here."""
    found = dali_operators.operators()
    described = {row["name"] for row in generate.table()}
    lines = ["# DALI's operators", "", "Generated from the names in the wheel of DALI, the operator table and the list of"]
    lines[-1] += " [departures](departures.md); `python -m forebay.compat --operators [--json]` prints the same."
    lines[-1] += f" Of the {len(found)} names of DALI {dali_operators.VERSION}:"
    lines += ["", "| state | names | |", "|---|---|---|"]
    for state, count in dali_operators.counts(found).items():
        lines.append(f"| {state} | {count} | {cell(dali_operators.STATES[state])} |")
    lines += ["", "Departures of all operators and of other parts of the interface do not count here. Ask for an"]
    lines[-1] += " operator that is absent, and the error says that DALI has it and Forebay does not."
    lines += ["", "| DALI | here | operator | family |", "|---|---|---|---|"]
    for each in found:
        name = f"`{each.name}`" if each.name.startswith(("ops.", "plugin.")) else f"`fn.{each.name}`"
        state = f"[departs](departures.md): {len(each.departures)}" if each.departures else each.state
        operator = link_to(each.operator) if each.operator in described else ""
        lines.append(f"| {name} | {state} | {operator} | {each.family} |")
    return "\n".join(lines) + "\n"


def is_written(path: pathlib.Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


def write_pages(stale: dict[str, str]) -> None:
    for name, text in stale.items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main() -> int:
    stale = {name: text for name, text in pages().items() if not is_written(DOCS / name, text)}
    if "--check" not in sys.argv:
        write_pages(stale)
        picture_files.write(PICTURES)
        return 0
    findings = [f"docs/{name} is not what tools/generate_docs.py writes; `make generate` calls it" for name in stale]
    findings += picture_files.findings(PICTURES)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
