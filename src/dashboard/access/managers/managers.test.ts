import { expect, test } from "bun:test";
import * as audit from "../../../../db/audit";
import * as managers from "../../../../db/access/managers";
import * as entryLinks from "../../../../db/access/sign-in-links";
import { sha256 } from "../../../security/secrets";
import { createResetLink } from "../../../security/sign-in-links";
import { nextPeer, testPassword, testService } from "../../../../test/support/service";
import { look } from "../../../../test/support/look";

const path = "/dashboard/managers";

async function staff() {
  const service = await testService();
  const { clock, db, now, send, signIn } = service;
  const owner = await signIn({ email: "owner@example.com", name: "Olive Owner" });
  clock.time += 1_000;
  const bob = await signIn({ email: "bob@example.com", name: "Bob", role: "manager" });
  const roles = async () => (await managers.list(db, now())).map(({ email, role }) => [email, role]);
  const actions = async () =>
    (await audit.list(db, { actor: "owner@example.com" }, { page: 1, per: 50 })).events.map(({ action }) => action);
  /** Opens an invitation and sends the form that is there. */
  const join = (url: string) => {
    const { pathname, searchParams } = new URL(url);
    const body = new URLSearchParams({ token: searchParams.get("token") ?? "", name: "Carol", password: testPassword });
    return send(pathname, { method: "POST", body, headers: { "sec-fetch-site": "same-origin" } }, nextPeer());
  };
  return { ...service, actions, bob, join, owner, roles };
}

const linkIn = (page: string) => /value="(http[^"]*\/dashboard\/setup\?token=[\w-]{43})"/.exec(page)?.[1] ?? "";

test("who has no name is listed by the address, once", async () => {
  const { owner, signIn } = await staff();
  await signIn({ email: "nameless@example.com", name: "", role: "editor" });
  const rows = (await (await owner.get(path)).text()).match(/<tr\b.*?<\/tr>/gs) ?? [];
  const row = rows.find((text) => text.includes("nameless@example.com")) ?? "";
  expect([row.match(/>nameless@example\.com</g)?.length, row.includes("No name")]).toEqual([1, true]);
});

test("who never signed in is listed so, in words that need no heading", async () => {
  const { db, owner } = await staff();
  await look(db, "update managers set last_seen_at = null where email = 'bob@example.com'");
  const rows = (await (await owner.get(path)).text()).match(/<tr\b.*?<\/tr>/gs) ?? [];
  expect(rows.filter((row) => row.includes("Never signed in")).map((row) => row.includes("Bob"))).toEqual([true]);
});

test("owners see who may enter; managers do not", async () => {
  const { bob, owner } = await staff();
  const page = await (await owner.get(path)).text();
  for (const text of ["bob@example.com", "Olive Owner", "Two-step off", "1 device"]) expect(page).toContain(text);
  for (const answer of [
    await bob.get(path),
    await bob.get(`${path}/invite`),
    await bob.submit(`${path}/invite`, { email: "x@example.com", role: "owner" }),
    await bob.submit(`${path}/${owner.manager.id}/role`, { role: "manager" }),
    await bob.submit(`${path}/${bob.manager.id}/role`, { role: "owner" }),
    await bob.submit(`${path}/${owner.manager.id}/remove`),
    await bob.submit(`${path}/${owner.manager.id}/sign-out`),
  ])
    expect(answer.status).toBe(403);
  expect((await owner.get(path)).status).toBe(200);
});

test("an invitation is a link shown once, for one use by one address; no email carries it", async () => {
  const { actions, db, join, owner, roles } = await staff();
  const made = await owner.submit(`${path}/invite`, { email: "carol@example.com", role: "manager" });
  const link = linkIn(await made.text());
  expect([made.status, link]).toEqual([201, expect.stringContaining("token=")] as never);
  expect(await (await owner.get(path)).text()).toContain("carol@example.com");
  expect(await (await owner.get(path)).text()).not.toContain(link);
  expect(await look(db, "select * from outbox")).toEqual([]);

  expect((await join(link)).status).toBe(303);
  expect((await join(link)).status).toBe(410);
  expect(await roles()).toContainEqual(["carol@example.com", "manager"]);
  expect(await actions()).toContain("manager.invite");
  const again = await owner.submit(`${path}/invite`, { email: "CAROL@example.com", role: "owner" });
  expect([again.status, await again.text()]).toEqual([
    422,
    expect.stringContaining("This person is already a manager.") as never,
  ]);
});

