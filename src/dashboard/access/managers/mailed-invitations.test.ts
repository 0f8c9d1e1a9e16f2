import { afterAll, expect, test } from "bun:test";
import { startWorker } from "../../../../test/support/outbox";
import { look } from "../../../../test/support/look";
import { fakeProvider } from "../../../../test/support/mail";
import { nextPeer, testPassword, testService } from "../../../../test/support/service";

const path = "/dashboard/managers";
const carol = "carol@example.com";
const provider = await fakeProvider();
afterAll(() => provider.stop());

async function service(env: Record<string, string> = provider.env) {
  const own = await testService(env);
  const { db, send, signIn } = own;
  const owner = await signIn({ name: "Olive Owner" });
  const work = async () => {
    const worker = startWorker({ ...own }, { everyMs: 1e9 });
    await worker.drain();
    await worker.close();
  };
  const invite = (fields: Record<string, string> = {}) =>
    owner.submit(`${path}/invite`, { email: carol, role: "manager", by: "email", ...fields });
  const linkIn = (text = "") => /http:\/\/localhost:3000\/dashboard\/setup\?token=[\w-]{43}/.exec(text)?.[0] ?? "";
  const join = async (url: string) => {
    const token = new URL(url).searchParams.get("token") ?? "";
    const body = new URLSearchParams({ token, name: "Carol", password: testPassword });
    const headers = { "sec-fetch-site": "same-origin" };
    return (await send("/dashboard/setup", { method: "POST", body, headers }, nextPeer())).status;
  };
  const states = async () =>
    (await look(db, "select state, last_error from outbox where kind = 'invitation' order by created_at, id")) as {
      state: string;
      last_error: string | null;
    }[];
  return { ...own, owner, work, invite, linkIn, join, states };
}

test("with a provider the link is in the email alone: on no page, and not in the database", async () => {
  const { db, invite, join, linkIn, owner, work } = await service();
  const made = await invite();
  expect([made.status, made.headers.get("location")]).toEqual([303, path]);
  const page = await (await owner.get(path)).text();
  expect(page).toContain(`Invitation for ${carol} queued.`);
  await work();
  const mail = provider.delivered().at(-1);
  expect([mail?.to, mail?.subject]).toEqual([[carol], "Olive Owner invited you to manage localhost:3000"]);
  const link = linkIn(mail?.text);
  expect(linkIn(mail?.html)).toBe(link);
  const token = new URL(link).searchParams.get("token") ?? "";

  const [{ id }] = (await look(db, "select id from outbox where kind = 'invitation'")) as [{ id: string }];
  const seen = [page, await (await owner.get(`/dashboard/outbox/${id}`)).text()];
  seen.push(await (await owner.get(`/dashboard/outbox/${id}/preview`)).text());
  for (const table of ["outbox", "one_time_tokens", "audit_events", "sessions"])
    seen.push(JSON.stringify(await look(db, `select * from ${table}`)));
  for (const text of seen) expect(text).not.toContain(token);
  expect(seen[2]).toContain("token=…");
  expect([await join(link), await join(link)]).toEqual([303, 410]);
});

test.each([
  ["editor", "as an editor", "You can write and publish posts and projects"],
  ["analyst", "as an analyst", "You see no names, addresses or messages"],
  ["owner", "as an owner", "You can do everything"],
])("an invitation says what a role may do: %s", async (role, name, sentence) => {
  const { invite, work } = await service();
  await invite({ role });
  await work();
  const mail = provider.delivered().at(-1);
  for (const part of [mail?.text, mail?.html]) expect(part?.replace(/\s+/g, " ")).toContain(sentence);
  expect(mail?.text).toContain(name);
});

test("an invitation that was withdrawn, replaced or has expired is not sent", async () => {
  const { clock, db, invite, owner, states, work } = await service();
  await invite();
  await owner.submit(`${path}/invitations/withdraw`, { email: carol });
  clock.time += 1_000;
  await invite();
  clock.time += 1_000;
  await invite({ role: "owner" });
  clock.time += 1_000;
  await invite({ email: "dan@example.com" });
  await look(db, "update one_time_tokens set expires_at = ? where subject = 'dan@example.com'", [clock.time]);
  await work();
  const why = "The invitation was used or withdrawn, or has expired";
  expect(await states()).toEqual([
    { state: "cancelled", last_error: why },
    { state: "cancelled", last_error: why },
    { state: "sent", last_error: null },
    { state: "cancelled", last_error: why },
  ]);
  expect(provider.delivered().at(-1)?.text).toContain("as an owner");
});

test("without a provider, or if chosen, the link is shown once instead, and nothing is queued", async () => {
  const without = await service({});
  expect(await (await without.owner.get(`${path}/invite`)).text()).not.toContain("Send the link by email");
  const shown = await without.invite();
  expect([shown.status, without.linkIn(await shown.text())]).toEqual([201, expect.stringContaining("token=")] as never);
  expect(await without.states()).toEqual([]);

  const { invite, linkIn, states } = await service();
  const asked = await invite({ by: "link" });
  expect([asked.status, linkIn(await asked.text())]).toEqual([201, expect.stringContaining("token=")] as never);
  expect(await states()).toEqual([]);
});
