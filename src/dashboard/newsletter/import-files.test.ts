import { expect, test } from "bun:test";
import { addField } from "../../../db/newsletter/fields";
import { erase } from "../../../db/people/erase";
import * as subscribers from "../../../db/newsletter/subscribers";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";
import { consent, fieldsOf, importer } from "../../../test/support/lists/importer";
import { keep, lastReport } from "../../../db/pending-imports";

/* How a file is read is said on the pages, and can be changed there. */

const latin = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const cyrillic = new Uint8Array([...latin("email,name\nada@example.com,"), 0xc0, 0xed, 0xed, 0xe0, 0x0a]);

test("the encoding is said, and another one can be chosen and looked at before anything is imported", async () => {
  const { upload, post, people } = await importer();
  const { page } = await upload(cyrillic);
  expect(fieldsOf(page)).toMatchObject({ encoding: ["windows-1252"], shown: ["windows-1252"] });
  expect(page).toContain("Àííà");
  const again = await (await post("columns", { ...fieldsOf(page), encoding: "windows-1251" })).text();
  expect(again).toContain("Анна");
  const review = await (await post("review", fieldsOf(again))).text();
  expect(review).toContain("<dt>Encoding</dt><dd>Windows-1251 (Cyrillic)</dd>");
  await post("confirm", { upload: fieldsOf(review).upload ?? "", consent });
  expect(await people()).toMatchObject([{ email: "ada@example.com", name: "Анна" }]);
});

test("an encoding that makes no list of the file is an error below its field, and nothing is imported", async () => {
  const { upload, post, people } = await importer();
  const { page } = await upload("email,name\nada@example.com,Ada\n");
  for (const step of ["columns", "review"]) {
    const answer = await post(step, { ...fieldsOf(page), encoding: "utf-16le" });
    expect([step, answer.status]).toEqual([step, 422]);
    expect(fieldsOf(await answer.text()).encoding).toEqual(["utf-8"]);
  }
  expect(await people()).toEqual([]);
});

test("dates that can be read in two ways are asked about, and the answer is kept when the columns are changed", async () => {
  const { upload, post, people } = await importer();
  const { page } = await upload("email,joined,when\nada@example.com,03/04/2024,31/12/2023\n");
  expect(page).toContain("03/04/2024 can be read in two ways.");
  const fields = fieldsOf(page);
  expect(fields).toMatchObject({ dates: ["ask"], dated: ["1"] });
  const refused = await post("review", fields);
  expect([refused.status, (await refused.text()).includes("Choose which comes first, day or month.")]).toEqual([
    422,
    true,
  ]);
  const review = await (await post("review", { ...fields, dates: "month-first" })).text();
  expect(review).toContain("<dt>Dates</dt><dd>Month first (01/31/2025)</dd>");
  const changed = fieldsOf(await (await post("columns", { upload: fields.upload ?? "" })).text());
  expect(changed.dates).toEqual(["month-first"]);
  // an answer about one column says nothing about another
  const other = await (await post("review", { ...changed, columns: ["email", "", "joined"] })).text();
  expect(other).toContain("<dt>Dates</dt><dd>Day first (31/01/2025)</dd>");
  await post("confirm", { upload: fields.upload ?? "", consent });
  expect((await people()).map(({ joined }) => joined)).toEqual([Date.parse("2023-12-31")]);
});

test("the words for a status are listed with what they mean, and an unknown one can be given a meaning", async () => {
  const { upload, post, people } = await importer();
  const { page } = await upload(
    "email_address,type\na@example.com,unpaid\nb@example.com,regular\nc@example.com,unsubscribed\nd@example.com,unpaid\n",
  );
  expect(page).toContain("2 rows. Postroom does not know this word.");
  const fields = fieldsOf(page);
  expect(fields).toMatchObject({
    word: ["unpaid", "regular", "unsubscribed"],
    meaning: ["refused", "active", "unsubscribed"],
  });
  expect(await (await post("review", fields)).text()).toContain("Line 2: status is not known");
  const review = await (await post("review", { ...fields, meaning: ["active", "active", "unsubscribed"] })).text();
  expect(review).toContain("<dt>New, active</dt><dd>3</dd><dt>New, unsubscribed</dt><dd>1</dd>");
  await post("confirm", { upload: fields.upload ?? "", consent });
  expect((await people()).map(({ state }) => state)).toEqual(["active", "active", "unsubscribed", "active"]);
});

test("a column that is ignored although it says that people left is named in the review", async () => {
  const { upload, post } = await importer();
  const { page } = await upload("email,Kind\na@example.com,unsubscribed\nb@example.com,bounced\n");
  const fields = fieldsOf(page);
  expect(fields.columns).toEqual(["email", "status"]);
  const review = await (await post("review", { ...fields, columns: ["email", ""] })).text();
  expect(review).toContain("The column “Kind” is ignored, although 2 rows say that the person is not subscribed.");
});

