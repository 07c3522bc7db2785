# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an update plan as an HTML page: a Jinja2 template that is rendered with autoescape."""

from __future__ import annotations

HTML = """\
{% macro names(list) %}
{% for name in list %}{{ name }}{{ ", " if not loop.last }}{% endfor %}
{% endmacro %}
{% macro members(clusters) %}
{% if clusters | length > 5 %}\
<details><summary>{{ "{:,}".format(clusters | length) }}</summary>{{ names(clusters) }}</details>\
{% else %}{{ clusters | length }}{{ ": " if clusters }}{{ names(clusters) }}{% endif %}
{% endmacro %}
{% macro listing(list) %}
{% if list.first %}
<div class="listing" id="list-{{ list.number }}">
{% if list.number in view.shared %}
<p class="quiet">List {{ list.number }}: {{ list.what }}</p>
{% endif %}
{% for title, resources in list.groups.items() %}
<p class="change">{{ title }}</p>
<ul class="resources">
{% for resource in resources %}
<li><span><b>{{ resource.kind }}</b> {{ resource.name }}\
{% if resource.group %} <span class="quiet">{{ resource.group }}</span>{% endif %}\
{% if resource.mark %} <span class="mark">{{ resource.mark }}</span>{% endif %}</span>
<code>{{ resource.file }}</code></li>
{% endfor %}
</ul>
{% endfor %}
</div>
{% else %}
<p>{{ words.same_list(list.what) }} <a href="#list-{{ list.number }}">list {{ list.number }}</a></p>
{% endif %}
{% endmacro %}
{% macro state(cell, label) %}
{% if cell.causes %}
<td role="cell" class="{{ cell.state }} opens"><details>
<summary{% if label %} data-label="{{ label }}"{% endif %}>{{ cell.text }}
<small>{{ cell.note or "why" }}</small></summary>
<div class="causes">
{% for cause in cell.causes %}
<p>{{ cause.text }}\
{% if cause.source %} <span class="quiet">{{ words.SOURCE }}: {{ cause.source }}</span>{% endif %}</p>
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
<ul class="legend" aria-label="Meaning of the words in the tables">
{% for state, shown in words.STATES.items() %}
<li><b class="{{ state }}">{{ shown.report }}</b> {{ shown.meaning }}</li>
{% endfor %}
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
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">{{ words.CAPABILITY }}</th>
{% for release in plan.releases %}
<th scope="col" role="columnheader">{{ "→ " if not loop.first }}{{ release }}</th>
{% endfor %}
</tr></thead>
<tbody role="rowgroup">
{% for name, cells in plan.rows.items() %}
<tr role="row"><th scope="row" role="rowheader">{{ name }}</th>
{% for cell in cells %}
{{ state(cell, plan.releases[loop.index0] if plan.releases | length > 5 else none) }}
{%- endfor %}
</tr>
{% endfor %}
</tbody>
</table>
</div>
{% endmacro %}
{% macro verdict(plan) %}
<div class="verdict {{ plan.tone }}"><b>{{ plan.headline }}</b>: \
{{ plan.meaning }}\
{% for hop in plan.hops if hop.reasons %}{{ " (" if loop.first else ", " }}\
<a href="#{{ hop.id }}">{{ hop.to }}</a>{{ ")" if loop.last }}{% endfor %}.</div>
<dl class="facts">
{% for label, value in plan.facts.items() %}
<dt>{{ label }}</dt><dd>{{ value }}</dd>
{% endfor %}
{% if plan.clusters | length > 5 %}
<dt>{{ words.CLUSTERS }}</dt>
<dd><details><summary>{{ plural(plan.clusters | length, "cluster") }}</summary>\
{{ names(plan.clusters) }}</details></dd>
{% elif plan.clusters %}
<dt>{{ words.CLUSTERS }}</dt><dd>{{ names(plan.clusters) }}</dd>
{% endif %}
</dl>
{% endmacro %}
{% macro update(hop) %}
{% for reason in hop.reasons %}
<div class="verdict {{ "caution" if reason.accepted else reason.verdict }}">\
<b>{{ words.VERDICTS[reason.verdict].report }}\
{{ ", " ~ words.accepted_until(reason.accepted) if reason.accepted }}: {{ reason.reason }}</b>
<p>{{ reason.message | urlize }}.</p><p>\
{% if reason.accepted %}{{ words.BECAUSE }}: {{ reason.accepted.reason }}{% else %}{{ reason.hint }}{% endif %}</p>
<p>{{ words.SOURCE }}: {{ reason.source }}</p></div>
{% else %}
<p>{{ words.NOTHING_AGAINST }}</p>
{% endfor %}
{% for item in hop.not_checked %}
<p class="quiet">{{ words.NOT_CHECKED }}: {{ item.message }}.</p>
{% endfor %}
{% if hop.names %}
<dl class="facts">
{% for entry in hop.names %}
<dt>{{ entry.title }}</dt><dd>{{ names(entry.names) }}<span class="mean">{{ entry.meaning }}</span></dd>
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
<dt>{{ words.ENABLED }} ({{ plan.enabled_capabilities | length }})</dt>\
<dd>{{ names(plan.enabled_capabilities) or words.NONE }}</dd>
<dt>{{ words.IMPLICITLY }} ({{ plan.implicitly_enabled_capabilities | length }})</dt>
<dd>{{ names(plan.implicitly_enabled_capabilities) or words.NONE }}</dd>
</dl>
<p class="quiet">{{ words.COMPARE }}</p>
{% endmacro %}
{% macro origin() %}
<dl class="facts">
{% for label, value in view.origin %}
<dt>{{ label }}</dt><dd>{{ value }}</dd>
{% endfor %}
</dl>
{% endmacro %}
{% macro overview() %}
<h2 id="overview">{{ words.OVERVIEW }}</h2>
<table class="plans" role="table">
<thead role="rowgroup"><tr role="row">
{% for title in words.OVERVIEW_COLUMNS %}
<th scope="col" role="columnheader">{{ title }}</th>
{% endfor %}
</tr></thead>
<tbody role="rowgroup">
{% for plan in view.plans %}
<tr role="row"><td role="cell" data-label="{{ words.VERDICT }}">\
<span class="mark {{ plan.tone }}">{{ words.VERDICTS[plan.verdict].report }}</span>\
{{ " " ~ plan.accepted_count if plan.accepted_count }}</td>
<th scope="row" role="rowheader"><a href="#plan-{{ plan.number }}">{{ words.PLAN }} {{ plan.number }}</a></th>
<td role="cell" data-label="{{ words.CLUSTERS }}">{{ members(plan.clusters) }}</td>
<td role="cell" data-label="{{ words.PATH }}">{{ plan.path }}</td>
<td role="cell" data-label="{{ words.SELECTION }}">{{ plan.selection }}</td>
<td role="cell" data-label="{{ words.ENABLES }}">\
<b>{{ names(plan.newly_enabled) or words.NOTHING }}</b></td>
<td role="cell" data-label="{{ words.NOT_CHECKED }}">{{ plan.unchecked }}</td></tr>
{% endfor %}
</tbody>
</table>
{% endmacro %}
{% macro rows(id, title, columns, rows) %}
<h2 id="{{ id }}">{{ title }}</h2>
<table class="rows" role="table">
<thead role="rowgroup"><tr role="row">
{% for column in columns %}
<th scope="col" role="columnheader">{{ column }}</th>
{% endfor %}
</tr></thead>
<tbody role="rowgroup">
{% for row in rows %}
<tr role="row">
{% for column in columns %}
<td role="cell" data-label="{{ column }}">\
{% if column == words.VERDICT %}\
<span class="mark {{ row.verdict }}">{{ words.VERDICTS[row.verdict].report }}</span>\
{% elif column == words.NAME %}<b>{{ row.name or row.reason }}</b>\
{% elif column == words.WHAT %}{{ row.message }}\
{% elif column == words.CLUSTERS %}{{ members(row.clusters) }}\
{% elif row.name %}{{ members(row.accepted) }}{% else %}{{ words.NEVER }}{% endif %}</td>
{% endfor %}
</tr>
{% endfor %}
</tbody>
</table>
{% endmacro %}
{% macro section(plan) %}
{% if view.fleet %}
<section class="fleet">
<h2 id="plan-{{ plan.number }}">{{ words.PLAN }} {{ plan.number }}: {{ plan.path }}</h2>
{% endif %}
{{ verdict(plan) }}
{% if not view.fleet %}
{{ origin() }}
{% endif %}
{% if plan.number == 1 %}
{{ legend() }}
{% endif %}
{{ matrix(plan) }}
{% for hop in plan.hops %}
<h3 id="{{ hop.id }}"><span class="mark {{ hop.tone }}">{{ hop.headline }}</span> \
{{ hop.from }} → {{ hop.to }}\
{% if hop.downgrade %} <span class="mark">{{ words.DOWNGRADE }}</span>{% endif %}</h3>
{{ update(hop) }}
{% endfor %}
<h3>{{ words.AT_END }}: {{ plan.releases[-1] }}</h3>
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
<p>{{ words.PROBLEM_COUNT }}: <a href="#problems">{{ view.problem_count }}</a></p>
{% endif %}
{% if view.fleet %}
{{ overview() }}
{% if view.reasons %}
{{ rows("reasons", words.REASONS, words.REASONS_COLUMNS, view.reasons) }}
{% endif %}
{% if view.required %}
{{ rows("required", words.REQUIRED, words.REQUIRED_COLUMNS, view.required) }}
<p class="quiet">{{ words.REQUIRED_MEANING }}</p>
{% endif %}
{{ origin() }}
{% endif %}
{% for plan in view.plans %}
{{ section(plan) }}
{% endfor %}
{% if view.problems %}
<h2 id="problems">{{ words.PROBLEMS }}</h2>
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
