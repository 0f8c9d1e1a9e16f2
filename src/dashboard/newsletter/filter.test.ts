import { expect, test } from "bun:test";
import * as apiKeys from "../../../db/access/keys/api-keys";
import { startedSequence } from "../../../test/support/broadcasts/sequences";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const list = "/dashboard/newsletter";
const fromBlog = { v: 2, all: [{ field: "source", is: "any", of: ["blog"] }] };
const fields = { "w.kind": "all", "w.0.field": "source", "w.0.is": "any", "w.0.of": "blog" };

async function openList() {
  const service = await testService();
  const manager = await service.signIn();
  for (const [email, source] of [
    ["ada@a.example", "blog"],
    ["bo@a.example", "blog"],
    ["cy@a.example", "shop"],
  ])
    await service.post("/api/newsletter/subscribe", { email, source });
  const text = async (query: string) => (await manager.get(`${list}${query}`)).text();
  const listed = async (query: string) =>
    [...(await text(query)).matchAll(/id="open-[^"]+">([^<]+)</g)].map(([, email]) => email).sort();
  const where = (segment: unknown) => `?where=${encodeURIComponent(JSON.stringify(segment))}`;
  return { ...service, manager, text, listed, where };
}

test("the list, its export and actions on all matching keep to the conditions", async () => {
  const { manager, text, listed, where, db } = await openList();
  expect(await listed(where(fromBlog))).toEqual(["ada@a.example", "bo@a.example"]);
  expect(await text(where(fromBlog))).toContain("People who came from “blog”");
  const file = await (await manager.get(`${list}/export.csv${where(fromBlog)}`)).text();
  expect(file).not.toContain("cy@a.example");
  const filter = where(fromBlog).slice(1);
  await manager.submit(`${list}/bulk`, { do: "delete", all: "matching", filter, confirmed: "yes", asked: "2" });
  expect(await look(db, "select email from subscribers")).toEqual([{ email: "cy@a.example" }]);
});

test("conditions that cannot be read, and a segment that is gone, show nobody and act on nobody", async () => {
  const { manager, listed, db } = await openList();
  const wrong = [
    "?where=%7B",
    "?where=%7B%22v%22%3A2%7D",
    `?segment=${Bun.randomUUIDv7()}`,
    `?where=${"x".repeat(9_000)}`,
  ];
  for (const query of wrong) {
    expect([query.slice(0, 30), await listed(query)]).toEqual([query.slice(0, 30), []]);
    const filter = query.slice(1);
    await manager.submit(`${list}/bulk`, { do: "delete", all: "matching", filter, confirmed: "yes", asked: "3" });
  }
  expect(await look(db, "select count(*) as n from subscribers")).toEqual([{ n: 3 }]);
});

test("a filter is used, saved under a name, changed and deleted", async () => {
  const { manager, text, listed } = await openList();
  const send = async (body: Record<string, string>) =>
    manager.submit(`${list}/filter`, { rest: "sort=email", ...body });
  const shown = await send({ ...fields, do: "show" });
  expect(shown.headers.get("location")).toBe(
    `${list}?sort=email&where=${encodeURIComponent(JSON.stringify(fromBlog)).replaceAll("%20", "+")}`,
  );
  expect((await send({ "w.0.field": "source", "w.0.is": "any", do: "show" })).status).toBe(422);
  expect((await send({ ...fields, do: "save", name: "" })).status).toBe(422);
  const saved = await send({ ...fields, do: "save", name: "Readers" });
  const id = /segment=([\da-f-]{36})/.exec(saved.headers.get("location") ?? "")?.[1] ?? "";
  expect(await listed(`?segment=${id}`)).toEqual(["ada@a.example", "bo@a.example"]);
  expect(await text(`?segment=${id}`)).toContain("<strong>Readers: </strong>");
  expect((await send({ ...fields, do: "save", name: "readers" })).status).toBe(422);
  const change = { ...fields, "w.0.of": "shop", segment: id, version: "1", do: "change", name: "Buyers" };
  expect((await send(change)).status).toBe(303);
  expect(await listed(`?segment=${id}`)).toEqual(["cy@a.example"]);
  expect((await send(change)).status).toBe(409);
  expect(await (await manager.get(`${list}/filter?segment=${id}`)).text()).toContain('value="Buyers"');
  await manager.submit(`${list}/filter/${id}/delete`, {});
  expect(await listed(`?segment=${id}`)).toEqual([]);
});

test("people who were just counted or saved are all shown, whatever was searched for before", async () => {
  const { manager, listed } = await openList();
  const rest = "q=cy%40a.example&status=unsubscribed&sort=email";
  for (const [act, param] of [
    ["show", "where"],
    ["save", "segment"],
  ] as const) {
    const shown = await manager.submit(`${list}/filter`, { ...fields, rest, do: act, name: "Readers" });
    const to = new URL(shown.headers.get("location") ?? "", "http://x");
    expect([...to.searchParams.keys()].toSorted()).toEqual([param, "sort"].toSorted());
    expect(await listed(to.search)).toEqual(["ada@a.example", "bo@a.example"]);
  }
});

test("a new segment is offered below the saved ones", async () => {
  const { manager, text } = await openList();
  const offer = `href="${list}/filter"[^>]*>.{0,400}New segment…`;
  await manager.submit(`${list}/filter`, { ...fields, rest: "", do: "save", name: "Readers" });
  expect(await text("")).toMatch(new RegExp(`segment=[^>]*>Readers</a>.{0,100}${offer}`, "s"));
});

test("a segment leads to a broadcast for it: the draft has its people and follows it; without the segment there is no draft", async () => {
  const { db, manager, text } = await openList();
  const saved = await manager.submit(`${list}/filter`, { ...fields, rest: "", do: "save", name: "Readers" });
  const id = new URL(saved.headers.get("location") ?? "", "http://x").searchParams.get("segment") ?? "";
  expect(await text("")).not.toContain("Write to this segment");
  const form = /<form[^>]*action="([^"]+)"[^>]*>(?:(?!<\/form>).)*Write to this segment/s.exec(
    await text(`?segment=${id}`),
  );
  expect(form?.[0]).toContain(`name="segment" value="${id}"`);
  const draft = await manager.submit(form?.[1] ?? "", { segment: id });
  expect(draft.status).toBe(303);
  const composer = await (await manager.get(draft.headers.get("location") ?? "")).text();
  expect(composer).toContain("<strong>2 people</strong>");
  expect(await look(db, "select segment, archive from broadcasts where segment_row is not null")).toEqual([
    { segment: JSON.stringify(fromBlog), archive: "unlisted" },
  ]);
  await look(db, "delete from broadcasts");
  await manager.submit(`${list}/filter/${id}/delete`, {});
  await manager.submit(form?.[1] ?? "", { segment: id });
  expect(await look(db, "select count(*) as n from broadcasts")).toEqual([{ n: 0 }]);
});

