"""Prints a report: one table a row, contenders below each other, then the ratios."""

from typing import Any

METRICS = {
    "images_per_cpu_second": ("img/CPU-s", "{:.0f}"),
    "images_per_second": ("img/s", "{:.0f}"),
    "reads_per_second": ("reads/s", "{:.0f}"),
    "stats_per_second": ("stats/s", "{:.0f}"),
    "pairs_per_cpu_second": ("alloc+free/CPU-s", "{:.0f}"),
    "pairs_per_second": ("alloc+free/s", "{:.0f}"),
    "ns_per_pair": ("CPU ns each", "{:.1f}"),
    "steps_per_second": ("steps/s", "{:.1f}"),
    "steps_per_cpu_second": ("steps/CPU-s", "{:.1f}"),
    "gflop_per_second": ("GFLOP/s", "{:.1f}"),
    "gflop_per_cpu_second": ("GFLOP/CPU-s", "{:.1f}"),
    "call_ns": ("ns a call", "{:.0f}"),
    "tasks_per_second": ("tasks/s", "{:.0f}"),
    "push_ns": ("ns a push", "{:.0f}"),
    "task_ns": ("ns a task", "{:.0f}"),
    "peak_mib": ("peak MiB", "{:.0f}"),
    "kept_mib": ("MiB at the end", "{:.0f}"),
    "queued_bytes": ("bytes a queued task", "{:.0f}"),
    "kept_bytes": ("kept after the wait", "{:.0f}"),
    "step_us": ("us a step", "{:.1f}"),
    "step_cpu_us": ("CPU us a step", "{:.1f}"),
    "put_us": ("us to put", "{:.1f}"),
    "second_us": ("us the second", "{:.0f}"),
    "finish_ms": ("ms to finish", "{:.2f}"),
    "enqueue_ms": ("ms to enqueue", "{:.3f}"),
    "both_ms": ("ms both", "{:.1f}"),
    "device_ms": ("ms device alone", "{:.1f}"),
    "cpu_ms": ("ms CPU alone", "{:.1f}"),
    "copies_ms": ("ms copies alone", "{:.1f}"),
    "times_the_longer": ("times the longer", "{:.2f}"),
    "gb_per_cpu_second": ("GB/CPU-s", "{:.1f}"),
    "gigabytes_per_second": ("GB/s", "{:.2f}"),
    "cpu_seconds_per_gigabyte": ("CPU-s/GB", "{:.3f}"),
    "direct": ("direct reads", "{:.2f}"),
    "measured_passes": ("pays from passes", "{:.1f}"),
    "predicted_passes": ("predicted", "{:.1f}"),
    "records_ns": ("records ns", "{:.2f}"),
    "columns_ns": ("columns ns", "{:.2f}"),
    "convert_ns": ("convert ns", "{:.2f}"),
    "allocation_share": ("allocation, %", "{:.1f}"),
    "first_batch_s": ("first batch s", "{:.3f}"),
    "peak_rss_mib": ("peak RSS MiB", "{:.0f}"),
    "psnr_db": ("PSNR dB", "{:.1f}"),
    "other_targets": ("other targets", "{:.0f}"),
    "bytes_copied_per_batch": ("copied/batch", "{:.0f}"),
    "seconds": ("s", "{:.3f}"),
    "files_per_second": ("files/s", "{:.0f}"),
    "first_step_s": ("first step s", "{:.2f}"),
    "second_step_s": ("second s", "{:.2f}"),
    "failed_jobs": ("jobs failed", "{:.0f}"),
    "lost_samples": ("lost", "{:.0f}"),
    "repeated_samples": ("twice", "{:.0f}"),
    "idle_1": ("idle 1, %", "{:.1f}"),
    "idle_2": ("idle 2, %", "{:.1f}"),
    "images_per_second_1": ("img/s 1", "{:.0f}"),
    "images_per_second_2": ("img/s 2", "{:.0f}"),
    "job_s": ("job s", "{:.1f}"),
    "requests_per_cpu_second": ("requests/CPU-s", "{:.0f}"),
    "requests_per_second": ("requests/s", "{:.0f}"),
    "p99_ms": ("p99 ms", "{:.2f}"),
    "p50_ms": ("p50 ms", "{:.2f}"),
    "rate": ("at requests/s", "{:.0f}"),
    "unanswered": ("unanswered", "{:.0f}"),
    "cpu_us": ("CPU us each", "{:.1f}"),
    "preprocessing_ms": ("preprocessing ms", "{:.2f}"),
    "inference_ms": ("inference ms", "{:.2f}"),
    "transport_ms": ("transport ms", "{:.2f}"),
    "waiting_ms": ("waiting ms", "{:.2f}"),
    "requests": ("requests", "{:.0f}"),
    "upstream_mb": ("MB upstream", "{:.1f}"),
    "wire_share": ("wire share", "{:.3f}"),
    "object_share": ("object share", "{:.3f}"),
    "cpu_s": ("CPU, s", "{:.1f}"),
    "mb_per_second": ("MB/s", "{:.1f}"),
    "objects_per_second": ("objects/s", "{:.0f}"),
    "stored_s": ("s until stored", "{:.2f}"),
    "serving_cpu_us": ("CPU us serving", "{:.1f}"),
    "own_cpu_seconds": ("CPU-s of the command", "{:.3f}"),
    "state_bytes": ("state bytes", "{:.0f}"),
    "resume_ms": ("resume ms", "{:.2f}"),
}


