"""Draws how many measured times lie within the spreads of their predictions, by spread: an SVG with a panel for each machine."""

import html
import math
import statistics

# A group has the cases whose spreads are up to this factor, and above that of the group before.
GROUPS = (1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.5, math.inf)
# By name in halves.csv: what it is called, and its colour.
HALVES = {"open": ("looked at", "#0072b2"), "kept": ("only judged", "#c14a00"), "-": ("others", "#555555")}
LEFT, ABOVE, WIDTH, HEIGHT, PANEL = 75, 62, 570, 230, 360
LARGEST = 5.0


def share_inside(cases):
    return sum(case.factor <= case.within for case in cases) / len(cases)


def groups_of(cases):
    """Of the cases whose spreads are alike: the median of these, and the cases."""
    least = 0.0
    for most in GROUPS:
        if group := [case for case in cases if least < case.within <= most]:
            yield statistics.median(case.within for case in group), group
        least = most


def text(x, y, words, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html.escape(words)}</text>'


def panel(top, name, cases):
    above, below, right = top + ABOVE, top + ABOVE + HEIGHT, LEFT + WIDTH

    def x_of(spread):
        return LEFT + WIDTH * math.log(min(spread, LARGEST)) / math.log(LARGEST)

    def y_of(share):
        return below - HEIGHT * share

    middle, end = ' text-anchor="middle"', ' text-anchor="end"'
    yield text(LEFT, top + 24, name, ' font-weight="bold"')
    yield f'<rect x="{LEFT}" y="{y_of(0.85):.1f}" width="{WIDTH}" height="{HEIGHT * 0.1:.1f}" fill="#d8ead8"/>'
    for share in (0, 0.25, 0.5, 0.75, 1):
        yield f'<line x1="{LEFT}" y1="{y_of(share):.1f}" x2="{right}" y2="{y_of(share):.1f}" stroke="#cccccc"/>'
        yield text(LEFT - 8, y_of(share) + 4, f"{100 * share:.0f} %", end)
    for spread in (1, 1.2, 1.5, 2, 3, 4, 5):
        yield f'<line x1="{x_of(spread):.1f}" y1="{below}" x2="{x_of(spread):.1f}" y2="{below + 5}" stroke="#333333"/>'
        yield text(x_of(spread), below + 19, f"{spread}", middle)
    yield text(LEFT + WIDTH / 2, below + 38, "spread: the factor that a prediction may be off by", middle)
    yield text(20, above + HEIGHT / 2, "measured times inside", f'{middle} transform="rotate(-90 20 {above + HEIGHT / 2:.1f})"')
    yield text(right - 6, below - 8, "band: 75 to 85 % are meant; areas: cases", f'{end} fill="#555555"')
    at = LEFT + 6
    for half, (title, colour) in HALVES.items():
        of_half = [case for case in cases if case.half == half]
        if not of_half:
            continue
        yield f'<circle cx="{at}" cy="{top + 44}" r="5" fill="{colour}" fill-opacity="0.6" stroke="{colour}"/>'
        yield text(at + 12, top + 48, f"{title}: {100 * share_inside(of_half):.0f} % of {len(of_half)}")
        at += 200
        for spread, group in groups_of(of_half):
            share = share_inside(group)
            yield (
                f'<circle cx="{x_of(spread):.1f}" cy="{y_of(share):.1f}" r="{2 + math.sqrt(len(group)):.1f}" fill="{colour}" fill-opacity="0.6"'
                f' stroke="{colour}"><title>{title}: {100 * share:.0f} % of {len(group)} cases, spread {spread:.2f}</title></circle>'
            )


def picture(machines):
    """Of the cases of each machine, by name."""
    width, height = LEFT + WIDTH + 25, PANEL * len(machines)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
        "<title>How many measured times lie within the spreads of their predictions</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for at, (name, cases) in enumerate(machines.items()):
        lines += panel(at * PANEL, name, cases)
    return "\n".join([*lines, "</svg>", ""])
