import type { z } from "zod";
import { applyAction, type ChangedProjects, countAffected, type ProjectAction } from "../../../db/projects/bulk";
import { plural } from "../../../views/components/list";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { bulkActions, toTrash } from "../bulk-actions";
import { bulkBody, type BulkRequest, undoableSelectionOf } from "../bulk-request";
import { doneWith } from "./list";
import { filterOf, path, Query, stateUrl } from "./query";

/** What the list's form sends: selected projects, all that match, or those that one action deleted. */
export const ProjectBulk = bulkBody([
  ...(["publish", "unpublish", "archive", "feature", "unfeature", "trash", "restore", "delete"] as const),
]);

const hides = (count: number) =>
  `Your sites will stop showing ${count === 1 ? "it" : "them"} immediately, and clicks are no longer counted. You can publish ${count === 1 ? "it" : "them"} again later.`;

/** The bulk actions on projects. Those that hide a project from visitors always ask first. */
const projectActions = bulkActions<ProjectAction, NonNullable<ChangedProjects["first"]>>({
  rows: ["project", "projects"],
  nameOf: ({ title }) => `“${title}”`,
  noneSelected: "No projects selected.",
  tooLate: () => "Nothing changed: already done or deleted.",
  others: (count) => `${plural(count, "other")} already done.`,
  actions: {
    publish: {
      verb: (rows) => `Publish ${rows}`,
      asks: "several",
      consequence: () => "Your sites will show them immediately.",
      past: "published",
    },
    unpublish: { verb: (rows) => `Unpublish ${rows}`, asks: "always", consequence: hides, past: "moved to drafts" },
    archive: { verb: (rows) => `Archive ${rows}`, asks: "always", consequence: hides, past: "archived" },
    feature: { verb: (rows) => `Feature ${rows}`, asks: "never", past: "featured" },
    unfeature: { verb: (rows) => `Stop featuring ${rows}`, asks: "never", past: "no longer featured" },
    trash: toTrash(
      "They will be moved to the trash, where your sites cannot see them, and can be restored for 30 days.",
    ),
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: "restored" },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: () => "The projects and their click counts will be permanently deleted. This cannot be undone.",
      past: "permanently deleted",
    },
  },
});

/** Applies an action to the selected projects, after a question if it needs one. */
export function changeSelected(deps: Deps, request: Request, bulk: BulkRequest<z.output<typeof ProjectBulk>["do"]>) {
  const selected = undoableSelectionOf(bulk, (given) => filterOf(Query.parse(given)));
  return projectActions.askOrChange(deps, request, bulk, {
    count: () => countAffected(deps.db, bulk.do, selected),
    apply: (at) => applyAction(deps.db, { action: bulk.do, selection: selected }, actorOf(request), at),
    finish: (notice) => doneWith(deps, request, notice),
    action: `${path}/bulk`,
    cancel: stateUrl(Object.fromEntries(new URLSearchParams(bulk.filter ?? ""))),
  });
}
