# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The report of an update plan as Markdown: a Jinja2 template, in which every value passes ``text`` or ``code``."""

from __future__ import annotations

MARKDOWN = """\
{% macro names(list) %}
{% for name in list %}{{ name | text }}{{ ", " if not loop.last }}{% endfor %}
{% endmacro %}
{% macro listing(list) %}
{% if list.first %}
<a id="list-{{ list.number }}"></a>
<details><summary>{{ list.what }}{{ " (list " ~ list.number ~ ")" if list.number in view.shared }}</summary>

{% for group in list.groups %}
*{{ group.title | text }}*

{% for resource in group.resources %}
- {{ resource.kind | text }} {{ resource.name | code -}}
{{ " (" ~ (resource.group | text) ~ ")" if resource.group -}}
{{ ", **" ~ resource.mark ~ "**" if resource.mark }}: {{ resource.file | code }}
{% endfor %}

{% endfor %}
</details>
{% else %}
The same {{ list.what }} as in plan {{ list.plan }}: [list {{ list.number }}](#list-{{ list.number }})
{% endif %}
{% endmacro %}
{% macro state(cell) %}
{% if cell.state in ("turns-on", "requested") %}
**{{ cell.text }}**{{ " (" ~ (cell.note | text) ~ ")" if cell.note -}}
{% else %}
{{ cell.text -}}
{% endif %}
{% endmacro %}
{% macro verdict(plan) %}
{% if plan.blocked %}
> **Blocked:** the cluster-version operator refuses the update to {{ names(plan.blocked) | trim }}, see below.

{% endif %}
- Selection: {{ plan.selection | text }}
- Turns on without being asked for: \
{% if plan.turns_on %}**{{ names(plan.turns_on) | trim }}**{% else %}nothing{% endif %}

{% if plan.requested %}
- Turns on because the selection asks for it: {{ names(plan.requested) | trim }}
{% endif %}
{% endmacro %}
{% macro matrix(plan) %}
| Capability |{% for release in plan.releases %} {{ "→ " if not loop.first }}{{ release | text }} |{% endfor %}

| --- |{% for release in plan.releases %} --- |{% endfor %}

{% for row in plan.rows %}
| {{ row.name | text }} |{% for cell in row.cells %} {{ state(cell) | trim }} |{% endfor %}

{% endfor %}

`·` the release does not know it, `off` known and off, `on` on, **turns on** though nobody asked for it,
**requested** turns on because the selection asks for it.

{% for row in plan.rows %}
{% for cell in row.cells %}
{% if cell.causes %}
**{{ row.name | text }}** {{ cell.text if cell.state == "turns-on" else "is requested" }} \
in {{ plan.releases[loop.index0] | text }}.
{% for cause in cell.causes %}
{{ cause.text | text }}{{ " Source: " ~ (cause.source | text) ~ "." if cause.source }}
{% endfor %}

{% for cause in cell.causes if cause.listing %}
{{ listing(cause.listing) }}
{% endfor %}
{% endif %}
{% endfor %}
{% endfor %}
{% endmacro %}
{% macro update(hop) %}
{% for block in hop.blocked_by %}
> **Blocked:** {{ block.reason | text }}. {{ block.message | text }}. {{ block.hint | text }}.

{% endfor %}
{% for entry in hop.names %}
- **{{ entry.title }}:** {{ names(entry.names) | trim }}. {{ entry.meaning | text }}
{% endfor %}
{% for component in hop.components %}
- **Created anew:** {{ component.component | text }}, {{ component.count }} resource{{ "s" if component.count != 1 }}
{% endfor %}

{% for section in hop.sections %}
**{{ section.title | text }}**{{ " (" ~ section.note ~ ")" if section.note }}: {{ section.meaning | text }}

{{ listing(section.listing) }}
{% endfor %}
{{ hop.nothing }}
{% endmacro %}
{% macro end(plan) %}
- Enabled ({{ plan.enabled | length }}): {{ names(plan.enabled) | trim }}
- Of these implicitly ({{ plan.implicitly_enabled | length }}): {{ names(plan.implicitly_enabled) | trim or "none" }}

{% if plan.condition %}
The condition as the cluster will show it:

```yaml
{{ plan.condition_text }}
```
{% else %}
A release without capabilities: the cluster shows no condition.
{% endif %}
{% endmacro %}
# {{ view.title | text }}

{% if view.subtitle %}
{{ view.subtitle }}

{% endif %}
{% if view.problem_count %}
Worth knowing: [{{ view.problem_count }}](#problems)

{% endif %}
{% if view.fleet %}
## Overview

| Plan | Clusters | Path | Selection | Turns on | Condition at the end |
| --- | --- | --- | --- | --- | --- |
{% for plan in view.plans %}
| [Plan {{ plan.number }}](#plan-{{ plan.number }}) | {{ plan.clusters | length }}\
{% if plan.clusters | length > 5 %} <details><summary>names</summary>{{ names(plan.clusters) | trim }}</details>\
{% elif plan.clusters %}: {{ names(plan.clusters) | trim }}{% endif %} | {{ plan.path | text }}\
{{ ", **blocked** at " ~ (names(plan.blocked) | trim) if plan.blocked }} | {{ plan.selection | text }} | \
{{ names(plan.turns_on) | trim or "nothing" }}\
{{ "; requested: " ~ (names(plan.requested) | trim) if plan.requested }} | \
{{ (plan.condition.status ~ ", " ~ plan.condition.reason if plan.condition else "none") | text }} |
{% endfor %}

{% endif %}
{% for plan in view.plans %}
{% if view.fleet %}
## Plan {{ plan.number }}

{{ plan.path | text }}, {{ plan.clusters | length }} cluster{{ "s" if plan.clusters | length != 1 }}

{% endif %}
{{ verdict(plan) }}
{{ matrix(plan) }}
{% for hop in plan.hops %}
### {{ hop.start | text }} → {{ hop.end | text }}{{ " (downgrade)" if hop.downgrade }}

{{ update(hop) }}
{% endfor %}
### At the end: {{ plan.releases[-1] | text }}

{{ end(plan) }}
{% endfor %}
{% if view.problems %}
## Problems

| Severity | Where | What | What to do |
| --- | --- | --- | --- |
{% for problem in view.problems %}
| {{ problem.severity | text }} | {{ problem.where | text }} \
| {{ problem.message | text }} | {{ problem.hint | text }} |
{% endfor %}
{% endif %}
"""
