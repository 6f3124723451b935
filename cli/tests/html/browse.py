"""Uses the pages of `ipda report --html` in a headless Chromium, through its own protocol over a pipe; see scripts/html-check.

Ends with a line `N passed, N failed`.
"""

import argparse
import base64
import fcntl
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time
import urllib.parse

PATIENCE = 60  # seconds, for one answer of the browser, and for one page
SOON = 10  # seconds, for the page to show what was asked of it


class BrowserError(RuntimeError):
    """The browser failed, which says nothing of the pages."""


class Browser:
    """One tab. Messages end with a zero byte; the browser reads them from descriptor 3 and writes to 4."""

    def __init__(self, program, folder):
        ours, theirs = [], []
        for to_browser in (True, False):
            # High numbers: 3 and 4 are the browser's.
            read, write = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe())
            ours.append(write if to_browser else read)
            theirs.append(read if to_browser else write)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        redirect = f'exec 3<&{theirs[0]} 4>&{theirs[1]}; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", redirect, "bash", program, *arguments, "about:blank"],
            pass_fds=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for end in theirs:
            os.close(end)
        self.write, self.read = ours
        self.pending, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        try:
            os.write(self.write, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            raise BrowserError(f"the browser ended before {method}") from None
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def next(self):
        while b"\0" not in self.pending:
            if not select.select([self.read], [], [], PATIENCE)[0]:
                raise BrowserError("the browser does not answer")
            part = os.read(self.read, 1 << 16)
            if not part:
                raise BrowserError("the browser ended")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, path):
        # By way of an empty page, so that only the address's fragment never is what changes.
        for url in ("about:blank", "file://" + urllib.parse.quote(str(path))):
            answer = self.call("Page.navigate", url=url)
            if "errorText" in answer:
                raise RuntimeError(f"{url}: {answer['errorText']}")
            self.until_loaded(answer["loaderId"])

    def until_loaded(self, loader):
        """Waits for the event: a question to a page that is about to be replaced may be answered by an error."""
        def loaded(event):
            at = event.get("params", {})
            return event.get("method") == "Page.lifecycleEvent" and at["name"] == "load" and at["loaderId"] == loader

        if not any(map(loaded, self.events)):
            self.events.append(self.next())
            while not loaded(self.events[-1]):
                self.events.append(self.next())

    def window(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def middle(self, selector):
        # Two frames later the page has scrolled and said so.
        return self.js(
            f"(async () => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "for (const _ of [1, 2]) await new Promise(requestAnimationFrame);"
            "const b = e.getClientRects()[0]; return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )

    def mouse(self, kind, place, button="none"):
        self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button=button, clickCount=1)

    def hover(self, selector):
        self.mouse("mouseMoved", self.middle(selector))

    def click(self, selector):
        place = self.middle(selector)
        self.mouse("mouseMoved", place)
        self.mouse("mousePressed", place, "left")
        self.mouse("mouseReleased", place, "left")

    def key(self, key):
        code = {"Enter": 13, "Escape": 27, "Tab": 9}.get(key, 0)
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except BrowserError:
            pass  # it may be gone before it has answered
        try:
            self.process.wait(SOON)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write)
        os.close(self.read)


