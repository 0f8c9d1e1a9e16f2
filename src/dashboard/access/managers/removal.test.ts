import { expect, test } from "bun:test";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import * as audit from "../../../../db/audit";
import { add } from "../../../../db/storage/nodes/edit";
import { addPeople } from "../../../../test/support/broadcasts/broadcasts";
import { look } from "../../../../test/support/look";
import { set } from "../../../../test/support/settings";
import { testService } from "../../../../test/support/service";

const endpoint = { events: [], url: "https://example.com/hook" };
const once = async (page: Response) => /name="once" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";

/** An owner, and Bob, who has added two webhooks, a key and a rule, and scheduled a broadcast. */
async function office() {
  const service = await testService({ OWNER_EMAIL: "" });
  const { db, now, config } = service;
  const owner = await service.signIn();
  const bob = await service.signIn({ email: "bob@example.com", name: "Bob", role: "manager" });
  for (const fields of [{ name: "People", withPeople: "yes" }, { name: "Build" }])
    await bob.submit("/dashboard/webhooks", {
      ...{ ...endpoint, events: "", ...fields },
      once: await once(await bob.get("/dashboard/webhooks/new")),
    });
  await apiKeys.generateFor(db, { actor: "bob@example.com" }, { prefix: config.KEY_PREFIX, name: "Blog" }, now());
  await addPeople(db, 3);
  const { headers } = await bob.submit("/dashboard/broadcasts/new");
  const id = headers.get("location")?.split("/")[3] ?? "";
  await look(
    db,
    "update broadcasts set state = 'scheduled', subject = 'News', confirmed_by = 'bob@example.com', scheduled_at = ? where id = ?",
    [now().getTime() + 3_600_000, id],
  );
  await bob.submit("/dashboard/broadcasts/from-posts", { becomes: "send", tag: "", topic: "", zone: "" });
  const path = `/dashboard/managers/${bob.manager.id}/remove`;
  const states = async () => ({
    webhooks: Object.fromEntries(
      (await look<{ name: string; state: string }>(db, "select name, state from webhook_endpoints")).map(
        ({ name, state }) => [name, state],
      ),
    ),
    keys: (await look<{ active: number | boolean }>(db, "select active from api_keys")).map(({ active }) =>
      Boolean(active),
    ),
    broadcasts: (await look<{ state: string }>(db, "select state from broadcasts")).map(({ state }) => state),
    rules: await look(db, "select off_reason as off, created_by as by from post_rules"),
  });
  const log = async () =>
    (await audit.list(db, {}, { page: 1, per: 50 })).events
      .filter(({ actor }) => actor === owner.manager.email)
      .map(({ action, target, details }) => [action, target, ...Object.values(details)]);
  return { ...service, owner, bob, path, states, log };
}

test("before a manager is removed, what they set up is named, with where it sends what it knows", async () => {
  const { db, now, owner, path } = await office();
  const question = async () => (await owner.get(path)).text();
  const page = await question();
  for (const words of [
    "“People”",
    "https://example.com/hook",
    "“Blog”",
    "“News”",
    "“all posts”",
    "“Build”",
    "preview links",
  ])
    expect(page).toContain(words);
  expect(page).not.toContain("Messages of visitors");
  expect(page).not.toContain("storage nodes");
  await set(db, "email", "bob@example.com", { by: "cli" }, now());
  expect(await question()).toContain("Messages of visitors are sent to their address");
});

test("the storage nodes whose keys they may know are named, and stay in use", async () => {
  const { db, now, owner, path } = await office();
  const node = { endpoint: "http://127.0.0.1:9", publicEndpoint: "http://127.0.0.1:9", region: "r", bucket: "b" };
  for (const [name, actor] of [
    ["cellar", "bob@example.com"],
    ["attic", "owner@example.com"],
  ] as const)
    await add(db, { ...node, name, accessKey: "a", secret: "s", capacityBytes: 1, maxPutBytes: 1 }, { actor }, now());
  const page = await (await owner.get(path)).text();
  expect(page).toContain("“cellar”");
  expect(page).not.toContain("“attic”");
  await owner.submit(path);
  expect(await look(db, "select distinct state from storage_nodes")).toEqual([{ state: "active" }]);
});

test("the sequences that they made or started are named, and go on", async () => {
  const { db, owner, path } = await office();
  for (const [name, state, by] of [
    ["Welcome", "on", "bob@example.com"],
    ["Draft", "draft", "bob@example.com"],
    ["Course", "on", "owner@example.com"],
  ] as const)
    await look(
      db,
      `insert into sequences (id, name, folded, trigger, state, created_by, created_at, updated_at)
       values (?, ?, ?, 'subscribed', ?, ?, 0, 0)`,
      [name, name, name, state, by],
    );
  const page = await (await owner.get(path)).text();
  expect(page).toContain("“Welcome”");
  for (const name of ["“Draft”", "“Course”"]) expect(page).not.toContain(name);
  await owner.submit(path);
  expect(await look(db, "select state from sequences where name = 'Welcome'")).toEqual([{ state: "on" }]);
});

