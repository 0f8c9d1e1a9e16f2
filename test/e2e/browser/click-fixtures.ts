import * as apiKeys from "../../../db/access/keys/api-keys";
import * as audit from "../../../db/audit";
import { trash } from "../../../db/storage/trash";
import * as submissions from "../../../db/contact/submissions";
import * as postEdits from "../../../db/posts/edit";
import * as projects from "../../../db/projects/projects";
import * as subscribers from "../../../db/newsletter/subscribers";
import { store } from "../../support/storage/stored-files";
import type { Stage } from "./stage";

const files = (group: string) => Array.from({ length: 26 }, (_, i) => ({ filename: `harbour ${group} ${i}.txt` }));

/**
 * Lists of more than one page whose rows all match "harbour" and the first option of every filter: whatever a manager
 * types or chooses, the current row stays.
 */
export async function addListFixtures(stage: Stage): Promise<Record<string, string>> {
  const { db, now, owner } = stage;
  const by = { actor: owner.manager.email };
  const typed = { excerpt: "", coverImage: "", author: "", content: "", published: false, publishedAt: null };
  for (let i = 0; i < 26; i++) {
    const name = `Harbour ${i}`;
    const email = `harbour${i}@example.com`;
    const at = new Date(now().getTime() - i * 60_000);
    await subscribers.subscribe(db, { email, source: "blog", language: "en" }, { via: "form" }, at);
    const message = "A question with more than ten letters.";
    await submissions.submit(db, { name, email, message, source: "blog" }, { recipient: email }, at);
    await postEdits.create(db, { ...typed, title: name, slug: "", tags: [`Harbour ${i}`, "Tides"] }, by, at);
    await projects.save(db, { slug: `harbour-${i}`, title: name, status: "DRAFT", displayOrder: i }, at);
  }
  for (let i = 0; i < 51; i++) {
    await apiKeys.generate(db, { prefix: "site", name: `Harbour ${i}` }, now());
    await audit.recordAlone(db, { ...by, action: "api-key.create", target: `Harbour ${i}` }, now());
  }
  await stage.storage.nodes.open();
  const ids = await store(stage, ...files("a"), ...files("b"));
  for (const id of ids.slice(26)) await trash(db, id, by, now());
  for (let i = 0; i < 26; i++)
    await stage.storage.reserve({ filename: `open ${i}.mov`, mimeType: "video/quicktime", size: 1e4, folderPath: "" });
  return {
    subscribers: "newsletter",
    messages: "contact",
    posts: "posts",
    tags: "posts/tags",
    projects: "projects",
    emails: "outbox",
    files: "storage",
    "files in the trash": "storage/trash",
    "open uploads": "storage/uploads",
    "API keys": "api-keys",
    "the audit log": "audit",
  };
}
