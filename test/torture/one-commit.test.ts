import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { claim } from "../../db/mail/claim";
import { deliver } from "../../src/mail/deliver";
import { generateFor } from "../../db/access/keys/api-keys";
import * as posts from "../../db/posts/posts";
import * as tags from "../../db/posts/tags";
import { importPosts } from "../../src/content/import-posts";
import { importSuppressions } from "../../src/content/csv/suppressions";
import { look } from "../support/look";
import { composer } from "../support/outbox";
import { save } from "../../db/settings/settings";
import { openDb } from "../../db/open";
import { unsubscribeLink } from "../../src/security/links";
import { temporaryFolder } from "../support/processes";
import { testService } from "../support/service";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

/*
 * Looks at what a change and what follows from it have become if the process is killed after one of its commits: after
 * the next start both are there, or neither. What a killed process leaves is what its files contain at that moment, so
 * they are copied after each commit, for a tenth of the processor time. torture/kill.ts kills.
 */

type Service = Awaited<ReturnType<typeof testService>>;
type Case = {
  /** What is there before; returns what is then done, and may be cut off after any commit. */
  prepare: (service: Service) => Promise<() => Promise<unknown>>;
  /** A query whose columns are the same number, whatever happened. */
  facts: string;
};

const entries = (action: string) => `(select count(*) from audit_events where action = '${action}')`;
const counted = (action: string, name: string) =>
  `coalesce((select cast(json_extract(details, '$.${name}') as int) from audit_events where action = '${action}'), 0)`;
const usedForms = "(select count(*) from one_time_tokens where purpose = 'form' and used_at is not null)";
const onceIn = async (page: Response) => /name="once" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";

const cases: Record<string, Case> = {
  "a subscriber added by hand": {
    async prepare(service) {
      const owner = await service.signIn();
      return () => owner.submit("/dashboard/newsletter", { email: "bo@example.com", welcome: "yes" });
    },
    facts: `select (select count(*) from subscribers) a, ${entries("subscriber.add")} b, (select count(*) from outbox) c`,
  },
  "subscribers restored after a mail scanner": {
    async prepare(service) {
      const emails = ["a@example.com", "b@example.com", "c@example.com"];
      for (const email of emails) await service.post("/api/newsletter/subscribe", { email });
      for (const email of emails) await service.get(unsubscribeLink(service.config, email), {}, "203.0.113.7");
      const owner = await service.signIn();
      return () => owner.submit("/dashboard/newsletter/restore", {});
    },
    facts: `select (select count(*) from subscribers where state = 'active') a, 3 * ${entries("subscriber.restore")} b`,
  },
  "a setting": {
    prepare: async ({ db, now }) => {
      return () => save(db, [{ key: "siteTitle", value: "Ada" }], { actor: "cli" }, now());
    },
    facts: `select (select count(*) from settings) a, ${entries("setting.change")} b`,
  },
  "an email to an address that does not exist": {
    async prepare(service) {
      await service.post("/api/newsletter/subscribe", { email: "gone@example.com" });
      const refused = { kind: "refused", reason: "bounced", message: "550 No such user" } as const;
      const provider = { ...service.mail.provider, name: "smtp" as const, send: async () => refused };
      const compose = composer(service);
      const sender = { ...service, compose, provider, timeoutMs: 10_000, closing: new AbortController().signal };
      const [mail] = await claim(service.db, 1, service.now());
      return async () => mail && deliver(sender, mail);
    },
    facts: `select (select count(*) from outbox where state = 'dead') a, (select count(*) from suppressions) b,
      (select count(*) from subscribers where suppressed_at is not null) c`,
  },
  "a renamed tag": {
    async prepare({ db, now }) {
      await posts.save(db, { slug: "a", title: "A", published: true, tags: ["Old"] }, now());
      return () => tags.rename(db, { slug: "old", to: { slug: "new", name: "New" } }, { actor: "cli" }, now());
    },
    facts: `select (select count(*) from post_tags where tag_slug = 'new') a, ${entries("tag.rename")} b,
      (select 1 - count(*) from tags where slug = 'old') c`,
  },
  "a removed manager": {
    async prepare(service) {
      const owner = await service.signIn();
      const bob = await service.signIn({ email: "bob@example.com", role: "manager" });
      await generateFor(service.db, { actor: "bob@example.com" }, { prefix: "site", name: "Blog" }, service.now());
      return () => owner.submit(`/dashboard/managers/${bob.manager.id}/remove`, {});
    },
    facts: `select (select 2 - count(*) from managers) a, (select count(*) from api_keys where not active) b,
      ${entries("manager.remove")} c, ${entries("api-key.deactivate")} d`,
  },
  "a generated API key": {
    async prepare(service) {
      const owner = await service.signIn();
      const once = await onceIn(await owner.get("/dashboard/api-keys/new"));
      return () => owner.submit("/dashboard/api-keys", { name: "Blog", once });
    },
    facts: `select ${usedForms} a, (select count(*) from api_keys) b, ${entries("api-key.create")} c`,
  },
  "a replaced API key": {
    async prepare(service) {
      const owner = await service.signIn();
      await generateFor(service.db, { actor: "test" }, { prefix: "site", name: "Blog" }, service.now());
      const [{ id = "" } = {}] = await look<{ id: string }>(service.db, "select id from api_keys");
      const once = await onceIn(await owner.get(`/dashboard/api-keys/${id}/replace`));
      return () => owner.submit(`/dashboard/api-keys/${id}/replace`, { once });
    },
    facts: `select ${usedForms} a, (select count(*) - 1 from api_keys) b, ${entries("api-key.replace")} c`,
  },
  "a webhook endpoint": {
    async prepare(service) {
      const owner = await service.signIn();
      const once = await onceIn(await owner.get("/dashboard/webhooks/new"));
      const endpoint = { name: "Hook", url: "https://hook.example.com/", events: "all", once };
      return () => owner.submit("/dashboard/webhooks", endpoint);
    },
    facts: `select ${usedForms} a, (select count(*) from webhook_endpoints) b, ${entries("webhook.add")} c`,
  },
  "imported posts": {
    prepare: async ({ db, now }) => {
      const files = ["One", "Two", "Three"].map((title) => ({
        name: `${title}.md`,
        bytes: async () => Buffer.from(`---\ntitle: ${title}\n---\nText\n`),
      }));
      return () => importPosts(db, files, { actor: "cli" }, now());
    },
    facts: `select (select count(*) from posts) a, ${counted("post.import", "new")} b`,
  },
  "imported suppressions": {
    prepare: async ({ db, now }) => {
      const rows = Array.from({ length: 2_500 }, (_, n) => `p${n}@example.com\n`).join("");
      const open = () => new Blob([`email\n${rows}`]).stream();
      return () => importSuppressions(db, { open, refuse: () => undefined }, { via: "cli" }, now());
    },
    facts: `select (select count(*) from suppressions) a, ${counted("suppression.import", "added")} b`,
  },
};

