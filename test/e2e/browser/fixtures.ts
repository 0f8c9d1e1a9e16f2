import { create } from "../../../db/broadcasts/edit";
import * as messageList from "../../../db/contact/list";
import * as apiKeys from "../../../db/access/keys/api-keys";
import { callerId, recordCalls } from "../../../db/access/keys/callers";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as savedViews from "../../../db/saved-views";
import * as settings from "../../support/settings";
import * as projects from "../../../db/projects/projects";
import { erase } from "../../../db/people/erase";
import { suppress } from "../../../db/suppressions/suppressions";
import { store } from "../../support/storage/stored-files";
import { addBroadcastFixtures } from "./broadcast-fixtures";
import { addChartFixtures } from "./chart-fixtures";
import { addEditorFixtures } from "./editor-fixtures";
import { addProjectFixtures } from "./project-fixtures";
import { addNodeFixtures } from "./node-fixtures";
import type { Stage } from "../../support/broadcasts/stage";
import { addPostFixtures } from "./posts-fixtures";
import { addStorageFixtures } from "./storage-fixtures";
import { addWebhookFixtures, fillDeliveries } from "./webhook-fixtures";

const day = 86_400_000;

/** Two messages above the hourly limit. Returns the id of one. */
async function quarantine({ db, now, post }: Stage) {
  const limitTo = (value: string) =>
    settings.set(db, "messagesPerHourBeforeQuarantine", value, { by: "ada@example.com" }, now());
  await limitTo("1");
  for (const name of ["Ida Berg", "Milan Horvat"])
    await post("/api/contact", { name, email: "late@example.com", message: `A late question from ${name}.` });
  await limitTo("");
  const [message] = (await messageList.list(db, { box: "quarantine" }, { page: 1, per: 50 })).rows;
  if (!message) throw new Error("Nothing is in quarantine");
  return message.id;
}

