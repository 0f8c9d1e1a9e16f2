import type { z } from "zod";
import { applyAction, type ChangedProjects, countAffected, type ProjectAction } from "../../../db/projects/bulk";
import { plural } from "../../../views/components/list";
import type { Deps } from "../../boot/deps";
import { actorOf } from "../../security/session/session";
import { bulkActions } from "../bulk-actions";
import { bulkBody, type BulkRequest, undoableSelectionOf } from "../bulk-request";
import { toTrash } from "../bulk-subject";
import { doneWith } from "./list";
import { filterOf, path, Query, stateUrl } from "./query";

/** What the form of the list sends: projects by their boxes, all that match, or what one move threw away. */
export const ProjectBulk = bulkBody([
  ...(["publish", "unpublish", "archive", "feature", "unfeature", "trash", "restore", "delete"] as const),
]);

const hides = (count: number) =>
  `Your sites will stop showing ${count === 1 ? "it" : "them"} immediately, and clicks are no longer counted. You can publish ${count === 1 ? "it" : "them"} again later.`;

/** What can be done to projects. What takes one away from its visitors is always asked about. */
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

/** What is done to the selected projects, after a question where it needs one. */
export function changeSelected(deps: Deps, request: Request, bulk: BulkRequest<z.output<typeof ProjectBulk>["do"]>) {
  const selected = undoableSelectionOf(bulk, (given) => filterOf(Query.parse(given)));
  return projectActions.askOrChange(deps, request, bulk, {
    count: () => countAffected(deps.db, bulk.do, selected),
    apply: (at) => applyAction(deps.db, bulk.do, selected, actorOf(request), at),
    finish: (notice) => doneWith(deps, request, notice),
    action: `${path}/bulk`,
    cancel: stateUrl(Object.fromEntries(new URLSearchParams(bulk.filter ?? ""))),
  });
}
