import { describe, expect, test } from "bun:test";
import * as subscribers from "../../../db/newsletter/subscribers";
import { importCsv, recognised } from "../../content/csv/subscribers";
import { unsubscribeLink } from "../../security/links";
import { testService } from "../../../test/support/service";
import { isOnPostgres, look, refuse } from "../../../test/support/look";

const path = "/dashboard/newsletter";
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };

/** A service with these subscribers, who joined in this order, and a signed-in manager. */
async function withSubscribers(...emails: string[]) {
  const service = await testService();
  const manager = await service.signIn();
  for (const email of emails) {
    service.clock.time += 1_000;
    await subscribers.subscribe(service.db, { email, source: "blog" }, { via: "form" }, service.now());
  }
  const idOf = async (email: string) => (await subscribers.byEmail(service.db, email))?.id ?? "";
  const stateOf = async (email: string) => (await subscribers.byEmail(service.db, email))?.state;
  const listed = async (query = "") => {
    const page = await (await manager.get(path + query)).text();
    return [...page.matchAll(/class="who"[^>]*>([^<]+)</g)].map(([, email]) => email);
  };
  const leave = (email: string) => subscribers.unsubscribe(service.db, email, { via: "page" }, service.now());
  return { ...service, manager, idOf, stateOf, listed, leave };
}

describe("the list", () => {
  test("shows the newest first, and is sorted, searched and filtered by its URL", async () => {
    const { listed, leave } = await withSubscribers("bo@example.com", "Ängel@example.org", "ada@example.com");
    await leave("bo@example.com");
    expect(await listed()).toEqual(["ada@example.com", "Ängel@example.org", "bo@example.com"]);
    expect(await listed("?sort=joined")).toEqual(["bo@example.com", "Ängel@example.org", "ada@example.com"]);
    expect(await listed("?sort=email")).toEqual(["ada@example.com", "bo@example.com", "Ängel@example.org"]);
    expect(await listed("?status=unsubscribed")).toEqual(["bo@example.com"]);
    expect(await listed("?status=active&q=EXAMPLE.COM")).toEqual(["ada@example.com"]);
    expect(await listed("?q=äNGEL")).toEqual(["Ängel@example.org"]);
    expect(await listed("?q=bo")).toEqual(["bo@example.com"]);
    expect(await listed("?source=landing")).toEqual([]);
    expect(await listed("?q=%25%25%25")).toEqual([]);
    expect(await listed("?sort=;drop&page=-1&per=7&status=x")).toHaveLength(3);
  });

  test("says of those who have left on which day they did, and is sorted by it, of these alone", async () => {
    const { db, clock, manager, leave, listed } = await withSubscribers(
      "a@example.com",
      "b@example.com",
      "c@example.com",
    );
    for (const email of ["b@example.com", "a@example.com", "c@example.com"]) {
      clock.time += 3_600_000;
      if (email !== "c@example.com") await leave(email);
    }
    const left = `${path}?status=unsubscribed`;
    const page = await (await manager.get(`${left}&sort=-unsubscribed`)).text();
    expect(page).toMatch(/aria-sort="descending">(?:(?!<\/th>).)*Unsubscribed on/s);
    expect(await listed("?status=unsubscribed&sort=-unsubscribed")).toEqual(["a@example.com", "b@example.com"]);
    expect(await listed("?status=unsubscribed&sort=unsubscribed")).toEqual(["b@example.com", "a@example.com"]);
    expect(await listed("?sort=unsubscribed")).toEqual(["c@example.com", "b@example.com", "a@example.com"]);
    expect(await (await manager.get(path)).text()).not.toContain("Unsubscribed on");
    if (isOnPostgres) return;
    const query = "select row from subscribers where state = 'unsubscribed' order by unsubscribed_at desc, id desc";
    expect(JSON.stringify(await look(db, `explain query plan ${query}`))).toContain("subscribers_unsubscribed");
  });

  test("has pages of fifty; a page past the end is the last one", async () => {
    const emails = Array.from({ length: 60 }, (_, i) => `p${i}@example.com`);
    const { listed, manager } = await withSubscribers(...emails);
    expect(await listed()).toHaveLength(50);
    expect(await listed("?page=2")).toHaveLength(10);
    expect(await listed("?page=99")).toHaveLength(10);
    expect(await (await manager.get(`${path}?page=2`)).text()).toContain("51–60 of 60");
  });

  test("htmx gets the list alone, everyone else the page", async () => {
    const { manager } = await withSubscribers("ada@example.com");
    expect(await (await manager.get(path)).text()).toStartWith("<!doctype html>");
    const partial = await manager.get(`${path}?q=nobody`, htmx);
    const text = await partial.text();
    expect([partial.status, partial.headers.get("vary")]).toEqual([200, "HX-Request-Type"]);
    expect(text).toStartWith('<section class="list" id="list"');
    expect(text).toContain("No matching subscribers");
  });

  test("with no one on it, says how someone gets there", async () => {
    const { manager } = await withSubscribers();
    expect(await (await manager.get(path)).text()).toContain("api/newsletter/subscribe");
  });
});

