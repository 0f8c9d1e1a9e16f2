import { expect, test } from "bun:test";
import { openDb } from "../../../db/open";
import { lookAt } from "../../../test/support/look";
import { asCsv } from "./other-files";
import { exportCsv, importCsv, recognised } from "./subscribers";

const now = new Date("2026-11-23T12:00:00Z");
const terms = { revive: false, define: true, origin: { via: "import" as const } };
const opened = (file: string | Uint8Array<ArrayBuffer>) => () => new Blob([file]).stream();
const csvOf = async (file: string) => (await asCsv(opened(file)))?.toString();

/** Imports a file that is no CSV into an empty site, and returns who is there afterwards. */
async function bring(file: string) {
  const db = await openDb(":memory:");
  const csv = (await asCsv(opened(file))) ?? Buffer.from("");
  const report = await importCsv(db, await recognised(opened(new Uint8Array(csv)), "dump.sql.csv"), terms, now);
  let lines = "";
  for await (const some of exportCsv(db)) lines += some;
  const people = lines
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.replace(/\d{4}-\d\d-\d\dT[^,]*/, "date"));
  return { db, report, people };
}

const list = (name: string, subscription_status: string, more: object = {}) => ({
  name,
  type: "public",
  optin: "double",
  subscription_status,
  ...more,
});
const listmonk = (people: object[]) => JSON.stringify({ data: { results: people, total: people.length, page: 1 } });
const person = (n: number, lists: object[], more: object = {}) => ({
  id: n,
  email: `p${n}@x.org`,
  name: `P ${n}`,
  attribs: n % 2 ? { city: "Köln" } : {},
  status: "enabled",
  created_at: "2020-02-10T23:07:16.199433+01:00",
  lists,
  ...more,
});

test("listmonk's API says who is on which list: unsubscribed is left, unconfirmed is none, and private ones are tags", async () => {
  const { report, people } = await bring(
    listmonk([
      person(1, [list("News", "confirmed"), list("Tides", "unsubscribed"), list("Rain", "unconfirmed")]),
      person(2, [list("News", "unconfirmed", { optin: "single" }), list("VIP", "confirmed", { type: "private" })]),
      person(3, [list("News", "unsubscribed"), list("Rain", "unconfirmed")]),
      person(4, [list("News", "unconfirmed")]),
      person(5, []),
      person(6, [list("News", "confirmed")], { status: "blocklisted" }),
      person(7, [{ ...list("News", "unconfirmed"), optin: undefined }]),
      { email: 7 },
    ]),
  );
  expect(people).toEqual([
    "p1@x.org,P 1,,active,date,,,News,Tides,,Köln",
    "p2@x.org,P 2,,active,date,,VIP,News,,,",
    "p3@x.org,P 3,,unsubscribed,date,,,,News,,Köln",
    "p6@x.org,P 6,,unsubscribed,date,,,News,,,",
  ]);
  expect(report).toMatchObject({ new: 4, newUnsubscribed: 2, invalid: 4, newTopics: 2, newTags: 1, newFields: 1 });
  expect(report.problems.map(({ message }) => message)).toEqual([
    "status says that the subscription was never confirmed",
    "status is not known as subscribed or unsubscribed",
    "status says that the subscription was never confirmed",
    expect.stringContaining("email") as never,
  ]);
});