/** Fills a stage with some of everything, through the ordinary routes, and returns the pages to look at, by name. */
export async function fillDatabase(stage: Stage): Promise<Record<string, string>> {
  const { db, now, owner, post } = stage;
  for (let i = 0; i < 60; i++) {
    const at = new Date(now().getTime() - i * 0.4 * day);
    const email = `reader${i}@example.${i % 2 ? "com" : "org"}`;
    await subscribers.subscribe(
      db,
      { email, name: i % 3 ? `Reader ${i}` : undefined, source: i % 2 ? "blog" : "landing" },
      { via: "form" },
      at,
    );
    if (i % 7 === 3) await subscribers.unsubscribe(db, email, { via: "link", network: `network ${i}` }, now());
  }
  for (const name of ["Hana Sato", "Farid Haddad", "Tove Dahl"])
    await post("/api/contact", {
      name,
      email: "writer@example.com",
      message: `A question from ${name}, with more than ten letters.`,
    });
  const held = await quarantine(stage);
  for (const reason of ["bounce", "complaint", "manual"] as const) {
    const refusal = { email: `${reason}@example.com`, reason, detail: "550 5.1.1 No such user" };
    await db.write((orm) => suppress(orm, refusal, { via: "provider" }, now()));
  }
  for (const [name, query] of [
    ["Readers of the blog", "source=blog"],
    ["Landing page, by address", "sort=email&source=landing"],
  ] as const)
    await savedViews.save(db, { managerId: owner.manager.id, path: "/dashboard/newsletter", name, query }, now());
  const { key } = {
    key: await apiKeys.generate(
      db,
      { prefix: "site", name: "Blog (production)", createdBy: owner.manager.email },
      now(),
    ),
  };
  await apiKeys.generate(db, { prefix: "site", name: "Portfolio build", createdBy: owner.manager.email }, now());
  const agent = "Mozilla/5.0 (compatible; PortfolioBuild/2.11; +https://build.example.com/about-this-program)";
  for (const outcome of ["accepted", "network", "scope"] as const) {
    const route = "GET /api/v1/newsletter/broadcasts/:slug";
    const calls = { keyId: key.row.id, network: "2001:db8:85a3:8d3::/64", agent, route, outcome };
    const stored = new Map([[callerId(calls), { ...calls, calls: 1_204, lastAt: now() }]]);
    await db.write((orm) => recordCalls(orm, stored));
  }

  const erasure = await erase(
    db,
    { id: Bun.randomUUIDv7(), email: "gone@example.com", scope: ["subscription", "messages", "suppression"] },
    { actor: owner.manager.email, via: "manager" },
    now(),
  );
  const { rows: inbox } = await messageList.list(db, { box: "inbox" }, { page: 1, per: 50 });
  const [person] = [await subscribers.byEmail(db, "reader1@example.com")];
  if (!inbox[0] || !person || !key) throw new Error("The stage is empty");
  return {
    overview: "/dashboard",
    search: "/dashboard/search",
    "search results": "/dashboard/search?q=reader",
    "search, no match": "/dashboard/search?q=nothing+like+it",
    "keyboard shortcuts": "/dashboard/shortcuts",
    newsletter: "/dashboard/newsletter",
    "those who have left": "/dashboard/newsletter?status=unsubscribed",
    "a saved view": "/dashboard/newsletter?source=blog",
    "save a view": "/dashboard/views/new?list=/dashboard/newsletter&query=source%3Dblog",
    subscriber: `/dashboard/newsletter/${person.id}`,
    "find a person": "/dashboard/people",
    "a person who is no subscriber": "/dashboard/people?address=writer%40example.com",
    "a person to print": "/dashboard/people/print?address=reader1%40example.com",
    "erase a person": "/dashboard/people/erase?address=reader1%40example.com",
    "proof of an erasure": `/dashboard/people/erasures/${erasure.id}`,
    "delete a subscriber": `/dashboard/newsletter/${person.id}/delete`,
    "add a subscriber": "/dashboard/newsletter/new",
    import: "/dashboard/newsletter/import",
    calendar: "/dashboard/calendar",
    suppressions: "/dashboard/suppressions",
    "suppress an address": "/dashboard/suppressions/new",
    contact: "/dashboard/contact",
    message: `/dashboard/contact/${inbox[0].id}`,
    "contact, no match": "/dashboard/contact?q=nothing+like+it",
    quarantine: "/dashboard/contact?box=quarantine",
    "quarantined message": `/dashboard/contact/${held}`,
    emails: "/dashboard/outbox",
    "API keys": "/dashboard/api-keys",
    "new API key": "/dashboard/api-keys/new",
    "API key": `/dashboard/api-keys/${key.row.id}`,
    "replace an API key": `/dashboard/api-keys/${key.row.id}/replace`,
    settings: "/dashboard/settings/site",
    "settings: brand": "/dashboard/settings/brand",
    "settings: email": "/dashboard/settings/email",
    "settings: newsletter": "/dashboard/settings/newsletter",
    "settings: limits": "/dashboard/settings/limits",
    "settings: security": "/dashboard/settings/security",
    "settings: appearance": "/dashboard/settings/appearance",
    "welcome email": "/dashboard/settings/welcome",
    "set up": "/dashboard/settings/set-up",
    "copies of the database": "/dashboard/settings/set-up/copies",
    audit: "/dashboard/audit",
    managers: "/dashboard/managers",
    account: "/dashboard/account",
    "two-step verification": "/dashboard/account/second-step",
    ...(await addChartFixtures(stage)),
    ...(await addBroadcastFixtures(stage)),
    ...(await addWebhookFixtures(stage)),
    ...(await addProjectFixtures(stage)),
    ...(await addStorageFixtures(stage)),
    ...(await addNodeFixtures(stage)),
    ...(await addPostFixtures(stage)),
    ...(await addEditorFixtures(stage)),
  };
}

/** Fills the lists of files, projects and broadcasts with fifty rows and more. */
export async function fillLists(stage: Stage): Promise<void> {
  const names = Array.from({ length: 50 }, (_, i) => `Letter ${i} from the harbour`);
  await store(stage, ...names.map((filename) => ({ filename: `${filename}.txt` })));
  await fillDeliveries(stage);
  for (const [i, title] of names.entries()) {
    const project = { title, slug: `letter-${i}`, tech: ["Ink", "Paper"], liveUrl: "https://a.example" };
    await projects.save(stage.db, { ...project, status: "PUBLISHED" }, stage.now());
    const broadcast = {
      subject: title,
      preheader: "",
      fromName: "",
      archive: "listed" as const,
      segment: {},
      content: "",
    };
    await create(
      stage.db,
      { source: { kind: "own" }, fields: broadcast },
      { actor: stage.owner.manager.email },
      stage.now(),
    );
  }
}