test("Mailchimp’s people who never agreed are not imported: said before, in the review and as the reason of each row", async () => {
  const { upload, post, people } = await importer();
  const list = Array.from({ length: 300 }, (_, n) => `p${n}@example.com,2024-01-31 10:00:00\n`).join("");
  const { page } = await upload(`Email Address,OPTIN_TIME\n${list}`, "nonsubscribed_email_audience_export_1a2b.csv");
  expect(page).toContain("These people are in it although they never agreed, so none is imported.");
  const review = await (await post("review", fieldsOf(page))).text();
  expect(review).toContain("The file lists people who never agreed to get emails. None of them is imported.");
  expect(review).toContain("<dt>Of these, never agreed</dt><dd>300</dd>");
  expect(review).toContain("Line 2: the file lists people who never agreed to get emails");
  await post("confirm", { upload: fieldsOf(page).upload ?? "", consent });
  expect(await people()).toEqual([]);
});

test("people who left since the last import are unsubscribed, without a question about consent, on record", async () => {
  const { bring, upload, post, people, manager, db } = await importer();
  await bring("Email Address\nada@example.com\nbob@example.com\n");
  const left = "Email Address,UNSUB_TIME\nada@example.com,2026-01-01 10:00:00\n";
  const { page } = await upload(left, "unsubscribed_email_audience_export_1a2b.csv");
  const review = await (await post("review", fieldsOf(page))).text();
  expect(review).toContain("1 subscriber active here will be unsubscribed, because the file says that they left.");
  expect(review).toContain("Unsubscribe 1 subscriber");
  expect(review).not.toContain("How did these people agree?");
  expect(await people()).toMatchObject([{ state: "active" }, { state: "active" }]);
  const done = await post("confirm", { upload: fieldsOf(review).upload ?? "" });
  expect(done.status).toBe(303);
  expect(await people()).toMatchObject([{ state: "unsubscribed" }, { state: "active" }]);
  expect(await (await manager.get("/dashboard/newsletter/import/report")).text()).toContain(
    "1 subscriber unsubscribed, as the file says.",
  );
  const imports = "select actor, details from audit_events where action = 'subscriber.import' order by created_at, id";
  expect(await look(db, imports)).toEqual([
    { actor: manager.manager.email, details: '{"new":"2"}' },
    { actor: manager.manager.email, details: '{"unsubscribed":"1"}' },
  ]);
  expect(await (await manager.get("/dashboard/audit")).text()).toContain("unsubscribed 1 subscriber by an import");
});

test("a column is tags, topics, a field or ignored; what is new is counted and named before anything is written", async () => {
  const { upload, post, db, manager } = await importer();
  await manager.submit("/dashboard/newsletter/topics", { name: "Recipes", sentence: "" });
  const file = [
    "Email Address,Interests,Company,Phone,attributes,MEMBER_RATING,LEID,TAGS",
    'ada@example.com,"recipes, News",Ada & Co,0151 1,"{""city"":""Köln"",""orders"":3}",2,1,"""Editors"",""VIP"""',
    "bo@example.com,News,,,{},2,2,",
  ];
  const { page, columns, upload: token } = await upload(file.join("\n"));
  expect(columns).toEqual(["email", "topics", "new:text", "new:text", "", "", "", "tags", "new:text", "new:number"]);
  expect(page).toContain(">attributes.city</label>");
  const fields = { ...fieldsOf(page), columns: columns.with(3, "") };
  const review = await (await post("review", fields)).text();
  for (const fact of ["New tags</dt><dd>2: Editors, VIP", "New topics (public)</dt><dd>1: News"])
    expect(review).toContain(fact);
  expect(review).toContain("New fields</dt><dd>3: Company, city, orders");
  expect(await look(db, "select name from topics")).toEqual([{ name: "Recipes" }]);
  expect(fieldsOf(await (await post("columns", { upload: token })).text()).columns).toEqual(fields.columns);
  await post("confirm", { upload: token, consent });
  const counts = `select (select count(*) from subscriber_topics where chosen = 1) as topics, (select count(*) from field_values) as "values",
    (select count(*) from subscriber_tags) as tags`;
  expect(await look(db, counts)).toEqual([{ topics: 3, values: 3, tags: 2 }]);
  // the fields are recognised the next time
  expect((await upload(file.join("\n"))).columns.slice(1)).toEqual([
    ...["topics", "field:company", "new:text", "", "", "", "tags", "field:city", "field:orders"],
  ]);
});