test("an invitation can be withdrawn, and lasts three days", async () => {
  const { clock, join, owner } = await staff();
  const invite = async () =>
    linkIn(await (await owner.submit(`${path}/invite`, { email: "carol@example.com", role: "manager" })).text());
  const withdrawn = await invite();
  await owner.submit(`${path}/invitations/withdraw`, { email: "carol@example.com" });
  expect((await join(withdrawn)).status).toBe(410);
  const late = await invite();
  clock.time += 3 * 24 * 3_600_000;
  expect((await join(late)).status).toBe(410);
});

/** A second owner, who sent an invitation in order to use it later. */
async function rival() {
  const here = await staff();
  const rival = await here.signIn({ email: "rival@example.com", name: "Rival", role: "owner" });
  const invite = async (by: typeof rival, email: string) =>
    linkIn(await (await by.submit(`${path}/invite`, { email, role: "owner" })).text());
  const back = await invite(rival, "back-door@example.com");
  const other = await invite(here.owner, "carol@example.com");
  const why = async () =>
    (
      await look<{ target: string; details: string }>(
        here.db,
        "select target, details from audit_events where action like 'manager.withdraw-%'",
      )
    ).map(({ target, details }) => ({ target, because: JSON.parse(details).because }));
  return { ...here, back, invite, other, rival, why };
}

test.each([
  ["removed", "remove", {}, "its creator was removed"],
  ["demoted", "role", { role: "manager" }, "its creator is no longer an owner"],
])(
  "an owner who is %s cannot come back by an invitation of their own; those of others stay",
  async (_, verb, fields, because) => {
    const { back, join, other, owner, rival: gone, roles, why } = await rival();
    expect((await owner.submit(`${path}/${gone.manager.id}/${verb}`, fields)).status).toBe(303);
    const page = await (await owner.get(path)).text();
    expect([page.includes("back-door@example.com"), page.includes("carol@example.com")]).toEqual([false, true]);
    expect([(await join(back)).status, (await join(other)).status]).toEqual([410, 303]);
    expect((await roles()).map(([email]) => email)).not.toContain("back-door@example.com");
    expect(await why()).toEqual([{ target: "back-door@example.com", because }]);
  },
);

test("a reset link is withdrawn with the owner who created it; one from the command line stays", async () => {
  for (const [managerId, status] of [
    ["rival", 410],
    [undefined, 200],
  ] as const) {
    const { db, get, now, owner, rival: gone } = await rival();
    const life = { hash: sha256("token"), expiresAt: new Date(now().getTime() + 60_000) };
    const maker = { actor: "test", ...(managerId && { managerId: gone.manager.id }) };
    await entryLinks.createReset(db, { email: "bob@example.com", token: life }, maker, now());
    expect((await get("/dashboard/reset?token=token")).status).toBe(200);
    await owner.submit(`${path}/${gone.manager.id}/remove`);
    expect((await get("/dashboard/reset?token=token")).status).toBe(status);
  }
});

test("a manager who becomes an owner, or is signed out everywhere, keeps the invitations", async () => {
  const { back, join, owner, rival: other } = await rival();
  await owner.submit(`${path}/${other.manager.id}/sign-out`);
  await owner.submit(`${path}/${other.manager.id}/role`, { role: "owner" });
  expect((await join(back)).status).toBe(303);
});

test("after an owner's password is reset, invitations sent in their name earlier let no one in", async () => {
  const { back, config, db, join, now, other, rival: lost, send, why } = await rival();
  const reset = await createResetLink({ config, db }, "rival@example.com", now());
  const body = new URLSearchParams({
    token: new URL(reset?.url ?? "").searchParams.get("token") ?? "",
    password: "a different violet otter",
  });
  const answer = await send("/dashboard/reset", { method: "POST", body, headers: { "sec-fetch-site": "same-origin" } });
  expect([answer.status, (await lost.get(path)).status]).toEqual([303, 303]);
  expect([(await join(back)).status, (await join(other)).status]).toEqual([410, 303]);
  expect(await why()).toEqual([{ target: "back-door@example.com", because: "the password of its creator was reset" }]);
});

test("an invitation created while its creator is being removed lets no one in", async () => {
  for (let i = 0; i < 3; i++) {
    const { invite, join, owner, rival: gone, roles } = await rival();
    const [late] = await Promise.all([
      invite(gone, "late@example.com"),
      owner.submit(`${path}/${gone.manager.id}/remove`),
    ]);
    if (late) expect((await join(late)).status).toBe(410);
    expect((await roles()).map(([email]) => email)).not.toContain("late@example.com");
  }
});

