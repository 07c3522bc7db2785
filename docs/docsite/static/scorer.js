/* Copyright: Contributors to the capability.openshift collection
 * SPDX-License-Identifier: GPL-3.0-or-later */

/* The order of results of a search. Sphinx counts whether a page has a word, and where: in a title or in the text. Of
 * pages with the same score, a user needs a guide first, and what developers read last. A match in a title counts more
 * than the kind of the page. */
const KINDS = [
  ["docs/how_to/", 4],
  ["docs/tutorials/", 3],
  ["docs/reference/", 2],
  ["docs/explanation/", 2],
  ["reference/", 1],
  ["playbooks", 1],
  ["CHANGELOG", -2],
];

/* Words that several pages name, or that are part of titles such as those of rules, and the page that describes them. */
const OPTIONS = {
  architecture: "docs/architecture",
  baseline: "docs/how_to/check_sites",
  checkout: "docs/how_to/check_sites",
  clusters: "docs/how_to/run_at_scale",
  fail_on: "docs/how_to/plan_an_update",
  help: "playbooks",
  kubeconfig: "docs/how_to/enable_capabilities",
  mode: "docs/how_to/guard_capabilities",
  platform: "docs/how_to/plan_an_update",
  report: "docs/how_to/plan_an_update",
  signature: "docs/reference/releases",
  state: "docs/how_to/check_sites",
};
const query = new URLSearchParams(window.location.search).get("q")?.trim();

var Scorer = {
  score: ([page, _title, anchor, _description, score]) => {
    if (OPTIONS[query] === page && !anchor) return score + 30;
    // The titles on this page are codes, which contain almost every word. A result with an anchor is a code that is
    // similar to the query.
    if (page === "docs/reference/problems") return anchor ? score + 5 : score - 9;
    return score + (KINDS.find(([start]) => page.startsWith(start))?.[1] ?? 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