test("the report says of each line what became of it, to the session that imported it alone, until someone in it is erased", async () => {
  const { upload, post, db, manager, now, signIn } = await importer();
  const path = "/dashboard/newsletter/import/report";
  expect((await manager.get(path)).headers.get("location")).toBe("/dashboard/newsletter/import");
  for (const email of ["here@example.com", "left@example.com"])
    await subscribers.subscribe(db, { email }, { via: "form" }, now());
  await subscribers.unsubscribe(db, "left@example.com", { via: "page" }, now());
  const rows = ["new@example.com,active", "broken,", "here@example.com,active", "odd@example.com,perhaps"];
  const file = `email,status\n${rows.join("\n")}\n=left@example.com,active\nleft@example.com,active\n`;
  const { upload: token, columns } = await upload(file);
  await post("review", { upload: token, columns });
  await post("confirm", { upload: token, consent });
  const page = await (await manager.get(path)).text();
  expect(page).toContain("2 subscribers imported.");
  expect(page).toContain("<dt>Remain unsubscribed</dt><dd>1</dd>");
  const download = await manager.submit(path, {});
  expect(download.headers.get("content-disposition")).toContain("import-report-");
  expect((await download.text()).split("\r\n")).toEqual([
    "line,email,result,note",
    "2,new@example.com,new,",
    "3,,refused,email must be a valid email address",
    "4,here@example.com,here already,",
    "5,odd@example.com,refused,status is not known as subscribed or unsubscribed",
    "6,'=left@example.com,new,",
    "7,left@example.com,still unsubscribed,",
    "",
  ]);
  expect(await look(db, "select actor from audit_events where action = 'subscriber.export-report'")).toHaveLength(1);
  const other = await signIn({ email: "other@example.com" });
  expect((await other.get(path)).status).toBe(303);
  expect((await other.submit(path, {})).headers.get("location")).toBe("/dashboard/newsletter/import");
  const person = { id: Bun.randomUUIDv7(), email: "new@example.com", scope: ["subscription" as const] };
  await erase(db, person, { actor: "m@example.com", via: "manager" }, now());
  expect((await manager.get(path)).status).toBe(303);
});

test("the JSON of listmonk's API is read as a list, and JSON of anything else is said to be none", async () => {
  const { upload, post, db } = await importer();
  const lists = [{ name: "News", type: "public", optin: "double", subscription_status: "confirmed" }];
  const ada = {
    email: "ada@example.com",
    name: "Ada",
    status: "enabled",
    attribs: {},
    created_at: "2025-01-01",
    lists,
  };
  const {
    page,
    upload: token,
    columns,
  } = await upload(JSON.stringify({ data: { results: [ada] } }), "subscribers.json");
  expect(columns).toEqual(["email", "name", "status", "joined", "", "", "topics", ""]);
  expect(await (await post("review", fieldsOf(page))).text()).toContain("New topics (public)</dt><dd>1: News");
  await post("confirm", { upload: token, consent });
  expect(await look(db, "select slug from topics")).toEqual([{ slug: "news" }]);
  expect((await upload('{"posts":[]}', "posts.json")).page).toMatch(/>[^<:]*no list of subscribers of listmonk’s API/);
});

test("a column can become a new field as long as the site may have another one", async () => {
  const { db, now, upload } = await importer();
  const offers = async () => (await upload("email,Company\nada@example.com,Quay\n")).page.includes("New field: ");
  for (let n = 1; n <= 10; n++) {
    expect([n, await offers()]).toEqual([n, true]);
    await addField(db, { key: `f${n}`, name: `F${n}`, type: "text", options: [] }, { actor: "Olive" }, now());
  }
  expect(await offers()).toBe(false);
});

test("a report waits until the next one of its own session, whatever others import", async () => {
  const { db, now } = await testService();
  const imported = (hash: string, sessionId: string) =>
    keep(db, "report", { hash, sessionId, files: [{ name: hash, bytes: Buffer.from(hash) }] }, now());
  const names = async () => {
    const reports = await Promise.all(["ada", "bob"].map((sessionId) => lastReport(db, sessionId, now())));
    return reports.map((report) => report?.files.map(({ name }) => name));
  };
  await imported("of ada", "ada");
  await imported("of bob", "bob");
  expect(await names()).toEqual([["of ada"], ["of bob"]]);
  await imported("of ada, later", "ada");
  expect(await names()).toEqual([["of ada, later"], ["of bob"]]);
});

test("what is no list is refused with the reason: an archive, and a list without names of columns", async () => {
  const { upload, people } = await importer();
  const archive = latin("PK\x03\x04\x14 email,name\nada@example.com,Ada\n");
  expect((await upload(archive, "audience_export.zip")).page).toContain("The file is an archive or an Excel workbook.");
  const bare = await upload("ada@example.com\nbo@example.com\n");
  expect(bare.page).toContain("The first line must name the columns: it has an email address.");
  expect(await people()).toEqual([]);
});
