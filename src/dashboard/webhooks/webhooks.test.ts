import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as endpoints from "../../../db/webhooks/endpoints";
import { list } from "../../../db/webhooks/deliveries";
import { everything, look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { webhookReceiver } from "../../../test/support/webhooks";
import { WebhookSender } from "../../webhooks/sender";

const path = "/dashboard/webhooks";
const minute = 60_000;

async function service() {
  const receiver = webhookReceiver({ now: () => own.now() });
  const own = await testService(receiver.env);
  const manager = await own.signIn();
  const sender = new WebhookSender(own);
  /** Opens the form and submits it. */
  const add = async (fields: Record<string, string | string[]> = {}) => {
    const once = /name="once" value="([^"]+)"/.exec(await (await manager.get(`${path}/new`)).text())?.[1] ?? "";
    const response = await manager.submit(path, { name: "Blog", url: receiver.url, once, ...fields });
    const html = await response.text();
    const secret = /whsec_[\w+/=]+/.exec(html)?.[0] ?? "";
    if (secret) receiver.secrets.push(secret);
    return { once, status: response.status, html, secret };
  };
  const first = async () => (await endpoints.list(own.db))[0] as endpoints.Endpoint;
  const deliveries = async () => (await list(own.db, { endpointId: (await first()).id }, { page: 1, per: 50 })).rows;
  const to = async (rest: string) => `${path}/${(await first()).id}${rest}`;
  const stop = async () => (await sender.close(), await receiver.stop());
  return { ...own, add, deliveries, first, manager, receiver, sender, stop, to };
}

test("an endpoint is added, its secret shown once and kept encrypted, and a ping arrives with its signature", async () => {
  const { add, db, deliveries, first, logged, manager, receiver, sender, stop, to } = await service();
  const { html, once, secret, status } = await add({ events: ["post.published", "nonsense"] });
  expect([status, secret.length]).toEqual([201, 50]);
  expect(html).toContain("This is the only time the signing secret of “<strong>Blog</strong>” is shown");
  expect(await first()).toMatchObject({ url: receiver.url, events: ["post.published"], withPeople: false });
  const again = await manager.submit(path, { name: "Blog", url: receiver.url, once });
  expect([again.status, (await endpoints.list(db)).length]).toEqual([303, 1]);
  await manager.submit(await to("/ping"));
  await sender.drain();
  expect(receiver.accepted.map(({ type, id }) => [type, id])).toEqual([["ping", (await deliveries())[0]?.id ?? ""]]);
  const page = await (await manager.get(await to(""))).text();
  for (const text of ["Delivered", "200", "&quot;type&quot;: &quot;ping&quot;"]) expect(page).toContain(text);
  const bytes = Buffer.from(await everything(db));
  for (const hidden of [secret, secret.slice(6)]) {
    expect(bytes.includes(hidden)).toBe(false);
    expect(page + JSON.stringify(logged)).not.toContain(hidden);
  }
  expect((await audit.list(db, { group: "webhook" }, { page: 1, per: 50 })).events.map(({ action }) => action)).toEqual(
    ["webhook.ping", "webhook.add"],
  );
  await stop();
});

test("a call says in words what happened, with its code; so does the button that sends it again", async () => {
  const { add, manager, db, stop, to } = await service();
  await add();
  await manager.submit("/dashboard/newsletter", { email: "ada@example.com" });
  await manager.submit(await to("/ping"));
  const page = async () => (await manager.get(await to(""))).text();
  const rows = async () =>
    [...(await page()).matchAll(/<summary>([^<]+)<span class="sub mono">([^<]+)/g)].map(([, ...words]) => words).sort();
  expect(await rows()).toEqual([
    ["A ping, to try the endpoint", "ping"],
    ["Someone subscribed", "subscriber.subscribed"],
  ]);
  await look(db, "update webhook_deliveries set type = 'post.shared' where type = 'ping'"); // of an earlier version
  expect(await rows()).toContainEqual(["post.shared", "post.shared"]);
  expect(await page()).toContain('aria-label="Send again: Someone subscribed, ');
  await stop();
});

test("a URL that leads inside is refused in a sentence, and what was typed is kept", async () => {
  const { add, db, stop } = await service();
  for (const url of ["https://10.0.0.1/", "http://example.com/", "https://a:b@example.com/", "", "x".repeat(5_000)]) {
    const { status, html } = await add({ url, name: "Kept", events: "ping", withPeople: "yes" });
    expect(status).toBe(422);
    expect(html).toContain('value="Kept"');
    expect(html).toMatch(/The (URL|host|port) must|Enter a URL/);
  }
  expect(await endpoints.list(db)).toEqual([]);
  await stop();
});