test("a filtered list leads to a broadcast for its people, unless it is searched or shows those who get none", async () => {
  const { db, manager, text, where } = await openList();
  const offer = "Write to these people";
  for (const query of ["?source=blog&q=ada", "?source=blog&status=unsubscribed", "?where=%7B", "?source=none", ""])
    expect([query, (await text(query)).includes(offer)]).toEqual([query, false]);
  for (const query of [where(fromBlog), "?source=blog", "?source=blog&status=active"])
    expect([query, (await text(query)).includes(offer)]).toEqual([query, true]);
  const form = /<form[^>]*action="([^"]+)"[^>]*>(?:(?!<\/form>).)*name="where" value="([^"]+)"/s.exec(
    await text("?source=blog"),
  );
  const segment = (form?.[2] ?? "").replaceAll(/&#?\w+;/g, '"');
  expect(JSON.parse(segment)).toEqual(fromBlog);
  const draft = await manager.submit(form?.[1] ?? "", { where: segment });
  const composer = await (await manager.get(draft.headers.get("location") ?? "")).text();
  expect(composer).toContain("<strong>2 people</strong>");
  expect(await look(db, "select segment, segment_row, archive from broadcasts")).toEqual([
    { segment: JSON.stringify(fromBlog), segment_row: null, archive: "unlisted" },
  ]);
  await look(db, "delete from broadcasts");
  await manager.submit(form?.[1] ?? "", { where: "{" }); // it must not mean everyone
  expect(await look(db, "select count(*) as n from broadcasts")).toEqual([{ n: 0 }]);
});

const olderFilters = [
  ["?source=blog", ["Ada", "Bo"]],
  ["?tag=vip", ["Cy"]],
  ["?source=shop&tag=vip", ["Cy"]],
  ["?language=en", undefined], // as a condition, of Cy too, who has none
  ["?language=de", undefined], // the site may change to it
  ["?from=2026-11-24", undefined], // the manager's day begins earlier
  ["?to=2026-11-24", undefined],
  ["?source=blog&to=2026-11-24", undefined],
] as const;

test.each(olderFilters)("a broadcast for the people of %s has these, or is not offered", async (query, people) => {
  const { db, manager, text, listed } = await openList();
  await manager.submit("/dashboard/account/times", { timeZone: "Pacific/Auckland", dates: "en-GB" });
  await look(db, "update subscribers set language = 'en', created_at = ? where email like 'ada%'", [
    Date.parse("2026-11-23T12:00:00Z"),
  ]);
  await look(db, "update subscribers set language = 'de' where email like 'bo%'");
  await look(db, "insert into audience_tags (row, name, folded, used_at) values (1, 'VIP', 'vip', 0)");
  await look(
    db,
    "insert into subscriber_tags (tag_row, subscriber_row) select 1, row from subscribers where email like 'cy%'",
  );
  const where = /name="where" value="([^"]+)"/.exec(await text(query))?.[1]?.replaceAll(/&#?\w+;/g, '"');
  expect(where !== undefined).toBe(people !== undefined);
  if (!where) return;
  expect(await listed(query)).toEqual(people?.map((name) => `${name.toLowerCase()}@a.example`) ?? []);
  const draft = await manager.submit("/dashboard/broadcasts/new", { where });
  const composer = await (await manager.get(draft.headers.get("location") ?? "")).text();
  expect(composer).toContain(`<strong>${people?.length} ${people?.length === 1 ? "person" : "people"}</strong>`);
});