/** Does it once. Returns the facts as the next start finds them after each commit, and in the end. */
async function factsAfterCommits({ prepare, facts }: Case): Promise<number[][]> {
  using folder = temporaryFolder();
  const file = join(folder.path, "postroom.db");
  const service = await testService({}, file);
  const act = await prepare(service);
  const copies: string[] = [];
  function copy(): void {
    const name = join(folder.path, `${copies.length}.db`);
    for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, name + suffix);
    copies.push(name);
  }
  const { write } = service.db;
  service.db.write = (...args) =>
    write(...args).then((result) => {
      copy();
      return result;
    });
  await act();
  copy();
  await service.db.close();
  const rows: number[][] = [];
  for (const name of copies) {
    const db = await openDb(name);
    rows.push(Object.values((await look<Record<string, number>>(db, facts))[0] ?? {}));
    await db.close();
  }
  return rows;
}

test.each(Object.entries(cases))(
  "%s: a kill after any commit leaves the change and what follows from it, or neither",
  async (_, each) => {
    const facts = await factsAfterCommits(each);
    for (const [first, ...others] of facts) expect(others).toEqual(others.map(() => first ?? -1));
    expect(facts.at(-1)?.[0]).toBeGreaterThan(0);
  },
);

test("one fact in two commits is seen", async () => {
  const set = ({ db, now }: Service, key: "siteTitle" | "replyTo") =>
    save(db, [{ key, value: "ada@example.com" }], { actor: "cli" }, now());
  const prepare: Case["prepare"] = async (service) => () =>
    set(service, "siteTitle").then(() => set(service, "replyTo"));
  const count = (key: string) => `(select count(*) from settings where key = '${key}')`;
  const facts = await factsAfterCommits({ prepare, facts: `select ${count("siteTitle")} a, ${count("replyTo")} b` });
  expect(facts).toContainEqual([1, 0]);
});
