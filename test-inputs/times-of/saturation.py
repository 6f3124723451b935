"""The best share of the warps that a P100 holds, by predicted times, for each number of uncoalesced accesses in saturation.c."""

import json
import subprocess
import sys

MULTIPROCESSORS, WARPS, WARPS_OF_TEAM = 56, 64, 2
# Of much the same, the fewest.
MUCH_THE_SAME = 1.05

ipda, report = sys.argv[1:]


def seconds(function: str, teams: int) -> float:
    """How long the device takes with so many teams for each multiprocessor."""
    sizes = ["-D", "n=5000", "-D", f"num_teams={teams * MULTIPROCESSORS}", "--resident"]
    command = [ipda, "predict", report, "--gpu", "p100", "--region", function, *sizes, "--format", "json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)["regions"][0]["device"][0]["seconds"]


for accesses in (1, 2, 4, 8, 10):
    times = {teams: seconds(f"of_{accesses}", teams) for teams in (1, 2, 4, 8, 16, 32)}
    best = min(teams for teams, time in times.items() if time <= min(times.values()) * MUCH_THE_SAME)
    print(f"uncoalesced accesses: {accesses}, best occupancy: {100 * best * WARPS_OF_TEAM / WARPS:.1f} %")
