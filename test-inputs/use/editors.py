"""Whether docs/editors.md's problem matcher takes every line of `ipda report --format gcc`, and whether the other forms say the same.

editors.py IPDA PAGE REPORT..."""

import json
import re
import subprocess
import sys

ipda, page, *reports = sys.argv[1:]


def printed(form):
    return subprocess.run([ipda, "report", *reports, "--format", form], check=True, capture_output=True, text=True).stdout


text = open(page, encoding="utf-8").read()
block = text.split("<!-- example:begin matcher -->")[1].split("<!-- example:end matcher -->")[0]
tasks = json.loads(block.strip().removeprefix("```json").removesuffix("```"))
pattern = tasks["tasks"][0]["problemMatcher"]["pattern"]
matched = []
for line in printed("gcc").splitlines():
    found = re.match(pattern["regexp"], line)
    assert found, f"no match: {line}"
    part = {name: found[pattern[name]] for name in ("file", "line", "column", "severity", "message", "code")}
    assert part["severity"] in ("warning", "note") and part["message"], line
    matched.append((part["file"], int(part["line"]), part["code"]))
assert matched, "nothing was matched"

log = json.loads(printed("sarif"))
assert log["version"] == "2.1.0"
(run,) = log["runs"]
rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
places = []
for result in run["results"]:
    assert result["ruleId"] in rules and result["level"] in ("warning", "note") and result["message"]["text"]
    for place in [*result["locations"], *result.get("relatedLocations", [])]:
        physical = place["physicalLocation"]
        region = physical["region"]
        assert region["startLine"] >= 1 and region.get("startColumn", 1) >= 1
        places.append((physical["artifactLocation"]["uri"], region["startLine"], result["ruleId"]))
    for fix in result.get("fixes", []):
        for change in fix["artifactChanges"]:
            for piece in change["replacements"]:
                deleted = piece["deletedRegion"]
                start, end = ((deleted[which + "Line"], deleted[which + "Column"]) for which in ("start", "end"))
                assert (1, 1) <= start <= end and piece["insertedContent"]["text"]
assert places == matched, (places, matched)
problems = json.loads(printed("codequality"))
assert {(each["location"]["path"], each["location"]["lines"]["begin"], each["check_name"]) for each in problems} <= set(matched)
assert len({each["fingerprint"] for each in problems}) == len(problems)
print(f"{len(matched)} places, {sum('fixes' in result for result in run['results'])} with a fix")