test.each([
  [{ email: "nope", role: "manager" }, "Enter a valid email address."],
  [{ email: "a@example.com", role: "god" }, "owner or manager"],
  [{}, "Enter an email address."],
])("an invitation needs an address and a role: %j", async (fields, words) => {
  const { owner } = await staff();
  const answer = await owner.submit(`${path}/invite`, fields as Record<string, string>);
  const page = await answer.text();
  expect(answer.status).toBe(422);
  if (!words.includes("owner or")) expect(page).toContain(words);
});

test.each(["editor", "analyst"] as const)(
  "%s: invited as such, told what that is, and nothing else opens",
  async (role) => {
    const { bob, join, owner, roles } = await staff();
    const made = await owner.submit(`${path}/invite`, { email: "carol@example.com", role });
    expect((await join(linkIn(await made.text()))).status).toBe(303);
    expect(await roles()).toContainEqual(["carol@example.com", role]);
    expect(await (await owner.get(path)).text()).toContain("They see no");

    await owner.submit(`${path}/${bob.manager.id}/role`, { role });
    expect((await bob.get("/dashboard")).status).toBe(303); // signed out
    expect(await roles()).toContainEqual(["bob@example.com", role]);
  },
);

test("a role changes immediately: the manager's sessions end", async () => {
  const { actions, bob, owner, roles } = await staff();
  const question = await (await owner.get(`${path}/${bob.manager.id}/role`)).text();
  expect(question).toContain("bob@example.com will be signed out on all devices");
  expect(question).toContain('<option value="manager" selected>Manager</option>');
  expect((await owner.submit(`${path}/${bob.manager.id}/role`, { role: "owner" })).status).toBe(303);
  expect(await roles()).toContainEqual(["bob@example.com", "owner"]);
  expect((await bob.get("/dashboard/account")).status).toBe(303);
  expect(await actions()).toContain("manager.change-role");
  await owner.submit(`${path}/${bob.manager.id}/role`, { role: "god" });
  expect(await roles()).toContainEqual(["bob@example.com", "owner"]);
});

test("a removed manager loses access immediately, on every device, with everything they had", async () => {
  const { actions, bob, db, owner, signIn } = await staff();
  const more = await Promise.all([1, 2, 3].map(() => signIn({ email: "bob@example.com" })));
  const question = await owner.get(`${path}/${bob.manager.id}/remove`);
  expect([question.status, await question.text()]).toEqual([200, expect.stringContaining("Remove Bob?") as never]);
  expect((await owner.submit(`${path}/${bob.manager.id}/remove`)).status).toBe(303);
  for (const { get } of [bob, ...more]) expect((await get("/dashboard/account")).status).toBe(303);
  expect(await managers.byEmail(db, "bob@example.com")).toBeUndefined();
  expect(await actions()).toContain("manager.remove");
  const gone = await owner.submit(`${path}/${bob.manager.id}/remove`);
  expect(gone.status).toBe(303);
  expect(await (await owner.get(path)).text()).toContain("already removed");
});

test("no one can remove or demote themselves, so there is always an owner", async () => {
  const { owner, roles } = await staff();
  await owner.submit(`${path}/${owner.manager.id}/remove`);
  await owner.submit(`${path}/${owner.manager.id}/role`, { role: "manager" });
  expect(await roles()).toContainEqual(["owner@example.com", "owner"]);
  expect(await (await owner.get(path)).text()).toContain("Ask another owner");
});

test("two owners who remove each other at the same moment leave one", async () => {
  for (let i = 0; i < 10; i++) {
    const { owner, roles, signIn } = await staff();
    const rival = await signIn({ email: "rival@example.com", role: "owner" });
    await Promise.all([
      owner.submit(`${path}/${rival.manager.id}/remove`),
      rival.submit(`${path}/${owner.manager.id}/remove`),
    ]);
    expect((await roles()).filter(([, role]) => role === "owner")).toHaveLength(1);
  }
});

test("an owner signs someone out everywhere", async () => {
  const { bob, owner } = await staff();
  await owner.submit(`${path}/${bob.manager.id}/sign-out`);
  expect([(await bob.get("/dashboard/account")).status, (await owner.get(path)).status]).toEqual([303, 200]);
});