test("conditions of which there are too many for a broadcast do not offer one", async () => {
  const { text, where } = await openList();
  const all = Array.from({ length: 20 }, () => fromBlog.all[0]);
  const offer = "Write to these people";
  expect(await text(where({ v: 2, all }))).toContain(offer);
  expect(await text(`${where({ v: 2, all })}&source=blog`)).not.toContain(offer);
});

test("a new condition asks what it is about, and means nothing until that is chosen", async () => {
  const { manager } = await openList();
  const fresh = await (await manager.get(`${list}/filter`)).text();
  expect(fresh).toMatch(/<select[^>]* name="w.0.field"[^>]*><option value="" selected>Choose…/);
  expect(fresh).not.toContain('name="w.0.is"');
  expect(fresh).toContain("Complete the conditions");
  const send = (body: Record<string, string>) => manager.submit(`${list}/filter`, { rest: "", ...body });
  const source = { "w.0.field": "source", "w.0.is": "any", "w.0.of": "blog" };
  const added = await (await send({ ...source, do: "add" })).text();
  expect([added.includes('name="w.0.is"'), added.includes('name="w.1.is"')]).toEqual([true, false]);
  for (const act of ["show", "save"]) {
    const refused = await send({ ...source, "w.1.field": "", do: act, name: "Blog" });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain("Choose what the new condition is about, or remove it.");
  }
  expect((await send({ ...source, "w.1.field": "", do: "remove:1" })).status).toBe(200);
});

test("the filters of earlier URLs are conditions in the form, and the list is the same", async () => {
  const { manager, text, listed } = await openList();
  expect(await listed("?source=shop")).toEqual(["cy@a.example"]);
  expect(await text("?source=shop&from=2026-01-01")).toContain("People who came from “shop”, and who joined since");
  const form = await (await manager.get(`${list}/filter?source=shop&q=x`)).text();
  expect(form).toMatch(/name="rest" value="q=x"/);
  expect(form).toMatch(/value="shop" checked/);
});

