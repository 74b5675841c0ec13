"""A drawing in SVG that brings its own background, light or dark as the reader's system is."""

from xml.sax.saxutils import escape

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.paper { fill: #ffffff; } .axis, .grid { stroke: #8c959f; fill: none; } .grid { stroke-opacity: .35; }
.small { font-size: 11px; } .title { font-size: 14px; font-weight: 600; }
.clarion { --c: #0969da; } .base { --c: #6e7781; } .nchan { --c: #1a7f37; } .hummingbird { --c: #bc4c00; } .starlette { --c: #8250df; }
.line { stroke: var(--c); stroke-width: 2; fill: none; } .mark { fill: var(--c); }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .paper { fill: #0d1117; } .axis, .grid { stroke: #8b949e; }
  .clarion { --c: #58a6ff; } .base { --c: #b1bac4; } .nchan { --c: #56d364; } .hummingbird { --c: #f0883e; } .starlette { --c: #bc8cff; }
}
"""


class Drawing:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f'<rect class="paper" width="{width}" height="{height}" rx="6"/>',
        ]

    def text(self, x, y, words, anchor="start", kind=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(words)}</text>')

    def line(self, points, kind):
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline class="{kind}" points="{joined}"/>')

    def dot(self, x, y, kind):
        self.parts.append(f'<circle class="mark {kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')

    def bar(self, x, y, width, height, kind):
        self.parts.append(f'<rect class="mark {kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height}" rx="2"/>')

    def write(self, path):
        path.write_text("\n".join([*self.parts, "</svg>"]) + "\n")
