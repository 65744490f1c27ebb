"""Fails unless clippy notices every ban of clippy.toml in the fixture, line by line.

Each line of src/lib.rs that breaks a ban ends in a comment with the banned path. Every path in clippy.toml
must have such a line, and clippy must complain about each of them.
"""

import json
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).parent
root = here.parent.parent

banned = set(re.findall(r'path = "([^"]+)"', (root / "clippy.toml").read_text()))
source = (here / "src/lib.rs").read_text().splitlines()
expected = {n: line.rsplit("// ", 1)[1] for n, line in enumerate(source, 1) if re.search(r"; // |\) // ", line)}

run = subprocess.run(
    ["cargo", "clippy", "--quiet", "--offline", "--message-format=json", "--manifest-path", here / "Cargo.toml",
     "--target-dir", root / "target/lint-fixture", "--", "-W", "clippy::disallowed_types",
     "-W", "clippy::disallowed_methods", "-W", "clippy::disallowed_macros"],
    capture_output=True, text=True)
noticed = set()
for line in run.stdout.splitlines():
    message = json.loads(line).get("message") or {}
    code = (message.get("code") or {}).get("code", "")
    if code.startswith("clippy::disallowed_"):
        # By name too: a line may break a ban on a type beside one on its method.
        path = re.search("`(.+?)`", message["message"])[1]
        noticed |= {(span["line_start"], path) for span in message["spans"]}

problems = [f"clippy.toml bans {path}, but no line of the fixture breaks that" for path in banned - set(expected.values())]
problems += [f"line {n}: clippy does not notice {path}" for n, path in expected.items() if (n, path) not in noticed]
if run.returncode != 0 and not noticed:
    problems.append(run.stderr.strip())
print("\n".join(problems) or f"clippy notices all {len(banned)} bans")
sys.exit(bool(problems))