test("a day of an earlier URL that is none is ignored by the form, as by the list", async () => {
  const { manager, listed } = await openList();
  for (const query of ["?source=shop&from=soon", "?source=shop&to=soon", "?source=shop&to=2026-02-30"]) {
    expect([query, await listed(query)]).toEqual([query, ["cy@a.example"]]);
    const form = await manager.get(`${list}/filter${query}`);
    expect([query, form.status]).toEqual([query, 200]);
    expect(await form.text()).toContain("<strong>1</strong> person");
  }
});

test("a field of the site's own is offered with what fits its type", async () => {
  const { manager, listed, db, where } = await openList();
  await look(
    db,
    `insert into subscriber_fields (row, id, key, name, type, options, position, created_at) values
      (1, 'plan', 'plan', 'Plan', 'choice', '[{"id":7,"name":"Gold"}]', 1, 0), (2, 'news', 'news', 'News', 'boolean', null, 2, 0)`,
  );
  await look(
    db,
    `insert into field_values (subscriber_row, field_row, number)
      select row, 1, 7 from subscribers where email = 'bo@a.example'`,
  );
  const gold = { v: 2, all: [{ field: "fields.plan", is: "is", of: 7 }] };
  const send = (body: Record<string, string>) => manager.submit(`${list}/filter`, { rest: "", do: "show", ...body });
  const used = await send({ "w.0.field": "fields.plan", "w.0.is": "is", "w.0.of": "7" });
  expect(new URL(used.headers.get("location") ?? "", "http://x").searchParams.get("where")).toBe(JSON.stringify(gold));
  const yes = await send({ "w.0.field": "fields.news", "w.0.is": "not", "w.0.of": "true" });
  expect(yes.headers.get("location")).toContain("true");
  expect(await listed(where(gold))).toEqual(["bo@a.example"]);
  expect(await (await manager.get(`${list}${where(gold)}`)).text()).toContain("have the field “Plan” as “Gold”");
});

test("a field that a segment names is not deleted: without it, its opposite would be everyone", async () => {
  const { manager, text, db } = await openList();
  await look(
    db,
    "insert into subscriber_fields (row, id, key, name, type, position, created_at) values (1, 'city', 'city', 'City', 'text', 1, 0)",
  );
  const condition = { "w.0.field": "fields.city", "w.0.is": "not", "w.0.of": "Oslo" };
  const saved = await manager.submit(`${list}/filter`, { ...condition, rest: "", do: "save", name: "Not in Oslo" });
  const id = /segment=([\da-f-]{36})/.exec(saved.headers.get("location") ?? "")?.[1] ?? "";
  await manager.submit("/dashboard/newsletter/fields/city/delete", {});
  expect(await text("")).toContain("names this field. Change that first.");
  expect(await look(db, "select key from subscriber_fields")).toEqual([{ key: "city" }]);
  await manager.submit(`${list}/filter/${id}/delete`, {});
  await manager.submit("/dashboard/newsletter/fields/city/delete", {});
  expect(await look(db, "select key from subscriber_fields")).toEqual([]);
});

