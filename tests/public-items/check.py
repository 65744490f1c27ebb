"""Counts the public items of the crates and the openings of their doc comments; fails above a ceiling.

A public item is what rustdoc shows with default features and a user can name: modules, structs, enums, traits, functions, constants,
type aliases and macros that are reachable from the crate's root, their inherent methods and constants, and the methods that a trait
declares. Items behind #[doc(hidden)], fields, variants, implementations of traits and re-exports of other crates are not counted. An
item that is reachable by several paths counts once.

The share is that of doc comments in the sources, public or not, whose first word is What, Who, Where, How or Whether.

    python3 tests/public-items/check.py            checks the ceilings
    python3 tests/public-items/check.py --list     prints every public item too
"""

import json
import os
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent

# Folder, ceiling of public items, ceiling of the share of such openings in per cent. A change may lower a ceiling; to raise one is a
# decision about the surface that users must learn and that semver freezes.
CRATES = {
    "isostep-core": ("core", 423, 0.5),
    "isostep-rollback": ("rollback", 383, 0.5),
    "isostep-netcode": ("netcode", 156, 0.5),
}
# Ceiling over all of them.
TOTAL = 962

COUNTED = {"module", "struct", "enum", "union", "trait", "function", "constant", "static", "type_alias", "macro", "proc_macro"}
OPENING = re.compile(r"(What|Who|Where|How|Whether)\b")


def documentation(crate):
    """The crate's rustdoc JSON."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    subprocess.run(
        ["cargo", "rustdoc", "--quiet", "--lib", "-p", crate, "--", "-Zunstable-options", "--output-format", "json"],
        cwd=root, check=True, env={**os.environ, "RUSTDOC": str(here / "rustdoc")})
    return json.loads((target / "doc" / f"{crate.replace('-', '_')}.json").read_text())


def public_items(doc):
    """Paths of all public items, sorted; an item that is reachable by several paths has the first."""
    index, found = doc["index"], {}

    def visit(item_id, path):
        item = index.get(str(item_id))
        if item is None or str(item_id) in found:
            return
        (kind, inner), = item["inner"].items()
        if kind == "use":
            if inner["is_glob"]:
                visit_children(inner["id"], path)
            elif inner["id"] is not None:
                visit(inner["id"], path[:-1] + [inner["name"]])
            return
        if kind in COUNTED:
            found[str(item_id)] = (kind, "::".join(path))
        if kind == "module":
            visit_children(item_id, path)
        elif kind in ("struct", "enum", "union"):
            for impl_id in inner["impls"]:
                implementation = index[str(impl_id)]["inner"]["impl"]
                if implementation["trait"] is None:
                    for method in implementation["items"]:
                        associated(method, path)
        elif kind == "trait":
            for method in inner["items"]:
                associated(method, path)

    def associated(item_id, path):
        item = index.get(str(item_id))
        # Rustdoc leaves out private and hidden ones.
        if item is not None:
            found[str(item_id)] = (next(iter(item["inner"])), "::".join(path + [item["name"]]))

    def visit_children(module_id, path):
        module = index.get(str(module_id))
        if module is None:
            return
        for child in module["inner"]["module"]["items"]:
            item = index.get(str(child))
            if item is not None:
                visit(child, path + [item["name"] or ""])

    visit_children(doc["root"], [index[str(doc["root"])]["name"]])
    return sorted(found.values(), key=lambda item: item[1])


def openings(folder):
    """Numbers of doc comments in the sources, and of those that open with a question word."""
    comments = asking = 0
    for file in sorted((root / folder / "src").rglob("*.rs")):
        before = ""
        for line in file.read_text().splitlines():
            line = line.strip()
            marker = line[:3] if line[:3] in ("///", "//!") else ""
            if marker and marker != before:
                comments += 1
                asking += bool(OPENING.match(line[3:].strip()))
            before = marker
    return comments, asking


def main():
    problems, total = [], 0
    print(f"{'crate':<18} {'public items':>12} {'ceiling':>8} {'doc comments':>13} {'What/Who/Where/How/Whether':>27}")
    for crate, (folder, ceiling, share_ceiling) in CRATES.items():
        items = public_items(documentation(crate))
        comments, asking = openings(folder)
        share = 100 * asking / comments
        total += len(items)
        print(f"{crate:<18} {len(items):>12} {ceiling:>8} {comments:>13} {share:>25.1f} %")
        if "--list" in sys.argv:
            print("\n".join(f"  {path}  ({kind})" for kind, path in items))
        if len(items) > ceiling:
            problems.append(f"{crate} has {len(items)} public items, {len(items) - ceiling} above its ceiling: make them pub(crate), "
                            "or move what only our crates need into the crate's `internals`")
        if share > share_ceiling:
            problems.append(f"{folder}/src: {share:.1f} % of doc comments open with a question word, more than {share_ceiling} %: "
                            "open them with a noun or a verb")
    print(f"{'all':<18} {total:>12} {TOTAL:>8}")
    if total > TOTAL:
        problems.append(f"all crates together have {total} public items, {total - TOTAL} above the ceiling")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
