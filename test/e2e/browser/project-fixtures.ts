import { applyAction } from "../../../db/projects/list";
import * as posts from "../../../db/posts/posts";
import * as projects from "../../../db/projects/projects";
import type { Stage } from "./stage";

const day = 86_400_000;

/** Projects of every status and a draft of a post, and the pages that show them. */
export async function addProjectFixtures({ db, now, owner }: Stage): Promise<Record<string, string>> {
  const names = ["Stillwater", "Lending Desk", "Balcony", "Crumbs", "Bicycle Counter", "Inside of the Lid"];
  const made: projects.Project[] = [];
  for (const [at, title] of names.entries())
    made.push(
      await projects.save(
        db,
        {
          ...{ slug: title.toLowerCase().replaceAll(" ", "-"), title, featured: at < 2, displayOrder: at + 1 },
          ...{ status: at === 5 ? "DRAFT" : "PUBLISHED", tech: ["SVG", "htmx"], liveUrl: "https://a.example" },
          createdAt: new Date(now().getTime() - at * day),
        },
        now(),
      ),
    );
  const old = await projects.save(db, { slug: "old", title: "Long ago", status: "ARCHIVED", displayOrder: 9 }, now());
  await applyAction(db, { action: "trash", selection: { ids: [old.id] } }, { actor: owner.manager.email }, now());
  const draft = await posts.save(db, { slug: "a-draft", title: "A draft", published: false }, now());
  const [first] = made;
  return {
    projects: "/dashboard/projects",
    "projects, no match": "/dashboard/projects?q=nothing+like+it",
    "projects in the trash": "/dashboard/projects?status=trash",
    project: `/dashboard/projects/${first?.id}`,
    "new project": "/dashboard/projects/new",
    "move a project": `/dashboard/projects/${first?.id}/move`,
    "import posts": "/dashboard/posts/import",
    "preview link": `/dashboard/posts/${draft.id}/preview-link`,
  };
}
