"""A graph as a picture, in the language of Graphviz."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

_COLORS = {"cpu": "blue", "gpu": "#76b900", "mixed": "cyan"}


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_of(nodes: Sequence[Mapping[str, Any]], show_tensors: bool, use_colors: bool) -> str:
    """A box an operator, or an ellipse where boxes are tensors; dashed lines are arguments."""
    lines = ["digraph pipeline {"]
    shown: set[tuple[int, int]] = set()
    for number, node in enumerate(nodes):
        color = f", color={_quoted(_COLORS.get(node['device'], 'black'))}" if use_colors else ""
        shape = "" if show_tensors else ", shape=box"
        lines.append(f"  n{number} [label={_quoted(node['name'] or node['op'])}{shape}{color}];")
        edges = [(tuple(edge), "") for edge in node["inputs"]]
        edges += [(tuple(edge), f" [label={_quoted(key)}, style=dashed]") for key, edge in node["tensors"].items()]
        for (source, output), style in edges:
            start = f"n{source}"
            if show_tensors:
                start = f"t{source}_{output}"
                if (source, output) not in shown:
                    shown.add((source, output))
                    lines.append(f'  {start} [label="{output}", shape=box];')
                    lines.append(f"  n{source} -> {start};")
            lines.append(f"  {start} -> n{number}{style};")
    return "\n".join([*lines, "}"]) + "\n"
