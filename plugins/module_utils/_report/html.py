# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The report of an update plan as an HTML page: a Jinja2 template, rendered with autoescape."""

from __future__ import annotations

HTML = """\
{% macro names(list) %}
{% for name in list %}{{ name }}{{ ", " if not loop.last }}{% endfor %}
{% endmacro %}
{% macro listing(list) %}
{% if list.first %}
<div class="listing" id="list-{{ list.number }}">
{% if list.number in view.shared %}
<p class="quiet">List {{ list.number }}: {{ list.what }}</p>
{% endif %}
{% for group in list.groups %}
<p class="change">{{ group.title }}</p>
<ul class="resources">
{% for resource in group.resources %}
<li><span><b>{{ resource.kind }}</b> {{ resource.name }}\
{% if resource.group %} <span class="quiet">{{ resource.group }}</span>{% endif %}\
{% if resource.mark %} <span class="mark">{{ resource.mark }}</span>{% endif %}</span>
<code>{{ resource.file }}</code></li>
{% endfor %}
</ul>
{% endfor %}
</div>
{% else %}
<p>The same {{ list.what }} as in plan {{ list.plan }}: <a href="#list-{{ list.number }}">list {{ list.number }}</a></p>
{% endif %}
{% endmacro %}
{% macro state(cell, label) %}
{% if cell.causes %}
<td role="cell" class="{{ cell.state }} opens"><details>
<summary{% if label %} data-label="{{ label }}"{% endif %}>{{ cell.text }}
<small>{{ cell.note or "why" }}</small></summary>
<div class="causes">
{% for cause in cell.causes %}
<p>{{ cause.text }}{% if cause.source %} <span class="quiet">Source: {{ cause.source }}</span>{% endif %}</p>
{% if cause.listing %}
{{ listing(cause.listing) }}
{% endif %}
{% endfor %}
</div></details></td>
{% else %}
<td role="cell" class="{{ cell.state }}"{% if label %} data-label="{{ label }}"{% endif %}\
{% if cell.state == "unknown" %} aria-label="not known"{% endif %}>{{ cell.text }}</td>
{% endif %}
{% endmacro %}
{% macro legend() %}
<ul class="legend" aria-label="What the words in the tables mean">
<li><b class="unknown">·</b> the release does not know it</li>
<li><b class="off">off</b> known, off</li>
<li><b class="on">on</b> stays on</li>
<li><b class="turns-on">turns on</b> nobody asked for it</li>
<li><b class="requested">requested</b> turns on, the selection asks for it</li>
</ul>
{% endmacro %}
{% macro matrix(plan) %}
{% set label = "Capabilities of " ~ plan.path %}
{% if plan.releases | length > 5 %}
<div class="scroll wide" role="region" aria-label="{{ label }}" tabindex="0">
{% else %}
<div class="scroll">
{% endif %}
<table class="matrix" role="table" aria-label="{{ label }}" style="--columns:{{ plan.releases | length }}">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Capability</th>
{% for release in plan.releases %}
<th scope="col" role="columnheader">{{ "→ " if not loop.first }}{{ release }}</th>
{% endfor %}
</tr></thead>
<tbody role="rowgroup">
{% for row in plan.rows %}
<tr role="row"><th scope="row" role="rowheader">{{ row.name }}</th>
{% for cell in row.cells %}
{{ state(cell, plan.releases[loop.index0] if plan.releases | length > 5 else none) }}
{%- endfor %}
</tr>
{% endfor %}
</tbody>
</table>
</div>
{% endmacro %}
{% macro verdict(plan) %}
{% if plan.blocked %}
<div class="blocked"><b>Blocked:</b> the cluster-version operator refuses the update to \
{% for hop in plan.hops if hop.blocked_by %}\
<a href="#{{ hop.id }}">{{ hop.end }}</a>{{ ", " if not loop.last }}{% endfor %}.</div>
{% endif %}
<dl class="facts">
<dt>Selection</dt><dd>{{ plan.selection }}</dd>
<dt>Turns on</dt><dd>{% if plan.turns_on %}<b>{{ names(plan.turns_on) }}</b>{% else %}nothing{% endif %}</dd>
{% if plan.requested %}
<dt>Requested</dt><dd>{{ names(plan.requested) }}</dd>
{% endif %}
{% if plan.clusters | length > 5 %}
<dt>Clusters</dt>
<dd><details><summary>{{ "{:,}".format(plan.clusters | length) }} clusters</summary>\
{{ names(plan.clusters) }}</details></dd>
{% elif plan.clusters %}
<dt>Clusters</dt><dd>{{ names(plan.clusters) }}</dd>
{% endif %}
</dl>
{% endmacro %}
{% macro update(hop) %}
{% for block in hop.blocked_by %}
<div class="blocked"><b>Blocked: {{ block.reason }}</b><p>{{ block.message }}. {{ block.hint }}.</p></div>
{% endfor %}
{% if hop.names or hop.components %}
<dl class="facts">
{% for entry in hop.names %}
<dt>{{ entry.title }}</dt><dd>{{ names(entry.names) }}<span class="mean">{{ entry.meaning }}</span></dd>
{% endfor %}
{% for component in hop.components %}
<dt>Created anew</dt><dd>{{ component.component }}, {{ component.count }} resource{{ "s" if component.count != 1 }}</dd>
{% endfor %}
</dl>
{% endif %}
{% for section in hop.sections %}
<details class="fold"><summary><b>{{ section.title }}</b> {{ section.listing.what }}\
{% if section.note %} <span class="mark">{{ section.note }}</span>{% endif %}</summary>
<div><p>{{ section.meaning }}</p>
{{ listing(section.listing) }}
</div></details>
{% endfor %}
{% if hop.nothing %}
<p class="quiet">{{ hop.nothing }}</p>
{% endif %}
{% endmacro %}
{% macro end(plan) %}
<dl class="facts">
<dt>Enabled ({{ plan.enabled | length }})</dt><dd>{{ names(plan.enabled) or "none" }}</dd>
<dt>Of these implicitly ({{ plan.implicitly_enabled | length }})</dt>
<dd>{{ names(plan.implicitly_enabled) or "none" }}</dd>
</dl>
{% if plan.condition %}
<p>The condition as the cluster will show it:</p>
<pre><code>{{ plan.condition_text }}</code></pre>
{% else %}
<p>A release without capabilities: the cluster shows no condition.</p>
{% endif %}
{% endmacro %}
{% macro overview() %}
<h2 id="overview">Overview</h2>
<table class="plans" role="table">
<thead role="rowgroup"><tr role="row">
{% for title in ("Plan", "Clusters", "Path", "Selection", "Turns on", "Condition at the end") %}
<th scope="col" role="columnheader">{{ title }}</th>
{% endfor %}
</tr></thead>
<tbody role="rowgroup">
{% for plan in view.plans %}
<tr role="row"><th scope="row" role="rowheader"><a href="#plan-{{ plan.number }}">Plan {{ plan.number }}</a></th>
<td role="cell" data-label="Clusters">\
{% if plan.clusters | length > 5 %}\
<details><summary>{{ "{:,}".format(plan.clusters | length) }}</summary>{{ names(plan.clusters) }}</details>\
{% else %}{{ plan.clusters | length }}{{ ": " if plan.clusters }}{{ names(plan.clusters) }}{% endif %}</td>
<td role="cell" data-label="Path">{{ plan.path }}\
{% if plan.blocked %} <span class="mark bad">blocked at {{ names(plan.blocked) }}</span>{% endif %}</td>
<td role="cell" data-label="Selection">{{ plan.selection }}</td>
<td role="cell" data-label="Turns on">\
{% if plan.turns_on %}<b>{{ names(plan.turns_on) }}</b>{% elif not plan.requested %}nothing{% endif %}\
{% if plan.requested %} <span class="asked">requested: {{ names(plan.requested) }}</span>{% endif %}</td>
<td role="cell" data-label="Condition at the end">\
{% if plan.condition %}{{ plan.condition.status }} \
<span class="reason">{{ plan.condition.reason }}</span>{% else %}none{% endif %}</td></tr>
{% endfor %}
</tbody>
</table>
{% endmacro %}
{% macro section(plan) %}
{% if view.fleet %}
<section class="fleet">
<h2 id="plan-{{ plan.number }}">Plan {{ plan.number }}: {{ plan.path }}</h2>
{% endif %}
{{ verdict(plan) }}
{% if plan.number == 1 %}
{{ legend() }}
{% endif %}
{{ matrix(plan) }}
{% for hop in plan.hops %}
<h3 id="{{ hop.id }}">{{ hop.start }} → {{ hop.end }}\
{% if hop.downgrade %} <span class="mark">downgrade</span>{% endif %}</h3>
{{ update(hop) }}
{% endfor %}
<h3>At the end: {{ plan.releases[-1] }}</h3>
{{ end(plan) }}
{% if view.fleet %}
<p class="up"><a href="#overview">Back to the overview</a></p>
</section>
{% endif %}
{% endmacro %}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="{{ generator }}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{{ view.title }}</title>
<link rel="icon" href="data:,">
<style>
{{ style | safe }}
</style>
</head>
<body>
<main>
<h1>{{ view.title }}</h1>
{% if view.subtitle %}
<p class="quiet">{{ view.subtitle }}</p>
{% endif %}
{% if view.problem_count %}
<p>Worth knowing: <a href="#problems">{{ view.problem_count }}</a></p>
{% endif %}
{% if view.fleet %}
{{ overview() }}
{% endif %}
{% for plan in view.plans %}
{{ section(plan) }}
{% endfor %}
{% if view.problems %}
<h2 id="problems">Problems</h2>
<ul class="problems">
{% for problem in view.problems %}
<li class="{{ problem.severity }}"><b>{{ problem.severity }}</b> <code>{{ problem.where }}</code>
<p>{{ problem.message }}</p>
{% if problem.hint %}
<p class="quiet">{{ problem.hint }}</p>
{% endif %}
</li>
{% endfor %}
</ul>
{% endif %}
</main>
</body>
</html>
"""