test("what a removed manager set up is withdrawn with them: webhooks with people, keys, scheduled broadcasts, rules", async () => {
  const { owner, path, states, log } = await office();
  await owner.submit(path);
  expect(await states()).toEqual({
    webhooks: { People: "off", Build: "on" },
    keys: [false],
    broadcasts: ["draft"],
    rules: [{ off: "creator", by: "bob@example.com" }],
  });
  const because = "its creator was removed";
  expect(await log()).toEqual(
    expect.arrayContaining([
      ["webhook.turn-off", "People", because],
      ["api-key.deactivate", "Blog", because],
      ["broadcast.unschedule", "News", because],
      ["post-rule.turn-off", "all posts", because, "send"],
    ]),
  );
});

test("what an owner takes over goes on, and is on record", async () => {
  const { owner, path, states, log } = await office();
  const keep = [...(await (await owner.get(path)).text()).matchAll(/name="keep" value="([^"]+)"/g)].map(
    ([, id = ""]) => id,
  );
  expect(keep).toHaveLength(4);
  await owner.submit(path, { keep });
  expect(await states()).toEqual({
    webhooks: { People: "on", Build: "on" },
    keys: [true],
    broadcasts: ["scheduled"],
    rules: [{ off: null, by: "owner@example.com" }],
  });
  const entries = ["webhook.take-over", "api-key.take-over", "broadcast.take-over"].map((action, at) => [
    ...[action, ["People", "Blog", "News"][at]],
    "bob@example.com",
  ]);
  const rule = ["post-rule.take-over", "all posts", "bob@example.com", "send"];
  expect(await log()).toEqual(expect.arrayContaining([...entries, rule]));
});

test("what an owner took over is theirs: it is named when they are removed in turn", async () => {
  const { owner, path, signIn } = await office();
  const carol = await signIn({ email: "carol@example.com", name: "Carol", role: "owner" });
  const kept = (await (await owner.get(path)).text()).matchAll(/name="keep" value="([^"]+)"/g);
  await owner.submit(path, { keep: [...kept].map(([, id = ""]) => id) });
  const question = await (await carol.get(`/dashboard/managers/${owner.manager.id}/remove`)).text();
  for (const name of ["“People”", "“Blog”", "“News”", "“all posts”"]) expect(question).toContain(name);
});

test("an endpoint that someone else added counts as theirs once they have changed it", async () => {
  const { db, owner, bob, path, states } = await office();
  await owner.submit("/dashboard/webhooks", {
    ...{ ...endpoint, events: "", name: "Sheet", withPeople: "yes" },
    once: await once(await owner.get("/dashboard/webhooks/new")),
  });
  const [sheet] = await look<{ id: string; version: number }>(
    db,
    "select id, version from webhook_endpoints where name = 'Sheet'",
  );
  const moved = { name: "Sheet", url: "https://bob.example/", withPeople: "yes", version: String(sheet?.version) };
  await bob.submit(`/dashboard/webhooks/${sheet?.id}/edit`, moved);
  expect(await (await owner.get(path)).text()).toContain("https://bob.example/");
  await owner.submit(path);
  expect((await states()).webhooks).toEqual({ People: "off", Build: "on", Sheet: "off" });
});

test("who becomes an editor or an analyst loses what gets people's data, after the same question; an owner made manager does not", async () => {
  const { owner, bob, path, states, log } = await office();
  const role = path.replace(/remove$/, "role");
  const page = await (await owner.get(role)).text();
  for (const words of ["“People”", "https://example.com/hook", "“Blog”", "“News”", "“all posts”"])
    expect(page).toContain(words);
  const before = await states();
  for (const next of ["owner", "manager"]) await owner.submit(role, { role: next });
  expect(await states()).toEqual(before);
  const [, key = ""] = /name="keep" value="([^"]+)" checked/.exec(page) ?? [];
  await owner.submit(role, { role: "analyst", keep: key });
  expect(await states()).toEqual({
    webhooks: { People: "off", Build: "on" },
    keys: [true],
    broadcasts: ["draft"],
    rules: [{ off: "creator", by: "bob@example.com" }],
  });
  const because = "its creator is no longer a manager";
  expect(await log()).toEqual(
    expect.arrayContaining([
      ["webhook.turn-off", "People", because],
      ["api-key.take-over", "Blog", bob.manager.email],
    ]),
  );
  expect(await (await owner.get(role)).text()).not.toContain("“People”"); // nothing is withdrawn any more
});
