import { expect, test } from "bun:test";
import { erase } from "../../../db/people/erase";
import * as settings from "../../../test/support/settings";
import * as subscribers from "../../../db/newsletter/subscribers";
import { startWorker } from "../../../test/support/outbox";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const path = "/dashboard/outbox";
const day = 86_400_000;
type Row = { id: string; kind: string; state: string; recipient: string };

/** A service without a provider, where one person subscribed and the email was simulated. */
async function service(doubleOptIn = false) {
  const own = await testService();
  const { db, now } = own;
  const manager = await own.signIn();
  if (doubleOptIn) await settings.set(db, "doubleOptIn", "true", { by: "cli" }, now());
  const subscribe = () => subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, now());
  const work = async () => {
    const worker = startWorker({ ...own }, { everyMs: 1e9 });
    await worker.drain();
    await worker.close();
  };
  const mails = async () =>
    (await look(db, "select id, kind, state, recipient from outbox order by created_at, id")) as Row[];
  /** The notice on the page that the response leads to, and that page's path. */
  const again = async (id: string) => {
    const location = (await manager.submit(`${path}/${id}/again`)).headers.get("location") ?? "";
    const [, notice] =
      /<p>((?:Nothing was sent|Email queued|This email was)[^<]*)</.exec(await (await manager.get(location)).text()) ??
      [];
    return { location, notice };
  };
  await subscribe();
  await work();
  const [{ id }] = (await mails()) as [Row];
  return { ...own, manager, subscribe, work, mails, again, id };
}

test("a simulated email is sent again as a new one, and only once however often that is requested", async () => {
  const { again, clock, db, id, mails, manager, work } = await service();
  clock.time += 60_000;
  const pages = await Promise.all([again(id), again(id), again(id)]);
  const [first, second] = await mails();
  expect(await mails()).toHaveLength(2);
  expect(pages.map(({ location }) => location)).toEqual(Array(3).fill(`${path}/${second?.id}`));
  expect([first?.state, second]).toEqual([
    "simulated",
    { id: second?.id as string, kind: "welcome", state: "queued", recipient: "ada@example.com" },
  ]);
  const page = await (await manager.get(`${path}/${id}`)).text();
  expect(page).toContain(`href="${path}/${second?.id}">View the new email`);
  expect(page).not.toContain('id="again"');
  expect(await look(db, "select action, target_id from audit_events where action like 'mail.%'")).toEqual([
    { action: "mail.repeat", target_id: second?.id as string },
  ]);
  await work();
  expect((await again(second?.id ?? "")).notice).toBe("Email queued again. This is the new one.");
  expect(await mails()).toHaveLength(3);
});

test("a failed one too; one that was sent or waits is not", async () => {
  const { again, db, id, mails } = await service();
  for (const state of ["sent", "queued", "cancelled"]) {
    await look(db, "update outbox set state = ?", [state]);
    expect((await again(id)).notice).toBe(
      "Nothing was sent: only simulated, failed and uncertain emails can be sent again.",
    );
  }
  await look(db, "update outbox set state = 'dead', attempts = 10, last_error = '422'");
  await again(id);
  expect((await mails()).map(({ state }) => state).sort()).toEqual(["dead", "queued"]);
});

test("an email whose link has expired, or whose reason is gone, is not sent again", async () => {
  const { again, clock, db, id, mails, manager } = await service(true);
  clock.time += 7 * day + 1;
  await look(db, "update sessions set created_at = ?1, seen_at = ?1, confirmed_at = ?1", [clock.time]);
  expect((await again(id)).notice).toBe("Nothing was sent. The link in it has expired.");
  await look(db, "update subscribers set pending_at = null");
  expect((await again(id)).notice).toBe("Nothing was sent. Already confirmed.");
  await look(db, "delete from subscribers");
  expect((await again(id)).notice).toBe("Nothing was sent. No longer subscribed.");
  expect(await mails()).toHaveLength(1);
  expect((await manager.submit(`${path}/unknown/again`)).status).toBe(303);
});

test("the limit on welcome emails applies here too (D13)", async () => {
  const { again, clock, db, id, mails } = await service();
  await look(
    db,
    `insert into outbox (id, kind, recipient, recipient_key, subject_id, payload, state, next_attempt_at, created_at)
     select 'other', kind, recipient, recipient_key, subject_id, '{}', 'sent', ?1, ?1 from outbox`,
    [clock.time - day / 2],
  );
  expect((await again(id)).notice).toContain("this subscriber has had a welcome email recently");
  expect(await mails()).toHaveLength(2);
});

test("an email to someone who was erased is not sent again, whatever it was", async () => {
  const { again, db, id, mails, now } = await service();
  await look(db, "update outbox set kind = 'test', state = 'dead'");
  const what = { id: "e1", email: "ada@example.com", scope: ["subscription" as const] };
  await erase(db, what, { actor: "cli", via: "cli" }, now());
  expect((await again(id)).notice).toBe("Nothing was sent. The person’s data was erased.");
  expect(await mails()).toMatchObject([{ state: "dead", recipient: "erased" }]);
});