# Text against what is behind it: the ratio of WCAG 2, of which 4.5 is asked for.
CONTRAST = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = (color) => color.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  let worst = [99, ""];
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility() || ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    let behind = element, back = [0, 0, 0, 0];
    while (behind && !(back = rgb(getComputedStyle(behind).backgroundColor))[3]) behind = behind.parentElement;
    const style = getComputedStyle(element), front = rgb(element.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst[0]) worst = [ratio, element.outerHTML.slice(0, 100)];
  }
  return worst;
})()"""

# The page, and the panel with each entry in turn, all of it open.
WIDER_THAN = """(() => {
  const page = document.documentElement, panel = document.getElementById("panel"), wide = [];
  const check = (what, element) => { if (element.scrollWidth > element.clientWidth) wide.push(what); };
  check("page", page);
  page.classList.add("open");
  for (const entry of [...document.querySelectorAll(".entry")].slice(0, 60)) {
    for (const each of entry.querySelectorAll("details")) each.open = true;
    entry.classList.add("on");
    check(entry.id, panel);
    entry.classList.remove("on");
  }
  page.classList.remove("open");
  return wide;
})()"""


# What axe-core has against the page, each rule with the first element that breaks it.
FAULTS = """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) =>
  violations.map(({id, impact, nodes}) => `${id} (${impact}): ${nodes[0].html.slice(0, 100)}`))"""


class Checks:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def that(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"browse: not so: {what}", file=sys.stderr)

    def soon(self, browser, expression, expected, what):
        """What the page answers becomes what is expected, a value or a condition: a click takes a moment to show. Returns the answer."""
        holds = expected if callable(expected) else lambda answer: answer == expected
        until = time.monotonic() + SOON
        while not holds(answer := browser.js(expression)) and time.monotonic() < until:
            time.sleep(0.05)
        self.that(holds(answer), f"{what}: {answer!r}")
        return answer


def make_pages(ipda, data, folder):
    """The test data of the program's tests, with sources, one of them hostile, and five hundred regions."""
    reports, sources = folder / "reports", folder / "sources"
    reports.mkdir()
    sources.mkdir()
    for name in ("gemm", "kernel", "kinds", "empty"):
        (reports / f"{name}.yaml").write_text((data / f"{name}.yaml").read_text())
    gemm = (data / "gemm.yaml").read_text()
    head, region = gemm.split("regions:\n")
    many = "".join(
        region.replace("line: 1", f"line: {number + 1}1").replace("function: gemm", f"function: gemm_{number}")
        for number in range(500)
    )
    (reports / "many.yaml").write_text(head.replace("gemm.c", "many.c") + "regions:\n" + many.replace("gemm.c", "many.c"))
    evil = "</script><script>window.bad=1</script><img src=x onerror=window.bad=2>" + "long_" * 60
    (reports / "evil.yaml").write_text(
        gemm.replace("gemm.c", "evil.c").replace("function: gemm", f'function: "{evil}"').replace("object: A", f'object: "{evil}"')
        .replace("object: C", f"object: {'c' * 300}").replace("processor: sm_80", f'processor: "{evil}"')
    )
    both = (data / "built" / "mvt.yaml").read_text()
    (reports / "host.yaml").write_text(both)
    (reports / "device.yaml").write_text(both.replace("side: host", "side: device").replace("x86_64-pc-linux-gnu", "nvptx64-nvidia-cuda"))
    (sources / "mvt.c").write_text((data / "built" / "mvt.c").read_text())
    (reports / "changed.yaml").write_text((data / "built" / "gather.yaml").read_text())
    (sources / "gather.c").write_text((data / "built" / "gather.c").read_text() + "// more\n")
    (sources / "gemm.c").write_text("".join(f"    x += right[{line}] + left[{line}] + more[{line}];\n" for line in range(1, 21)))
    (sources / "evil.c").write_text(f"{evil}\n" * 20)
    pages = folder / "pages"
    subprocess.run([ipda, "report", "--html", pages, "--source", sources, reports], check=True)
    timed = [data.parent / "predict" / "gemm.yaml", "--cpu", "epyc-milan"]
    subprocess.run([ipda, "report", "--html", folder / "timed", *timed], check=True)
    (folder / "timed" / "gemm.c.html").rename(pages / "times.html")
    return pages


def everyone_can_use_it(browser, pages, checks, axe):
    """axe-core's rules, with the panel closed and open."""
    for page in sorted(pages.glob("*.html")):
        if page.name == "many.c.html":
            continue  # minutes
        for width, dark in ((1400, False), (1400, True), (400, False), (400, True)):
            browser.window(width, 900, dark)
            browser.open(page)
            browser.js(f"{axe}; 0")
            for panel in ("closed", "open"):
                if panel == "open":
                    browser.js("document.querySelector('#panel') && document.querySelector('.m, .rows td a')?.click()")
                faults = browser.js(FAULTS)
                checks.that(not faults, f"{page.name}, {width} wide, {panel}: axe-core finds no fault: {faults}")
    browser.js("document.body.insertAdjacentHTML('beforeend', '<img src=x>')")
    checks.that(browser.js(FAULTS), "axe-core finds a picture without words")