test("people who came through an API key are a filter: listed, counted and unsubscribed together", async () => {
  const { db, now, send, manager, text, listed, where } = await openList();
  const { key, row: site } = await apiKeys.generate(db, { prefix: "site", name: "Shop", scopes: ["visitors"] }, now());
  for (const [at, email] of ["di@a.example", "eve@a.example"].entries()) {
    const headers = { "content-type": "application/json", "x-api-key": key, "postroom-visitor-address": `8.8.${at}.8` };
    const body = JSON.stringify({ email, source: "blog" });
    expect((await send("/api/newsletter/subscribe", { method: "POST", headers, body })).status).toBe(201);
  }
  expect(await (await manager.get(`${list}/filter`)).text()).toContain('<option value="key">API key</option>');
  const throughKey = { v: 2, all: [{ field: "key", is: "any", of: [site.id] }] };
  expect(await listed(where(throughKey))).toEqual(["di@a.example", "eve@a.example"]);
  expect(await text(where(throughKey))).toContain("People who came through the API key “Shop”");
  const strange = "019a0000-0000-7000-8000-0000000000a1"; // of another installation
  const either = { v: 2, all: [{ field: "key", is: "none", of: [site.id, strange] }] };
  expect(await text(where(either))).toContain("the API key “Shop” or an unknown API key (…0000a1)");
  expect(await (await manager.get(`${list}/filter${where(either)}`)).text()).toContain(">Unknown key (…0000a1)</");
  const page = await (await manager.get(`/dashboard/api-keys/${site.id}`)).text();
  const link = page.match(/href="\/dashboard\/newsletter(\?where=[^"]+)"/)?.[1] ?? "";
  expect(await listed(link)).toEqual(["di@a.example", "eve@a.example"]);
  const fields = { "w.kind": "all", "w.0.field": "key", "w.0.is": "any", "w.0.of": site.id };
  const counted = await manager.submit(`${list}/filter/count`, fields);
  expect(await counted.text()).toContain("<strong>2</strong> people");
  const filter = where(throughKey).slice(1);
  await manager.submit(`${list}/bulk`, { do: "unsubscribe", all: "matching", filter, confirmed: "yes", asked: "2" });
  const states = () => look(db, "select email, state from subscribers where state <> 'active' order by email");
  expect(await states()).toEqual([
    { email: "di@a.example", state: "unsubscribed" },
    { email: "eve@a.example", state: "unsubscribed" },
  ]);
});

test.each([
  ["sequence", "Course"],
  ["joined", 'value="30"'],
])("a value of “%s” that its form has not shown yet is asked for, and not taken", async (field, asked) => {
  const { manager, db, now } = await openList();
  await startedSequence(db, now(), { waits: [{ waitHours: 1, atMinute: null }], name: "Course" });
  const chosen = { "w.kind": "all", "w.0.field": field, "w.0.is": field === "joined" ? "within" : "" };
  for (const act of ["show", "save"]) {
    const answer = await manager.submit(`${list}/filter`, { ...chosen, rest: "", name: "Chance", do: act });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(asked)]);
  }
  expect(await look(db, "select name from segments")).toEqual([]);
  expect(await (await manager.submit(`${list}/filter/count`, chosen)).text()).toContain("</strong> people");
});

test("people are found by where they are in a sequence, and it is offered once it was started", async () => {
  const { manager, listed, text, where, db, now } = await openList();
  const form = async () => (await manager.get(`${list}/filter`)).text();
  expect(await form()).not.toContain('value="sequence"');
  const { id } = await startedSequence(db, now(), { waits: [{ waitHours: 1, atMinute: null }], name: "Course" });
  expect(await form()).toContain('value="sequence"');
  const justChosen = await manager.submit(`${list}/filter/count`, { "w.kind": "all", "w.0.field": "sequence" });
  expect(await justChosen.text()).toContain("<strong>0</strong> people"); // in the first one, which the list shows
  await look(
    db,
    `insert into sequence_people (sequence_row, subscriber_row, state, entered_at)
      select s.row, p.row, case when p.email = 'ada@a.example' then 0 else 3 end, 0
      from sequences s, subscribers p where p.email <> 'cy@a.example'`,
  );
  const found = async (is: string) => {
    const body = { "w.0.field": "sequence", "w.0.is": is, "w.0.of": id, rest: "", do: "show" };
    const location = (await manager.submit(`${list}/filter`, body)).headers.get("location") ?? "";
    const segment = new URL(location, "http://x").searchParams.get("where") ?? "{}";
    return listed(where(JSON.parse(segment)));
  };
  expect(await found("in")).toEqual(["ada@a.example"]);
  expect(await found("finished")).toEqual(["bo@a.example"]);
  expect(await found("never")).toEqual(["cy@a.example"]);
  const never = { v: 2, all: [{ field: "sequence", is: "never", of: id }] };
  expect(await text(where(never))).toContain("People who never began the sequence “Course”");
});