def cell(metric: str, value: float | None) -> str:
    return "-" if value is None else METRICS[metric][1].format(value)


def grid(header: list[str], lines: list[list[str]], markdown: bool) -> list[str]:
    """Lines of text with aligned columns: the first to the left, the others to the right."""
    widths = [max(len(line[column]) for line in [header, *lines]) for column in range(len(header))]

    def draw(line: list[str]) -> str:
        cells = [text.ljust(width) if column == 0 else text.rjust(width)
                 for column, (text, width) in enumerate(zip(line, widths))]
        return f"| {' | '.join(cells)} |" if markdown else "  ".join(cells)

    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    drawn = [draw(line) for line in lines]
    return [draw(header), draw(rule), *drawn] if markdown else [draw(header), *drawn]


def row_names(report: dict[str, Any]) -> list[str]:
    names: dict[str, None] = {}
    for contender in report["contenders"].values():
        names.update(dict.fromkeys(contender["rows"]))
    return list(names)


def row_table(report: dict[str, Any], row: str, markdown: bool) -> list[str]:
    measured = {name: one["rows"][row] for name, one in report["contenders"].items() if row in one["rows"]}
    metrics = [metric for metric in METRICS if any(metric in values for values in measured.values())]
    header = [row, *(METRICS[metric][0] for metric in metrics), "forebay is"]
    lines = []
    for name, values in sorted(measured.items(), key=lambda item: -item[1].get(metrics[0], 0)):
        ratio = report["ratios"].get(f"forebay/{name}", {}).get(row, {}).get(metrics[0])
        lines.append([name, *(cell(metric, values.get(metric)) for metric in metrics),
                      f"{ratio:.2f}x" if ratio else "-"])
    return grid(header, lines, markdown)


def text(report: dict[str, Any], markdown: bool = False) -> str:
    """The whole report."""
    machine = report["machine"]
    lines = [f"{machine['processor']}, {machine['cores']} cores, Linux {machine['kernel']}, "
             f"forebay {machine['forebay']} ({machine['revision']}), {machine['rounds']} rounds, medians"]
    for row in row_names(report):
        lines += ["", *row_table(report, row, markdown)]
    lines.append("")
    for name, contender in report["contenders"].items():
        versions = ", ".join(f"{library} {version}" for library, version in contender["versions"].items())
        lines.append(f"{name}: {versions}" if not markdown else f"* {name}: {versions}")
    lines += [f"absent: {name} ({why})" for name, why in report["absent"].items()]
    return "\n".join(lines)
