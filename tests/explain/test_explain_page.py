"""The page that `weft explain --html` writes: complete, safe, and alive in a real browser."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

from explained_kernels import CONDITIONAL, DCT

from weft.explain.explain import explain
from weft.explain.html import page

VOID = {"meta", "br", "path", "rect", "stop"}

# What the browser is asked to do: use the page as a person would, and write down what happened.
PROBE = """
<script>
const errors = [];
addEventListener("error", (e) => errors.push(String(e.message)));
addEventListener("securitypolicyviolation", (e) => errors.push("refused " + e.blockedURI));
const seen = (e) => { const box = e.getBoundingClientRect(); return box.width > 0 && box.height > 0; };
const all = (s) => [...document.querySelectorAll(s)];
const click = (e) => e.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const result = {};
result.blocks = all(".block").filter(seen).length;
result.lines = all(".source tr").filter(seen).length;
for (const [i, tab] of all(".panel [data-shows]").entries()) {
  click(tab);
  result["blocks" + i] = all(".block").filter(seen).length;
}
click(all(".panel [data-shows]")[1]);
click(document.getElementById("kernel-0-line-23"));
result.lit = all(".block.hot").map((e) => e.querySelector("title").textContent);
click(document.getElementById("kernel-0-line-23"));
result.unlit = all(".hot").length;
const block = all(".drawing:not([hidden]) .block[data-lines~='33']")[0];
click(block);
result.lit_lines = all("tr.hot[id]").map((e) => e.id);
result.instructions = document.querySelector(".drawing:not([hidden]) .instructions").textContent;
const svg = document.querySelector(".drawing:not([hidden]) svg");
const before = svg.getBoundingClientRect().width;
click(document.querySelector("[data-zoom=in]"));
result.zoomed = svg.getBoundingClientRect().width / before;
result.fills = all(".drawing:not([hidden]) .block:not(.plain):not(.barrier) rect")
  .map((e) => getComputedStyle(e).fill).filter((f, i, a) => a.indexOf(f) === i).length;
result.wide = document.documentElement.scrollWidth - innerWidth;
result.requests = performance.getEntriesByType("resource").map((e) => e.name);
result.errors = errors;
const out = document.createElement("pre");
out.id = "result";
out.textContent = JSON.stringify(result);
document.body.append(out);
</script>
"""


class Outline(HTMLParser):
    """Checks that elements are closed as they were opened, and collects ids and references."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.wanted: list[str] = []
        self.outside: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            elif name == "data-shows":
                self.wanted.append(value)
            elif name == "data-node":
                self.wanted.append(f"text-{value}")
            elif name in ("src", "href", "action", "data"):
                self.outside.append(value)
            self.wanted += re.findall(r"url\(#([^)]*)\)", value or "")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def browser() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def test_page_is_well_formed_and_refers_to_nothing_outside():
    for report in (explain(DCT, "dct.cl"), explain(CONDITIONAL, "c.cl"), explain("nonsense", "n.cl")):
        text = page(report)
        outline = Outline(text)
        assert len(set(outline.ids)) == len(outline.ids)
        assert set(outline.wanted) <= set(outline.ids)
        assert outline.outside == []
        assert not re.search(r"https?://|@import|url\((?!#)", text)


def test_page_shows_every_block_line_and_fact():
    report = explain(DCT, "dct.cl")
    (kernel,) = report.kernels
    text = page(report)
    assert text.count('class="block') == sum(len(g.nodes) for g in kernel.graphs)
    assert text.count("<tr id=") == len(DCT.split("\n"))
    for words in ("loop interchanged", "dct8x8: varying", "carried around the loop at 20", "b2 barrier"):
        assert words in text
    written = re.findall(r'<g class="block barrier written"', text)
    assert len(written) == len(kernel.graphs)  # solid outlines, as in the paper's Fig. 8


def test_source_cannot_break_out_of_the_page():
    source = (
        "// </script><script>alert(1)</script> <b>\n"
        "kernel void k(global int *a, int n) {\n    if (n < 3 && n > 1) a[0] = n; /* \"'&amp; */\n}\n"
    )
    text = page(explain(source, "<img src=x>.cl"))
    assert text.count("<script>") == 1 and "<img" not in text and "<b>\n" not in text
    assert "&lt;/script&gt;" in text
    Outline(text)


def test_comment_over_several_lines_stays_a_comment():
    text = page(explain("/* one\n two */\nkernel void k(global int *a) { a[0] = 0x1Fu; }\n"))
    assert '<span class="c">/* one</span>' in text and '<span class="c"> two */</span>' in text
    assert '<span class="n">0x1Fu</span>' in text


def test_page_works_in_a_browser(tmp_path: Path):
    """Drives a browser over the page; without one the page's text must at least hold what it would show."""
    report = explain(DCT, "dct.cl")
    text = page(report)
    kernel = report.kernels[0]
    program = browser()
    if program is None:
        Outline(text)
        assert 'data-zoom="in"' in text and "addEventListener" in text
        return
    file = tmp_path / "page.html"
    file.write_text(text.replace("</body>", f"{PROBE}</body>"))
    finished = subprocess.run(
        [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", "--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1400,1200", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    match = re.search(r'<pre id="result">(.*?)</pre>', finished.stdout, re.DOTALL)
    assert match, finished.stderr[-2000:]
    result = json.loads(match[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert result["errors"] == [] and result["requests"] == []
    assert "CONSOLE" not in finished.stderr
    # The graph with the regions is shown first; each tab shows its own.
    assert result["blocks"] == len(kernel.graphs[1].nodes)
    assert [result[f"blocks{i}"] for i in range(3)] == [len(g.nodes) for g in kernel.graphs]
    assert result["lines"] == len(DCT.split("\n"))
    # A click on a line lights the blocks of that line, a second one puts the light out.
    assert result["lit"] and all("for.body.i" in name for name in result["lit"])
    assert result["unlit"] == 0
    # A click on a block lights its lines and shows its instructions.
    assert "kernel-0-line-33" in result["lit_lines"]
    assert "load float" in result["instructions"]
    assert result["zoomed"] > 1.2
    assert result["fills"] >= len(kernel.regions)
    assert result["wide"] <= 0