test("what someone else saved while the form was open stays, and a field that both changed is asked about", async () => {
  const { add, db, first, manager, stop, to } = await service();
  await add({ url: "https://example.com/hooks", name: "Blog" });
  const opened = async () =>
    Object.fromEntries(
      [
        ...(await (await manager.get(await to("/edit"))).text()).matchAll(/name="(was\.\w+|version)" value="([^"]*)"/g),
      ].map(([, name = "", value = ""]) => [name, value]),
    );
  const form = { name: "Blog", url: "https://example.com/hooks", events: [] };
  const mine = await opened();
  const theirs = { ...(await opened()), ...form, name: "Theirs", events: ["broadcast.sent"] };
  expect((await manager.submit(await to("/edit"), theirs)).status).toBe(303);

  await manager.submit(await to("/edit"), { ...mine, ...form, withPeople: "yes" });
  expect(await first()).toMatchObject({ name: "Theirs", events: ["broadcast.sent"], withPeople: true });

  const asked = await manager.submit(await to("/edit"), { ...mine, ...form, name: "Mine", events: ["post.published"] });
  const html = await asked.text();
  expect([asked.status, (await first()).name]).toEqual([422, "Theirs"]);
  expect(html).toContain("Someone else changed this to “Theirs”. Save again to use your value.");
  expect(html).toContain("Someone else changed this to “broadcast.sent”. Save again to use your value.");
  for (const kept of ['value="Mine"', 'value="post.published" checked', 'name="was.name" value="Theirs"'])
    expect(html).toContain(kept);

  const again = { ...(await opened()), ...form, name: "Mine", events: ["post.published"], withPeople: "yes" };
  expect((await manager.submit(await to("/edit"), again)).status).toBe(303);
  const { version } = await first();
  expect((await manager.submit(await to("/edit"), again)).status).toBe(303); // sent twice
  expect(await first()).toMatchObject({ name: "Mine", events: ["post.published"], withPeople: true, version });
  expect((await endpoints.list(db)).length).toBe(1);
  await stop();
});

test("it is edited as it was seen, turned off and on, its secret replaced, and removed", async () => {
  const { add, clock, db, first, manager, receiver, sender, stop, to } = await service();
  await add();
  const edit = (version: number, name: string) =>
    manager.submit(`${path}/${id}/edit`, { version: String(version), name, url: receiver.url, withPeople: "yes" });
  const { id, version } = await first();
  await edit(version, "News");
  await edit(version, "Too late");
  expect(await first()).toMatchObject({ name: "News", withPeople: true, version: version + 1 });
  await manager.submit(await to("/off"));
  expect((await first()).state).toBe("off");
  await manager.submit(await to("/ping"));
  await manager.submit(await to("/on"));
  expect([(await first()).state, receiver.attempts.length]).toEqual(["on", 0]);

  const question = await (await manager.get(await to("/rotate"))).text();
  const asked = /name="version" value="(\d+)"/.exec(question)?.[1] ?? "";
  const shown = await (await manager.submit(await to("/rotate"), { version: asked })).text();
  const secret = /whsec_[\w+/=]+/.exec(shown)?.[0] ?? "";
  expect((await manager.submit(await to("/rotate"), { version: asked })).status).toBe(303);
  expect(secret).not.toBe(receiver.secrets[0] ?? "");
  receiver.secrets = [secret];
  await manager.submit(await to("/ping"));
  await sender.drain();
  expect([receiver.accepted.length, receiver.forged.length]).toEqual([1, 0]);

  clock.time += 61 * minute; // the password was entered too long ago
  for (const path of [await to("/rotate"), await to("/edit"), "/dashboard/webhooks/new"])
    expect((await manager.get(path)).headers.get("location")).toContain("/dashboard/confirm");
  const before = await first();
  const elsewhere = { name: "Blog", url: "https://example.com/", withPeople: "yes", version: String(before.version) };
  expect((await manager.submit(await to("/edit"), elsewhere)).headers.get("location")).toContain("/dashboard/confirm");
  expect(await first()).toEqual(before);
  await manager.submit(await to("/remove"));
  expect(await endpoints.list(db)).toEqual([]);
  expect((await manager.get(`${path}/${id}`)).status).toBe(404);
  const { events } = await audit.list(db, { group: "webhook" }, { page: 1, per: 50 });
  expect(events.reverse().map(({ action, targetId }) => [action.split(".")[1], targetId])).toEqual(
    ["add", "change", "turn-off", "turn-on", "rotate", "ping", "remove"].map((verb) => [verb, id]),
  );
  await stop();
});