def every_page_fits(browser, pages, checks, shots):
    for page in sorted(pages.glob("*.html")):
        for width, dark in ((1300, False), (1300, True), (400, False), (400, True)):
            what = f"{page.name}, {width} wide, {'dark' if dark else 'light'}"
            browser.window(width, 900, dark)
            browser.open(page)
            wider = browser.js(WIDER_THAN)
            checks.that(not wider, f"{what}: nothing is wider than the window: {wider}")
            if page.name != "many.c.html":
                ratio, where = browser.js(CONTRAST)
                checks.that(ratio >= 4.5, f"{what}: all text can be read: {ratio:.2f} of {where}")
            checks.that(browser.js("window.bad === undefined"), f"{what}: no script of a report runs")
            if shots:
                browser.screenshot(shots / f"{page.stem}-{width}-{'dark' if dark else 'light'}.png")
    wrong = [event for event in browser.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
    checks.that(not wrong, f"scripts run without errors: {wrong[:1]}")
    requests = {event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"}
    outside = [url for url in requests if not url.startswith("file:") and url != "about:blank"]
    checks.that(not outside, f"nothing is asked of a network: {outside[:1]}")


def an_address_is_shared(browser, pages, checks):
    """A page that is opened at a place, loaded again, and left by the browser's own buttons, shows that place; titles sort tables."""
    shown = "((document.querySelector('.entry.on') || {dataset: {}}).dataset.at)"

    def soon(expression, expected, what):
        return checks.soon(browser, expression, expected, what)

    def load(url):
        for each in ("about:blank", url):
            browser.until_loaded(browser.call("Page.navigate", url=each)["loaderId"])

    url = "file://" + urllib.parse.quote(str(pages / "gemm.c.html"))
    load(url + "#gemm.c:17:31")
    soon(shown, "gemm.c:17:31", "an address with a place shows it")
    soon("document.querySelector('.m.on').getBoundingClientRect().top >= 0", True, "with its line in sight")
    browser.call("Page.reload")
    time.sleep(0.3)
    soon(shown, "gemm.c:17:31", "and so after the page is loaded again")
    browser.click(".l .m.may")
    other = soon(shown, lambda at: at not in (None, "gemm.c:17:31"), "a click shows another place")
    soon("decodeURI(location.hash)", f"#{other}", "whose address is that of the page")
    browser.js("history.back()")
    soon(shown, "gemm.c:17:31", "back leads to the place before")
    browser.js("history.forward()")
    soon(shown, other, "forward leads to the other one")
    load(url + "#e2")
    soon(shown, bool, "an address with a number shows its entry")
    load(url + "#nothing%")
    soon(shown, None, "an address of nothing shows nothing")
    soon("document.documentElement.classList.contains('js')", True, "and the page lives")
    browser.key("j")
    soon(shown, bool, "its keys among others")

    titles = "[...document.querySelectorAll('.rows')].at(-2).querySelectorAll('th button')"
    column = "[...[...document.querySelectorAll('.rows')].at(-2).querySelectorAll('tbody tr')].map((row) => row.cells[1].textContent)"
    before = browser.js(column)
    browser.js(f"{titles}[1].click()")
    soon(f"JSON.stringify({column})", lambda now: json.loads(now) == sorted(before), "a click on a title sorts")
    browser.js(f"{titles}[1].click()")
    soon(f"JSON.stringify({column})", lambda now: json.loads(now) == sorted(before, reverse=True), "another one the other way round")
    marks = "Math.max(...[...document.querySelectorAll('.l')].map((line) => line.querySelectorAll('.m').length))"
    soon(marks, 1, "a line has one mark")
    soon("document.querySelectorAll('.heat').length", lambda count: count > 1, "lines show their part of the waste")
    browser.click("#filter")
    for key in "gemm":
        browser.key(key)
    rows = "[...document.querySelectorAll('tbody tr')].filter((row) => !row.hidden).length"
    soon(rows, lambda left: left >= len(before), "words find the rows of a function")


def a_page_is_used(browser, pages, checks, shots):
    shown = "(document.querySelector('.entry.on') || {}).id"
    focus = "document.activeElement.className"

    def shot(name):
        if shots:
            browser.screenshot(shots / f"used-{name}.png")

    def soon(expression, expected, what):
        return checks.soon(browser, expression, expected, what)

    def display(name):
        return f"getComputedStyle(document.getElementById('{name}')).display"

    def count(selector):
        return f"document.querySelectorAll({json.dumps(selector)}).length"

    def text(selector):
        return f"(document.querySelector({json.dumps(selector)}) || {{}}).innerText || ''"

    def some(answer):
        return bool(answer)

    browser.window(1300, 900)
    browser.open(pages / "gemm.c.html")
    browser.hover(".l .m.may")
    soon(display("tip"), "block", "a glance shows the tip")
    soon("!!document.querySelector('#tip svg use')", True, "with the picture")
    shot("glance")
    browser.click(".l .m.may")
    first = soon(shown, some, "a click on a mark shows an entry")
    soon("(document.querySelector('.m.on') || {}).hash", f"#{first}", "that of the mark")
    soon(text(".entry.on"), lambda entry: "sectors" in entry, "with its sectors")
    soon("document.querySelector('.entry.on svg').getBoundingClientRect().height", lambda height: height > 50, "and its picture")
    shot("clicked")
    browser.key("j")
    soon(shown, lambda entry: entry not in (None, first), "j shows the next")
    browser.key("k")
    soon(shown, first, "k shows the one before")
    soon(focus, lambda name: "m " in name, "and the mark has the focus")
    browser.key("Enter")
    soon(focus, lambda name: "entry" in name, "Enter leads to the panel")
    browser.key("Escape")
    soon(shown, None, "Escape closes the entry")
    soon(focus, lambda name: "m " in name, "and leads back to the mark")
    browser.click(".l .m.loop")
    soon(count(".entry.on .lp"), 3, "a loop shows its nest")
    browser.click(".entry.on .lp a.chip")
    soon(count(".entry.on .verdict"), some, "a sign in the nest leads to the access")
    browser.click(".l .m.reg")
    soon(text(".entry.on"), lambda entry: "registers" in entry, "a region shows what its code needs")
    shot("region")
    browser.click(".rows td a")
    soon(count(".entry.on"), 1, "a row of a table shows its entry")

    an_address_is_shared(browser, pages, checks)
    browser.open(pages / "gemm.c.html")
    background = "getComputedStyle(document.body).backgroundColor"
    light = browser.js(background)
    browser.click("#theme")
    browser.click("#theme")
    soon(background, lambda color: color != light, "the button makes it dark")
    shot("dark-by-button")
    browser.click("#theme")
    soon(background, light, "and as the system again")

    rows = "[...document.querySelectorAll('tbody tr')].filter((row) => !row.hidden).length"
    before = browser.js(rows)
    browser.click("#filter")
    for key in "uniform":
        browser.key(key)
    soon("document.getElementById('filter').value", "uniform", "keys are no commands in the field")
    soon(rows, lambda left: 0 < left < before, "words leave only rows that have them")

    browser.window(400, 800)
    browser.open(pages / "gemm.c.html")
    soon(display("panel"), "none", "narrow: no panel at first")
    browser.click(".l .m.may")
    soon("document.getElementById('panel').getBoundingClientRect().bottom", 800, "narrow: the panel is at the bottom")
    shot("narrow")
    browser.click("#close")
    soon(display("panel"), "none", "narrow: it can be closed")

    browser.window(1300, 900)
    browser.open(pages / "times.html")
    browser.click(".l .m.reg") if browser.js("!!document.querySelector('.l .m.reg')") else browser.click(".rows td a[href='#e0']")
    drawn = "[...document.querySelectorAll('.entry.on .hostline')].map((line) => line.getBoundingClientRect().width)[0] || 0"
    soon(drawn, lambda width: width > 100, "times are drawn")
    browser.click(".entry.on .parts")
    shot("times")
    browser.open(pages / "kernel.cu.html")
    browser.key("j")
    soon(shown, some, "without a source the keys go through the table")
    browser.open(pages / "many.c.html")
    soon(count(".rows details"), 3, "five hundred regions are folded")
    browser.click(".rows summary")
    browser.click(".rows details td a")
    soon(shown, some, "and can be opened")
    shot("many")
    browser.open(pages / "mvt.c.html")
    soon(count("h2.unit"), 2, "both sides of a source have one page")
    browser.click("nav li:nth-of-type(2) a")
    soon("location.hash", "#c1", "a link leads to the other side")
    browser.click("#c1 ~ section.file .l .m.reg")
    second = soon(shown, some, "a mark of the other side shows its entry")
    soon(text(".entry.on"), lambda entry: "What helps" in entry, "a refusal says what helps")
    browser.click("section.file .l .m.reg")
    soon(shown, lambda entry: entry not in (None, second), "each side has its own entries")
    shot("both-sides")
    browser.open(pages / "gather.c.html")
    soon("document.body.innerText", lambda page: "has changed since" in page, "a source that has changed is reported")
    shot("changed")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(pages / "gemm.c.html")
    entries = browser.js(count(".entry"))
    visible = "[...document.querySelectorAll('.entry')].filter((entry) => entry.checkVisibility()).length"
    soon(visible, lambda seen: 0 < seen == entries, "without scripts all entries stand below the source")
    shot("no-script")


def look(arguments, pages, folder):
    """All checks, with one browser."""
    checks = Checks()
    browser = Browser(arguments.browser, folder)
    try:
        every_page_fits(browser, pages, checks, arguments.screenshots)
        if arguments.axe:
            everyone_can_use_it(browser, pages, checks, arguments.axe.read_text())
        a_page_is_used(browser, pages, checks, arguments.screenshots)
    finally:
        browser.close()
    return checks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--browser", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--axe", type=pathlib.Path, help="axe.min.js of axe-core, whose rules the pages must keep as well")
    parser.add_argument("ipda", nargs="?", default="target/release/ipda")
    arguments = parser.parse_args()
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        pages = make_pages(arguments.ipda, arguments.data, folder)
        try:
            checks = look(arguments, pages, folder / "profile")
        except BrowserError as error:
            # A browser that fails has shown nothing, neither good nor bad; twice is no chance.
            print(f"browse: {error}; once more, with a new browser", file=sys.stderr)
            checks = look(arguments, pages, folder / "second-profile")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
