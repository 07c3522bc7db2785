# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an update plan as Markdown: a Jinja2 template. Every value in it passes ``text`` or ``code``."""

from __future__ import annotations

MARKDOWN = """\
{% macro names(list) %}
{% for name in list %}{{ name | text }}{{ ", " if not loop.last }}{% endfor %}
{% endmacro %}
{% macro members(clusters) %}
{{ clusters | length }}{% if clusters | length > 5 %} <details><summary>names</summary>\
{{ names(clusters) | trim }}</details>{% elif clusters %}: {{ names(clusters) | trim }}{% endif %}
{% endmacro %}
{% macro listing(list) %}
{% if list.first %}
<a id="list-{{ list.number }}"></a>
<details><summary>{{ list.what }}{{ " (list " ~ list.number ~ ")" if list.number in view.shared }}</summary>

{% for title, resources in list.groups.items() %}
*{{ title | text }}*

{% for resource in resources %}
- {{ resource.kind | text }} {{ resource.name | code -}}
{{ " (" ~ (resource.group | text) ~ ")" if resource.group -}}
{{ ", **" ~ resource.mark ~ "**" if resource.mark }}: {{ resource.file | code }}
{% endfor %}

{% endfor %}
</details>
{% else %}
{{ words.same_list(list.what) }} [list {{ list.number }}](#list-{{ list.number }})
{% endif %}
{% endmacro %}
{% macro state(cell) %}
{% if cell.state in ("newly_enabled", "newly_requested") %}
**{{ cell.text }}**{{ " (" ~ (cell.note | text) ~ ")" if cell.note -}}
{% else %}
{{ cell.text -}}
{% endif %}
{% endmacro %}
{% macro verdict(plan) %}
> **{{ plan.headline | text }}:** {{ plan.meaning }}.

{% for label, value in plan.facts.items() %}
- {{ label }}: {{ value | text }}
{% endfor %}
{% endmacro %}
{% macro origin() %}
{% for label, value in view.origin %}
- {{ label | text }}: {{ value | code }}
{% endfor %}

{% endmacro %}
{% macro matrix(plan) %}
| {{ words.CAPABILITY }} |\
{% for release in plan.releases %} {{ "→ " if not loop.first }}{{ release | text }} |{% endfor %}

| --- |{% for release in plan.releases %} --- |{% endfor %}

{% for name, cells in plan.rows.items() %}
| {{ name | text }} |{% for cell in cells %} {{ state(cell) | trim }} |{% endfor %}

{% endfor %}

{% for shown in words.STATES.values() %}
- `{{ shown.report }}`: {{ shown.meaning }}
{% endfor %}

{% for name, cells in plan.rows.items() %}
{% for cell in cells %}
{% if cell.causes %}
**{{ name | text }}**, {{ cell.text }} in {{ plan.releases[loop.index0] | text }}.
{% for cause in cell.causes %}
{{ cause.text | text }}{{ " " ~ words.SOURCE ~ ": " ~ (cause.source | text) ~ "." if cause.source }}
{% endfor %}

{% for cause in cell.causes if cause.listing %}
{{ listing(cause.listing) }}
{% endfor %}
{% endif %}
{% endfor %}
{% endfor %}
{% endmacro %}
{% macro update(hop) %}
{% for reason in hop.reasons %}
> **{{ words.VERDICTS[reason.verdict].report }}\
{{ ", " ~ (words.accepted_until(reason.accepted) | text) if reason.accepted }}:** \
{{ reason.reason | text }}. {{ reason.message | text }}.
> {% if reason.accepted %}{{ words.BECAUSE }}: {{ reason.accepted.reason | text }}\
{% else %}{{ reason.hint | text }}{% endif %}

> {{ words.SOURCE }}: {{ reason.source | text }}

{% else %}
{{ words.NOTHING_AGAINST }}

{% endfor %}
{% for item in hop.not_checked %}
- *{{ words.NOT_CHECKED }}:* {{ item.message | text }}
{% endfor %}

{% for entry in hop.names %}
- **{{ entry.title | text }}:** {{ names(entry.names) | trim }}. {{ entry.meaning | text }}
{% endfor %}

{% for section in hop.sections %}
**{{ section.title | text }}**{{ " (" ~ section.note ~ ")" if section.note }}: {{ section.meaning | text }}

{{ listing(section.listing) }}
{% endfor %}
{{ hop.nothing }}

{% endmacro %}
{% macro end(plan) %}
- {{ words.ENABLED }} ({{ plan.enabled_capabilities | length }}): \
{{ names(plan.enabled_capabilities) | trim or words.NONE }}
- {{ words.IMPLICITLY }} ({{ plan.implicitly_enabled_capabilities | length }}): \
{{ names(plan.implicitly_enabled_capabilities) | trim or words.NONE }}

{{ words.COMPARE }}
{% endmacro %}
# {{ view.title | text }}

{% if view.subtitle %}
{{ view.subtitle }}

{% endif %}
{% if view.problem_count %}
{{ words.PROBLEM_COUNT }}: [{{ view.problem_count }}](#problems)

{% endif %}
{% if view.fleet %}
## {{ words.OVERVIEW }}

| {{ words.OVERVIEW_COLUMNS | join(" | ") }} |
| --- | --- | --- | --- | --- | --- | --- |
{% for plan in view.plans %}
| **{{ words.VERDICTS[plan.verdict].report }}**{{ "; " ~ plan.accepted_count if plan.accepted_count }} \
| [{{ words.PLAN }} {{ plan.number }}](#plan-{{ plan.number }}) | {{ members(plan.clusters) | trim }} \
| {{ plan.path | text }} \
| {{ plan.selection | text }} | \
{{ names(plan.newly_enabled) | trim or words.NOTHING }} | {{ plan.unchecked | text }} |
{% endfor %}

{% if view.reasons %}
## {{ words.REASONS }}

| {{ words.REASONS_COLUMNS | join(" | ") }} |
| --- | --- | --- | --- | --- |
{% for row in view.reasons %}
| **{{ words.VERDICTS[row.verdict].report }}** | {{ (row.name or row.reason) | text }} | {{ row.message | text }} \
| {{ members(row.clusters) | trim }} | {{ members(row.accepted) | trim if row.name else words.NEVER }} |
{% endfor %}

{% endif %}
{% if view.required %}
## {{ words.REQUIRED }}

{{ words.REQUIRED_MEANING }}

| {{ words.REQUIRED_COLUMNS | join(" | ") }} |
| --- | --- | --- |
{% for row in view.required %}
| {{ row.name | text }} | {{ row.message | text }} | {{ members(row.clusters) | trim }} |
{% endfor %}

{% endif %}
{{ origin() }}
{% endif %}
{% for plan in view.plans %}
{% if view.fleet %}
## {{ words.PLAN }} {{ plan.number }}

{{ plan.path | text }}, {{ plural(plan.clusters | length, "cluster") }}

{% endif %}
{{ verdict(plan) }}
{% if not view.fleet %}
{{ origin() }}
{% endif %}
{{ matrix(plan) }}
{% for hop in plan.hops %}
### {{ hop.headline | text }}: {{ hop.from | text }} → {{ hop.to | text }}\
{{ " (" ~ words.DOWNGRADE ~ ")" if hop.downgrade }}

{{ update(hop) }}
{% endfor %}
### {{ words.AT_END }}: {{ plan.releases[-1] | text }}

{{ end(plan) }}
{% endfor %}
{% if view.problems %}
## {{ words.PROBLEMS }}

| Severity | Location | Problem | Hint |
| --- | --- | --- | --- |
{% for problem in view.problems %}
| {{ problem.severity | text }} | {{ problem.where | text }} \
| {{ problem.message | text }} | {{ problem.hint | text }} |
{% endfor %}
{% endif %}
"""
