# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The style sheet of the HTML report, for light and dark, for wide screens, phones and paper."""

from __future__ import annotations

# Tables have roles because `display: grid` removes their meaning in some browsers. If a browser cannot place the
# content of an opened cell in a separate row (::details-content), the plain table stays and scrolls.
STYLE = """\
:root {
  color-scheme: light dark;
  --page: #fff; --text: #1b2026; --quiet: #59636e; --line: #d5dbe1; --soft: #f5f7f9; --link: #0b57b0;
  --enabled: #dff2e3; --enabled-text: #14532d; --new: #ffdf99; --new-text: #522f00; --new-edge: #c27803;
  --requested: #d6e6ff; --requested-text: #0a3a78; --requested-edge: #3b7bd6; --bad: #ffe3e0; --bad-text: #8a1414;
  --bad-edge: #d03535;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181d; --text: #e4e8ec; --quiet: #a0abb6; --line: #353d46; --soft: #1c2228; --link: #84b8ff;
    --enabled: #173a25; --enabled-text: #b4e8c4; --new: #5a3d00; --new-text: #ffe3a6; --new-edge: #d99a1b;
    --requested: #17345c; --requested-text: #cbe0ff; --requested-edge: #5b95e8; --bad: #4c1a1a; --bad-text: #ffd3cf;
    --bad-edge: #e5604d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 3.5rem; }
body {
  margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; text-wrap: balance; }
h1 { font-size: 1.75rem; }
h2 { font-size: 1.35rem; margin-top: 3.5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.15rem; margin-top: 2.75rem; }
p, ul, dl { margin: .5rem 0; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible {
  outline: 3px solid var(--requested-edge); outline-offset: 2px; border-radius: 3px;
}
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
pre {
  background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem;
  white-space: pre-wrap;
}
summary { cursor: pointer; }
.quiet { color: var(--quiet); }
.mark {
  display: inline-block; font-size: .8rem; font-weight: 600; padding: 0 .4rem; border-radius: 3px;
  background: var(--requested); color: var(--requested-text);
}
.plans { table-layout: fixed; }
.plans th:first-child { width: 8rem; }
.plans th:nth-child(2) { width: 5rem; }
.plans th:last-child { width: 14rem; }
.rows th, .rows .mark { white-space: nowrap; }
.go { background: var(--enabled); color: var(--enabled-text); }
.caution { background: var(--new); color: var(--new-text); }
.acknowledge { background: var(--requested); color: var(--requested-text); }
.risk { background: var(--new); color: var(--new-text); }
.blocked { background: var(--bad); color: var(--bad-text); }
.verdict { border-left: 5px solid currentColor; border-radius: 4px; padding: .75rem 1rem; margin: 1rem 0; }
.verdict a { color: inherit; }
.verdict p { margin: .25rem 0 0; }
.facts { display: grid; grid-template-columns: 12rem 1fr; gap: .4rem 1rem; margin: 1rem 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; }
.facts .mean { display: block; color: var(--quiet); font-size: .875rem; }
.legend {
  display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; list-style: none; padding: 0; margin-top: 1.75rem;
  font-size: .875rem; color: var(--quiet);
}
.legend b { display: inline-block; padding: 0 .5rem; border-radius: 3px; }
.legend .disabled, .legend .enabled { font-weight: 400; }

table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
thead th { font-size: .875rem; color: var(--quiet); font-weight: 600; }
.scroll { overflow-x: auto; margin: .5rem 0 .75rem; }
.matrix th[scope=row] { font-weight: 500; }
.matrix td, .matrix thead th + th { text-align: center; font-variant-numeric: tabular-nums; }
.unknown, .disabled { color: var(--quiet); }
.unknown { font-weight: 700; }
.enabled { background: var(--enabled); color: var(--enabled-text); }
.newly_enabled, .newly_enabled summary, .newly_requested, .newly_requested summary { font-weight: 700; }
.newly_enabled { background: var(--new); color: var(--new-text); }
.newly_requested { background: var(--requested); color: var(--requested-text); }
.newly_enabled.opens, .newly_requested.opens { padding: 0; }
.matrix summary { padding: .4rem .5rem; list-style: none; height: 100%; }
.matrix summary::-webkit-details-marker { display: none; }
.matrix summary small { font-size: .8rem; font-weight: 400; }
.matrix summary small::after { content: " \\25BE" / ""; }
.matrix details[open] > summary small::after { content: " \\25B4" / ""; }
.matrix summary:hover small { text-decoration: underline; }
.causes {
  text-align: left; padding: .75rem 1rem 1rem; min-width: min(20rem, 75vw); color: var(--text);
  background: var(--page); font-weight: 400;
}
.causes > p:first-child { margin-top: 0; }

.change { margin: 1rem 0 .25rem; font-weight: 600; }
.resources { list-style: none; padding: 0; margin: 0; border-top: 1px solid var(--line); font-size: .9rem; }
.resources li {
  display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 0 1rem; padding: .3rem 0;
  border-bottom: 1px solid var(--line);
}
.resources b { font-weight: 600; }
.resources code { color: var(--quiet); }
.listing:target { outline: 3px solid var(--requested-edge); outline-offset: 6px; border-radius: 2px; }
.fold { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
.fold > summary { padding: .5rem .9rem; }
.fold > summary:hover { background: var(--soft); }
.fold > div { padding: 0 .9rem .9rem; }
.problems { list-style: none; padding: 0; }
.problems li { border-left: 4px solid var(--line); padding: .15rem 0 .15rem .9rem; margin: 1rem 0; }
.problems .error { border-color: var(--bad-edge); }
.problems .warning { border-color: var(--new-edge); }
.problems p { margin: .1rem 0; }
.fleet { content-visibility: auto; contain-intrinsic-size: auto 60rem; }

@supports selector(::details-content) {
  .matrix, .matrix thead, .matrix tbody { display: block; }
  .scroll { overflow: visible; container-type: inline-size; }
  .scroll.wide { overflow-x: auto; }
  .matrix tr {
    display: grid; grid-template-columns: minmax(13rem, 15rem) repeat(var(--columns), minmax(6rem, 1fr));
    border-bottom: 1px solid var(--line);
  }
  .matrix tr > *, .matrix summary { grid-row: 1; border: 0; }
  .matrix summary { padding: .4rem .25rem; }
  .matrix thead { position: sticky; top: 0; z-index: 2; background: var(--page); }
  .matrix tr > td { border-left: 2px solid var(--page); }
  .matrix td.opens, .matrix td.opens > details { display: contents; }
  .matrix .opens summary { border-left: 2px solid var(--page); }
  .matrix .newly_enabled summary { background: var(--new); box-shadow: inset 0 3px var(--new-edge); }
  .matrix .newly_requested summary { background: var(--requested); box-shadow: inset 0 3px var(--requested-edge); }
  .matrix details::details-content { grid-column: 1 / -1; }
  .matrix .causes {
    position: sticky; left: 0; width: 100cqi; min-width: 0; border-left: 4px solid var(--new-edge);
    margin: .25rem 0 .75rem;
  }
  .matrix .newly_requested .causes { border-left-color: var(--requested-edge); }
  .wide th:first-child { position: sticky; left: 0; z-index: 1; background: var(--page); }
}
@media (max-width: 44rem) {
  main { padding-top: 1.25rem; }
  h1 { font-size: 1.4rem; }
  .facts, .resources li { grid-template-columns: minmax(0, 1fr); }
  .facts { gap: 0; }
  .facts dd { margin-bottom: .6rem; }
  .plans, .rows, :is(.plans, .rows) :is(tbody, tr, td) { display: block; border: 0; padding: 0; }
  .plans thead, .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .plans tr, .rows tr { border-bottom: 1px solid var(--line); padding: .75rem 0; }
  .plans td::before, .rows td::before { content: attr(data-label) ": "; color: var(--quiet); }
  .plans th { display: block; border: 0; padding: 0; }
  @supports selector(::details-content) {
    .matrix tr { grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); padding: .4rem 0 .5rem; }
    /* A long path would hide the last releases: its cells form lines of four, each with its release. */
    .wide .matrix tr { grid-template-columns: repeat(4, minmax(0, 1fr)); grid-auto-flow: row dense; }
    .wide .matrix tr > td, .wide .matrix summary { border-top: 2px solid var(--page); }
    .wide [data-label]::before { content: attr(data-label); display: block; font-size: .75rem; font-weight: 400; }
    .matrix tr > *, .matrix summary { grid-row: 2; padding: .2rem 0; font-size: .9rem; }
    .matrix tr > th:first-child { grid-row: 1; grid-column: 1 / -1; font-size: 1rem; }
    .wide .matrix tr > td, .wide .matrix summary { grid-row: auto; }
    .matrix thead th:first-child { display: none; }
    .wide .matrix thead {
      position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    }
    .matrix summary small { display: block; font-size: .75rem; line-height: 1.3; }
    .causes { padding: .25rem 0 .5rem .75rem; }
  }
}
@media print {
  :root { color-scheme: light; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .matrix thead { position: static; }
  .enabled, .newly_enabled, .newly_requested, .verdict, .mark, .matrix summary {
    print-color-adjust: exact; -webkit-print-color-adjust: exact;
  }
  details::details-content { content-visibility: visible; block-size: auto; }
  h2, h3, .change { break-after: avoid; }
  tr, li, .verdict { break-inside: avoid; }
  .fleet { content-visibility: visible; }
  .up { display: none; }
}
"""