test("a dump of listmonk says the same, is read and never run, whatever is in it", async () => {
  const dump = [
    "--",
    "-- PostgreSQL database dump",
    "--",
    "\\restrict abc",
    "DROP TABLE subscribers; CREATE TABLE public.lists (id integer);",
    "COPY public.campaigns (id, body) FROM stdin;",
    `1\t${"x".repeat(1_200_000)}`,
    "2\tCOPY public.subscribers (id) FROM stdin;",
    "\\.",
    "COPY public.lists (id, uuid, name, type, optin) FROM stdin;",
    "1\tu\tNews\\x20of \\\\ us\tpublic\tdouble",
    "2\tu\tOld\tprivate\tsingle",
    "\\.",
    "COPY public.subscriber_lists (subscriber_id, list_id, meta, status) FROM stdin;",
    "1\t1\t{}\tconfirmed",
    "2\t1\t{}\tunsubscribed",
    "3\t2\t{}\tunconfirmed",
    "9\t9\t{}\tconfirmed",
    "\\.",
    "COPY public.subscribers (id, uuid, email, name, attribs, status, created_at) FROM stdin;",
    '1\tu\ta@x.org\t=1+1\t{"city": "K\\\\u00f6ln"}\tenabled\t2025-10-03 13:37:12.179909+00',
    "2\tu\tb@x.org\t\\N\t{}\tenabled\t2025-10-03 13:37:13+00",
    "3\tu\tc@x.org\tC\t{}\tenabled\t2025-10-03 13:37:13+00",
    "\\.",
  ];
  const { db, people } = await bring(dump.join("\n"));
  expect(people).toEqual([
    "a@x.org,'=1+1,,active,date,,,News of \\ us,,,Köln",
    "b@x.org,,,unsubscribed,date,,,,News of \\ us,,",
    "c@x.org,C,,active,date,,Old,,,,",
  ]);
  expect(await lookAt(db, "select count(*) from subscribers")).toEqual([[3]]);
});

test("Ghost's API says which newsletters people get", async () => {
  const member = (email: string, newsletters: string[], more: object = {}) => ({
    email,
    name: null,
    subscribed: newsletters.length > 0,
    created_at: "2025-01-01T12:00:00.000Z",
    labels: [{ name: "Friends, old" }],
    newsletters: newsletters.map((name) => ({ id: "1", name })),
    email_suppression: { suppressed: false, info: null },
    ...more,
  });
  const members = [
    member("a@x.org", ["Weekly", "Special"]),
    member("b@x.org", []),
    member("c@x.org", ["Weekly"], { email_suppression: { suppressed: true } }),
    member("d@x.org", ["Weekly"], { subscribed: false }),
  ];
  const { people } = await bring(JSON.stringify({ members, meta: {} }));
  expect(people).toEqual([
    'a@x.org,,,active,date,,"""Friends, old""","Weekly, Special",,',
    'b@x.org,,,unsubscribed,date,,"""Friends, old""",,,',
    'c@x.org,,,unsubscribed,date,,"""Friends, old""",Weekly,,',
    'd@x.org,,,unsubscribed,date,,"""Friends, old""",,Weekly,',
  ]);
});

test("anything else is CSV, or says what it is not; depth and size are asked before it is parsed", async () => {
  expect(await csvOf("email,name\na@x.org,{}\n")).toBeUndefined();
  for (const [file, problem] of [
    ["{broken", "not valid JSON"],
    ['{"posts":[]}', "no list of subscribers"],
    ['[{"email":"a@x.org"}]', "no list of subscribers"],
    ["[".repeat(100_000), "no list of subscribers"],
    [`[${" ".repeat(16 * 2 ** 20)}]`, "larger than 16 MB"],
    ["--\n-- PostgreSQL database dump\n--\nINSERT INTO subscribers VALUES (1);\n", "without --inserts"],
  ] as const)
    await expect(csvOf(file)).rejects.toThrow(problem);
});

test("5,000 people of listmonk are as many, and nobody who left is active, however much is known of them", async () => {
  const huge = { note: "x".repeat(9_000), quoted: '"'.repeat(4_000) };
  const people = Array.from({ length: 5_000 }, (_, n) =>
    person(n, [list("News", n % 7 ? "confirmed" : "unsubscribed")], n % 100 ? {} : { attribs: huge }),
  );
  const { report, db } = await bring(listmonk(people));
  expect(report).toMatchObject({ new: 5_000, newUnsubscribed: 715, invalid: 0 });
  expect(await lookAt(db, "select count(*) from subscriber_topics where chosen = 1")).toEqual([[4_285]]);
});
