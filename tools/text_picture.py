#!/usr/bin/env python3
"""Renders text as an SVG: text_picture.py < text > picture.svg"""
import sys
from xml.sax.saxutils import escape

lines = sys.stdin.read().rstrip("\n").split("\n")
width = max(map(len, lines)) * 8.0 + 32
height = len(lines) * 18 + 32
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}">')
print(f'<rect width="100%" height="100%" rx="8" fill="#14181f"/>')
print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" fill="#d8dee9" xml:space="preserve">')
for i, line in enumerate(lines):
    length = f' textLength="{len(line) * 8}" lengthAdjust="spacingAndGlyphs"' if line.strip() else ""
    print(f'<text x="16" y="{28 + i * 18}"{length}>{escape(line)}</text>')
print("</g>\n</svg>")
