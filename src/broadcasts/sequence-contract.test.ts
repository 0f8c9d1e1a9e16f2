import { expect, test } from "bun:test";
import { end, pause } from "../../db/sequences/states";
import { startedSequence } from "../../test/support/broadcasts/sequences";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";
import { set } from "../../test/support/settings";
import { confirmLink, unsubscribeLink } from "../security/links";

const by = { actor: "manager@example.com" };
const email = "ada@reader.example";

/** What is different in every response. */
const own = new Set(["x-request-id", "date", "etag", "last-modified"]);

/** Everything that a site and a subscriber see of subscribing and leaving, and the emails that this queues. */
async function story(state: "none" | "on" | "paused" | "off", doubleOptIn: "true" | "false") {
  const { config, db, now, clock, get, post } = await testService();
  await set(db, "doubleOptIn", doubleOptIn, { by: "cli" }, now());
  if (state !== "none") {
    const { id } = await startedSequence(db, now());
    const [{ version = 0 } = {}] = await look<{ version: number }>(db, "select version from sequences");
    if (state === "paused") await pause(db, { id, version }, by, now());
    if (state === "off") await end(db, { id, version }, by, now());
  }
  const seen: unknown[] = [];
  const note = async (name: string, response: Response) =>
    seen.push([
      name,
      response.status,
      [...response.headers].filter(([header]) => !own.has(header)),
      (await response.text()).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID"),
    ]);
  const subscribe = () => post("/api/newsletter/subscribe", { email, name: "Ada", source: "blog" });
  await note("subscribe", await subscribe());
  await note("subscribe again", await subscribe());
  const [{ pending_at: pendingAt = null } = {}] = await look<{ pending_at: number | null }>(
    db,
    "select pending_at from subscribers",
  );
  if (pendingAt) {
    clock.time += 3_600_000;
    const link = confirmLink(config, email, new Date(pendingAt));
    await note("the link", await get(link));
    await note("its button", await post(link, {}));
  }
  await note("not valid", await post("/api/newsletter/subscribe", { email: "ada" }));
  clock.time += 86_400_000;
  await note("unsubscribe", await get(unsubscribeLink(config, email)));
  await note("unsubscribe again", await get(unsubscribeLink(config, email)));
  await note("a wrong link", await get(unsubscribeLink(config, email).replace(/token=./, "token=!")));
  return {
    seen,
    emails: await look<{ kind: string }>(db, "select kind, recipient, state, payload from outbox order by id"),
  };
}

test.each(["false", "true"] as const)(
  "SEQ8: with a sequence that is on, paused or ended, the API and its emails are the same to the byte; double opt-in: %s",
  async (doubleOptIn) => {
    const { seen, emails } = await story("none", doubleOptIn);
    expect(seen.length).toBe(doubleOptIn === "true" ? 8 : 6);
    expect(emails.map((each) => each.kind)).toEqual(doubleOptIn === "true" ? ["confirm", "welcome"] : ["welcome"]);
    for (const state of ["on", "paused", "off"] as const)
      expect([state, await story(state, doubleOptIn)]).toEqual([state, { seen, emails }]);
  },
);