test("the page follows a call until it has been answered, with its state, its week and what is wrong", async () => {
  const { add, manager, receiver, sender, stop, to } = await service();
  await add();
  const part = { "hx-request": "true", "hx-request-type": "partial" };
  const polled = (html: string) => /<section[^>]* data-poll="([^"]+)"/.exec(html)?.[1];
  expect(polled(await (await manager.get(await to(""))).text())).toBeUndefined();
  await manager.submit(await to("/ping"));
  expect(polled(await (await manager.get(await to(""))).text())).toBe(await to(""));
  receiver.answer = () => 500;
  await sender.drain();
  const fresh = await (await manager.get(await to(""), part)).text();
  for (const [target, words] of [
    ["#endpoint-state", "Failing"],
    ["#trouble", "No call has succeeded since"],
    ["#trouble", "Its last response was 500."],
    ["#week", "0 delivered, 1 retrying, 0 failed"],
    ["#failed", "Send all failed again"],
  ])
    expect(fresh.split("</hx-partial>").find((one) => one.includes(`hx-target="${target}"`))).toContain(words ?? "");
  expect(polled(fresh)).toBe(await to("")); // the second attempt is due in seconds
  receiver.answer = () => 200;
  await manager.submit(await to("/again"), { hours: "1" });
  await sender.drain();
  expect(polled(await (await manager.get(await to(""), part)).text())).toBeUndefined();
  await manager.submit(await to("/ping"));
  await manager.submit(await to("/off"));
  expect(polled(await (await manager.get(await to(""))).text())).toBeUndefined(); // nothing is on its way
  await stop();
});

test("a call has the headers it was sent with, and the beginning of a response that was no success", async () => {
  const { add, clock, deliveries, first, logged, manager, receiver, sender, stop, to } = await service();
  await add({ withPeople: "yes" });
  const said = `<b>no such\ntable</b> ${"x".repeat(2_000)}`;
  receiver.answer = () => new Response(said, { status: 500 });
  await manager.submit(await to("/ping"));
  await sender.drain();
  const [arrival] = receiver.attempts;
  const page = await (await manager.get(await to(""))).text();
  for (const name of ["content-type", "user-agent", "webhook-id", "webhook-timestamp", "webhook-signature"])
    expect(page).toContain(`${name}: ${arrival?.headers[name]}`);
  expect(page).toMatch(/500\n&lt;b&gt;no such table&lt;\/b&gt; x{179}<\/pre>/); // 200 characters, in one line
  expect(JSON.stringify(logged)).not.toContain("no such table");
  const { version } = await first();
  clock.time += minute;
  await manager.submit(await to("/rotate"), { version: String(version) });
  const later = await (await manager.get(await to(""))).text();
  expect(later).toContain(`webhook-id: ${(await deliveries())[0]?.id}`);
  expect(later).not.toContain("webhook-signature");
  await stop();
});

test("failed deliveries are listed and sent again, one or all of a period, under their IDs", async () => {
  const { add, deliveries, manager, receiver, sender, stop, to } = await service();
  await add();
  const offersAll = async () => (await (await manager.get(await to(""))).text()).includes("Send all failed again");
  expect(await offersAll()).toBe(false);
  receiver.answer = () => 500;
  for (let i = 0; i < 2; i++) await manager.submit(await to("/ping"));
  await sender.drain();
  expect(await offersAll()).toBe(true);
  expect(await (await manager.get(await to("?state=retrying"))).text()).toContain('"again-');
  expect(await (await manager.get(await to("?state=dead"))).text()).toContain("No matching deliveries");
  receiver.answer = () => 200;
  const here = await to("");
  const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${here}` };
  const [newest] = await deliveries();
  const answer = await manager.submit(`${here}/deliveries/${newest?.id}/again`, {}, htmx);
  expect(await answer.text()).toContain("Delivery queued again.");
  await sender.drain();
  expect(receiver.accepted.map(({ id }) => id)).toEqual([newest?.id ?? ""]);
  await manager.submit(await to("/again"), { hours: "1" });
  await sender.drain();
  expect(new Set(receiver.attempts.map(({ id }) => id)).size).toBe(2);
  expect((await deliveries()).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  await stop();
});

test("an endpoint that verifies uploads has its time and what happens without an answer, which an edit keeps", async () => {
  const { add, first, manager, stop, to } = await service();
  await add({ events: "upload.verify", verifySeconds: "120", acceptsUnanswered: "yes" });
  expect(await first()).toMatchObject({ verifySeconds: 120, acceptsUnanswered: true });
  const page = async () => (await (await manager.get(await to(""))).text()).replace(/\s+/g, " ");
  expect(await page()).toContain("120 seconds for each answer; uploads without one are accepted");
  const form = await (await manager.get(await to("/edit"))).text();
  expect(form).toMatch(/<option value="120" selected/);
  const { name, url, version } = await first();
  const fields = { name, url, version: String(version), events: "upload.verify", verifySeconds: "10" };
  await manager.submit(await to("/edit"), fields);
  expect(await first()).toMatchObject({ verifySeconds: 10, acceptsUnanswered: false, events: ["upload.verify"] });
  expect(await page()).toContain("uploads without one are refused");
  for (const seconds of ["0", "301", "x"]) {
    const { version: current } = await first();
    await manager.submit(await to("/edit"), { ...fields, version: String(current), verifySeconds: seconds });
    expect((await first()).verifySeconds).toBe(30);
  }
  await stop();
});