describe("reactivate", () => {
  test("makes an unsubscribed address active and says so in the audit log and the timeline", async () => {
    const { manager, idOf, stateOf, leave, db } = await withSubscribers("ada@example.com");
    await leave("ada@example.com");
    const id = await idOf("ada@example.com");
    const answer = await manager.submit(`${path}/${id}/reactivate`, {}, htmx);
    const text = await answer.text();
    expect([answer.status, answer.headers.get("hx-retarget"), await stateOf("ada@example.com")]).toEqual([
      200,
      "#list",
      "active",
    ]);
    expect(text).toContain("ada@example.com reactivated");
    expect(await (await manager.get(`${path}/${id}`)).text()).toContain(
      `<span title="${manager.manager.email}">Reactivated by Olive Owner</span>`,
    );
    expect(await look(db, "select action, target, actor from audit_events where action like 'subscriber%'")).toEqual([
      { action: "subscriber.reactivate", target: "ada@example.com", actor: manager.manager.email },
    ]);
  });

  test("without JavaScript leads back to the list, where the notice waits once", async () => {
    const { manager, idOf, leave } = await withSubscribers("ada@example.com");
    await leave("ada@example.com");
    const referer = `http://localhost:3000${path}?status=unsubscribed`;
    const answer = await manager.submit(`${path}/${await idOf("ada@example.com")}/reactivate`, {}, { referer });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}?status=unsubscribed`]);
    expect(await (await manager.get(path)).text()).toContain("reactivated");
    expect(await (await manager.get(path)).text()).not.toContain("reactivated");
  });
});

describe("delete", () => {
  test("asks again if more match by now than the confirmation said", async () => {
    const { manager, stateOf, clock, db, now } = await withSubscribers("ada@example.com", "bo@example.com");
    const matching = { do: "delete", all: "matching", filter: "source=blog" };
    const question = await (await manager.submit(`${path}/bulk`, matching, htmx)).text();
    const asked = /name="asked" value="(\d+)"/.exec(question)?.[1] ?? "";
    clock.time += 1_000;
    await subscribers.subscribe(db, { email: "new@example.com", source: "blog" }, { via: "form" }, now());
    const again = await manager.submit(`${path}/bulk`, { ...matching, asked, confirmed: "yes" }, htmx);
    expect(await again.text()).toContain("Delete 3 subscribers?");
    expect(await stateOf("new@example.com")).toBe("active");
    await manager.submit(`${path}/bulk`, { ...matching, asked: "3", confirmed: "yes" }, htmx);
    expect(await stateOf("new@example.com")).toBeUndefined();
  });

  test("removes no one whom the audit log does not name (D40)", async () => {
    const { manager, idOf, stateOf, db } = await withSubscribers("ada@example.com");
    await refuse(db, "insert", "audit_events");
    const answer = await manager.submit(`${path}/${await idOf("ada@example.com")}/delete`);
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.stringContaining("Nothing was changed") as never,
    ]);
    expect(await stateOf("ada@example.com")).toBe("active");
  });

  test("asks for confirmation, in a dialog or on a page, and then removes permanently", async () => {
    const { manager, idOf, listed } = await withSubscribers("ada@example.com", "bo@example.com");
    const id = await idOf("ada@example.com");
    expect(await (await manager.get(`${path}/${id}/delete`)).text()).toStartWith("<!doctype html>");
    expect(await (await manager.get(`${path}/${id}/delete`, htmx)).text()).toStartWith("<dialog");
    expect(await listed()).toHaveLength(2);
    await manager.submit(`${path}/${id}/delete`, { confirmed: "yes" }, htmx);
    expect(await listed()).toEqual(["bo@example.com"]);
  });

  test("of a row that no longer exists is no error, and says so", async () => {
    const { manager, idOf } = await withSubscribers("ada@example.com");
    const id = await idOf("ada@example.com");
    await manager.submit(`${path}/${id}/delete`);
    const again = await manager.submit(`${path}/${id}/delete`, {}, htmx);
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("Already deleted") as never]);
    expect((await manager.get(`${path}/${id}`)).status).toBe(404);
  });

  test("and nothing that takes less has a red button in its question", async () => {
    const { manager, idOf } = await withSubscribers("a@example.com", "b@example.com");
    const ids = [await idOf("a@example.com"), await idOf("b@example.com")];
    const buttons: Record<string, unknown> = {};
    for (const name of ["delete", "unsubscribe", "change", "confirm"]) {
      const question = await (await manager.submit(`${path}/bulk`, { do: name, ids }, htmx)).text();
      buttons[name] = /type="submit" class="btn (primary|danger)"/.exec(question)?.[1];
    }
    expect(buttons).toEqual({ delete: "danger", unsubscribe: "primary", change: "primary", confirm: "primary" });
  });

  test("of a selection or of all that match asks for confirmation with the true number", async () => {
    const { manager, listed } = await withSubscribers(
      ...Array.from({ length: 120 }, (_, i) => `p${i}@example.com`),
      "keep@example.org",
    );
    const fields = { do: "delete", all: "matching", filter: "q=example.com" };
    const question = await (await manager.submit(`${path}/bulk`, fields, htmx)).text();
    expect(question).toContain("Delete 120 subscribers?");
    expect((await manager.submit(`${path}/bulk`, { ...fields, confirmed: "yes", typed: "12" }, htmx)).status).toBe(422);
    expect(await listed()).toHaveLength(50);
    const answer = await manager.submit(`${path}/bulk`, { ...fields, confirmed: "yes", typed: "120" }, htmx);
    expect(await answer.text()).toContain("120 subscribers deleted");
    expect(await listed()).toEqual(["keep@example.org"]);
    const none = await manager.submit(`${path}/bulk`, { ...fields, confirmed: "yes" }, htmx);
    expect(await none.text()).toContain("No subscribers selected.");
  });
});

describe("add", () => {
  test("puts someone on the list, with a welcome email only if chosen", async () => {
    const { manager, db } = await withSubscribers();
    await manager.submit(path, { email: "ada@example.com", name: "Ada", source: "dashboard" }, htmx);
    await manager.submit(path, { email: "bo@example.com", welcome: "yes" }, htmx);
    expect(await look(db, "select recipient from outbox")).toEqual([{ recipient: "bo@example.com" }]);
  });

  test("keeps what was typed when it is wrong, and never revives an unsubscribed address", async () => {
    const { manager, leave, stateOf } = await withSubscribers("ada@example.com");
    await leave("ada@example.com");
    for (const [email, problem] of [
      ["nope", "Enter a valid email address."],
      ["ada@example.com", "This address has unsubscribed. If this person asked you to, reactivate it in the list."],
    ] as const) {
      const answer = await manager.submit(path, { email, name: "Typed" }, htmx);
      const text = await answer.text();
      expect([answer.status, text.includes(problem), text.includes('value="Typed"')]).toEqual([422, true, true]);
    }
    expect(await stateOf("ada@example.com")).toBe("unsubscribed");
  });
});

describe("export", () => {
  const csv = async (answer: Response) => (await answer.text()).trim().split("\r\n");

  test("the export contains what the filter shows, guarded against formulas", async () => {
    const { manager, db, now, leave, idOf } = await withSubscribers("ada@example.com", "bo@example.com");
    await subscribers.subscribe(db, { email: "=cmd@example.com", name: "+1" }, { via: "form" }, now());
    await leave("bo@example.com");
    const all = await manager.get(`${path}/export.csv`);
    expect([all.headers.get("content-type"), all.headers.get("content-disposition")]).toEqual([
      "text/csv; charset=utf-8",
      'attachment; filename="subscribers-2026-11-21.csv"',
    ]);
    const lines = await csv(all);
    expect(lines).toHaveLength(4);
    expect(lines[3]).toStartWith("'=cmd@example.com,'+1,");
    expect(await csv(await manager.get(`${path}/export.csv?status=unsubscribed`))).toHaveLength(2);
    const chosen = await manager.submit(`${path}/bulk/export`, { ids: [await idOf("ada@example.com")] });
    expect(await csv(chosen)).toHaveLength(2);
  });

  test("the link to the file says whether it has the whole list or what is left of it, with htmx too", async () => {
    const { manager } = await withSubscribers("ada@example.com", "bo@example.com");
    const labels = async (query: string, headers = {}) =>
      (await (await manager.get(`${path}${query}`, headers)).text()).match(/Export [a-z ]*as CSV/g);
    for (const whole of ["", "?sort=email", "?page=2&per=25"])
      expect(await labels(whole)).toEqual(["Export list as CSV"]);
    for (const part of ["?q=ada", "?status=active", "?from=2026-11-01"]) {
      expect(await labels(part)).toEqual(["Export filtered list as CSV"]);
      const htmx = { "hx-request": "true", "hx-request-type": "partial" };
      expect(await labels(part, htmx)).toEqual(["Export filtered list as CSV"]);
    }
  });

  test("people who have not confirmed are pending in it, so that importing it makes no one active", async () => {
    const { manager, db, now } = await withSubscribers("ada@example.com", "bo@example.com");
    await look(db, "update subscribers set pending_at = ? where email like 'bo@%'", [now().getTime()]);
    const file = await (await manager.get(`${path}/export.csv`)).text();
    const other = (await withSubscribers()).db;
    const terms = { revive: false, origin: { via: "import" as const } };
    const report = await importCsv(
      other,
      await recognised(() => new Blob([file]).stream(), "export.csv"),
      terms,
      now(),
    );
    expect([report.new, report.problems.map(({ line }) => line)]).toEqual([1, [3]]);
  });
});

test("adding, restoring and exporting addresses is recorded, and looking at them is not (D40)", async () => {
  const people = ["ada@example.com", "cy@example.com", "di@example.com"];
  const { manager, db, send, get, config } = await withSubscribers(...people);
  await manager.submit(path, { email: "bo@example.com" }, htmx);
  for (const email of people) await get(unsubscribeLink(config, email), {}, "203.0.113.7");
  await manager.submit(`${path}/restore`, {}, htmx);
  await manager.get(`${path}/export.csv`);
  await send(`${path}/export.csv`, { method: "HEAD", headers: manager.headers });
  await manager.get(path);
  expect(await look(db, "select action, actor from audit_events where action like 'subscriber.%' order by id")).toEqual(
    [
      { action: "subscriber.add", actor: manager.manager.email },
      { action: "subscriber.restore", actor: manager.manager.email },
      { action: "subscriber.export", actor: manager.manager.email },
    ],
  );
});

test("adding an address by hand never reactivates anyone, not even who leaves at the same moment", async () => {
  const { manager, db, stateOf, now } = await withSubscribers();
  const { write } = db;
  db.write = (...args) => {
    db.write = write;
    return subscribers
      .subscribe(db, { email: "bo@example.com" }, { via: "form" }, now())
      .then(() => subscribers.unsubscribe(db, "bo@example.com", { via: "link" }, now()))
      .then(() => write(...args));
  };
  const answer = await manager.submit(path, { email: "bo@example.com" }, htmx);
  expect([answer.status, await answer.text()]).toEqual([
    422,
    expect.stringContaining("This address has unsubscribed."),
  ]);
  expect(await stateOf("bo@example.com")).toBe("unsubscribed");
  expect(await look(db, "select action from audit_events where action = 'subscriber.add'")).toEqual([]);
});

test("those whom a mail scanner unsubscribed are restored in one action", async () => {
  const people = ["a@example.com", "b@example.com", "c@example.com"];
  const { manager, config, get, stateOf } = await withSubscribers(...people);
  for (const email of people) await get(unsubscribeLink(config, email), {}, "203.0.113.7");
  expect(await (await manager.get(path)).text()).toContain("Restore 3");
  await manager.submit(`${path}/restore`, {}, htmx);
  for (const email of people) expect(await stateOf(email)).toBe("active");
  expect(await (await manager.get(path)).text()).not.toContain("A mail scanner probably");
});

test("the longest source there can be is a filter, so that its delete is not everyone's", async () => {
  const { db, listed, now } = await withSubscribers("ada@example.com");
  const source = "😀".repeat(100);
  await subscribers.subscribe(db, { email: "bo@example.com", source }, { via: "form" }, now());
  expect(await listed(`?source=${encodeURIComponent(source)}`)).toEqual(["bo@example.com"]);
});

test("what visitors typed is shown and never interpreted", async () => {
  const { manager, db, now } = await withSubscribers();
  const evil = '"><img src=x onerror=alert(1)>';
  await subscribers.subscribe(db, { email: "x@example.com", name: evil, source: evil }, { via: "form" }, now());
  expect(await (await manager.get(path)).text()).not.toContain("<img");
});
