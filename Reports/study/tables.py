"""Tables of the studies in Markdown, and their places between `<!-- name -->` and `<!-- end -->`."""


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def write_tables(page, made):
    """Replaces the lines of the places of a page that `made` has texts for."""
    lines, kept, out = page.read_text().split("\n"), True, []
    for line in lines:
        name = line.removeprefix("<!-- ").removesuffix(" -->") if line.startswith("<!-- ") else None
        kept = kept or name == "end"
        if kept:
            out.append(line)
        if name in made:
            out.append(made[name])
            kept = False
    page.write_text("\n".join(out))
