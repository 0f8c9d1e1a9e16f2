import { expect, setDefaultTimeout, test } from "bun:test";
import { openDb } from "../../../db/open";
import { lookAt } from "../../../test/support/look";
import { asCsv } from "./other-files";
import { exportCsv, importCsv, recognised } from "./subscribers";
import { testTimeoutMs } from "../../../test/support/within";

setDefaultTimeout(testTimeoutMs);

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
    "p1@x.org,P 1,,active,date,,,News,Tides,,Köln,",
    "p2@x.org,P 2,,active,date,,VIP,News,,,,",
    "p3@x.org,P 3,,unsubscribed,date,,,,News,,Köln,",
    "p6@x.org,P 6,,unsubscribed,date,,,News,,,,",
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
    "a@x.org,'=1+1,,active,date,,,News of \\ us,,,Köln,",
    "b@x.org,,,unsubscribed,date,,,,News of \\ us,,,",
    "c@x.org,C,,active,date,,Old,,,,,",
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
    'a@x.org,,,active,date,,"""Friends, old""","Weekly, Special",,,',
    'b@x.org,,,unsubscribed,date,,"""Friends, old""",,,,',
    'c@x.org,,,unsubscribed,date,,"""Friends, old""",Weekly,,,',
    'd@x.org,,,unsubscribed,date,,"""Friends, old""",,Weekly,,',
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

/* Ghost keeps what its CSV lacks in MySQL: which newsletters someone gets, and which they left. */

const sql = (value: string | number | null) => {
  if (value === null || typeof value === "number") return String(value ?? "NULL");
  return `'${value.replace(/[\\'\n\0]/g, (sign) => ({ "'": "\\'", "\n": "\\n", "\0": "\\0" })[sign] ?? `\\${sign}`)}'`;
};
type Row = (string | number | null)[];
const table = (name: string, columns: string[], rows: Row[], between = ",") =>
  [
    `DROP TABLE IF EXISTS \`${name}\`;`,
    `CREATE TABLE \`${name}\` (`,
    ...columns.map((column) => `  \`${column}\` varchar(191) NOT NULL,`),
    "  PRIMARY KEY (`id`),",
    `  KEY \`${name}_index\` (\`id\`)`,
    ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;",
    `LOCK TABLES \`${name}\` WRITE;`,
    ...(rows.length
      ? [`INSERT INTO \`${name}\` VALUES ${rows.map((row) => `(${row.map(sql).join(",")})`).join(between)};`]
      : []),
    "UNLOCK TABLES;",
  ].join("\n");

type Ghost = { members: Row[]; gets?: Row[]; labels?: Row[]; labelled?: Row[]; changes?: Row[]; suppressed?: Row[] };
const ghostDump = (
  { members, gets = [], labels = [], labelled = [], changes = [], suppressed = [] }: Ghost,
  between = ",",
) =>
  [
    "-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)",
    "/*!40101 SET NAMES utf8mb4 */;",
    table("labels", ["id", "name", "slug"], labels, between),
    table("members", ["id", "uuid", "email", "name", "note", "email_disabled", "created_at"], members, between),
    table("members_labels", ["id", "member_id", "label_id"], labelled, between),
    table("members_newsletters", ["id", "member_id", "newsletter_id"], gets, between),
    table(
      "members_subscribe_events",
      ["id", "member_id", "subscribed", "created_at", "newsletter_id"],
      changes,
      between,
    ),
    table(
      "newsletters",
      ["id", "name", "status"],
      [
        ["n1", "Weekly", "active"],
        ["n2", 'Ada’s "Special"', "active"],
        ["n3", "Old", "archived"],
      ],
      between,
    ),
    table(
      "posts",
      ["id", "html"],
      [["p1", `INSERT INTO \`members\` VALUES ('x');\n${"x".repeat(1_200_000)}`]],
      between,
    ),
    table("suppressions", ["id", "email", "reason"], suppressed, between),
    "-- Dump completed on 2026-11-20 10:00:00",
    "",
  ].join("\n");

const member = (n: number, more: Row = ["", 0]): Row => [
  ...[`m${n}`, `u${n}`, `p${n}@x.org`, `P ${n}`],
  ...[...more, `2025-01-0${(n % 9) + 1} 12:00:00`],
];

test("a dump of Ghost says who gets which newsletter, who left one, and who can get none", async () => {
  const gets = [
    ["1", "m1", "n1"],
    ["2", "m1", "n3"],
    ["3", "m3", "n3"],
    ["4", "m4", "n1"],
    ["5", "m5", "n1"],
  ];
  const changes = [
    ["1", "m1", 1, "2025-01-01 00:00:00", "n2"],
    ["2", "m1", 0, "2025-02-01 00:00:00", "n2"],
    ["3", "m2", 0, "2025-02-01 00:00:00", "n1"],
    ["4", "m4", 0, "2025-01-01 00:00:00", "n1"], // and then again
    ["5", "m5", 1, "2025-01-01 00:00:00", "n2"],
  ];
  const dump = ghostDump({
    members: [member(1), member(2), member(3), member(4), member(5, ["", 1]), member(6)],
    ...{ gets, changes },
    labels: [["l1", "VIP, old", "vip"]],
    labelled: [
      ["1", "m1", "l1"],
      ["2", "m2", "gone"],
    ],
    suppressed: [["1", "P6@x.org", "spam"]],
  });
  const { people, db } = await bring(dump);
  expect(people).toEqual([
    'p1@x.org,P 1,,active,date,,"""VIP, old""",Weekly,"Ada’s ""Special""",,',
    "p2@x.org,P 2,,unsubscribed,date,,,,Weekly,,",
    "p3@x.org,P 3,,unsubscribed,date,,,,,,",
    "p4@x.org,P 4,,active,date,,,Weekly,,,",
    "p5@x.org,P 5,,unsubscribed,date,,,Weekly,,,",
    "p6@x.org,P 6,,unsubscribed,date,,,,,,",
  ]); // no field of one's own
  expect(await lookAt(db, "select count(*) from subscribers")).toEqual([[6]]);
});

test("5,000 members come over whole in pieces of any size: 0 who left are active, 0 names damaged", async () => {
  const names = ["O’Hara", "D'Arcy \\ Sons", "Zoë\n)", "('x');", "🌧️ 雨", "''", "a,b);--", "NULL", "\\"];
  const all = Array.from({ length: 5_000 }, (_, n) => ({
    n,
    name: `${names[n % names.length]} ${n}`,
    isOn: n % 3 > 0,
  }));
  const dump = ghostDump(
    {
      members: all.map(({ n, name }) => [
        `m${n}`,
        `u${n}`,
        `p${n}@x.org`,
        name,
        n % 2 ? null : "it''s",
        0,
        "2025-01-01 12:00:00",
      ]),
      gets: all.filter(({ isOn }) => isOn).map(({ n }) => [`g${n}`, `m${n}`, "n1"]),
    },
    ",\n",
  ).replace("-- MySQL dump", "/*M!999999\\- enable the sandbox mode */\n-- MariaDB dump");
  const bytes = Buffer.from(dump);
  for (const size of [1_021, 65_536, bytes.length]) {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const csv = (await asCsv(pieces))?.toString() ?? "";
    const lines = csv.match(/(?:"(?:[^"]|"")*"|[^"\r])+\r\n/g)?.slice(1) ?? [];
    const people = lines.map((line) => /^(p\d+)@x\.org,(?:"((?:[^"]|"")*)"|([^,]*)),(\w+),/.exec(line) ?? []);
    expect([size, lines.length]).toEqual([size, 5_000]);
    const wrong = all.filter(({ n, name, isOn }) => {
      const [, id, quoted, plain = "", status] = people[n] ?? [];
      const called = (quoted?.replaceAll('""', '"') ?? plain).replace(/^'(?=[=+\-@\t\r])/, "");
      return id !== `p${n}` || called !== name || status !== (isOn ? "subscribed" : "unsubscribed");
    });
    expect([size, wrong]).toEqual([size, []]);
  }
});

test("a dump of Ghost that is cut, or not as mysqldump writes it, is refused whole", async () => {
  const whole = ghostDump({ members: [member(1), member(2)], gets: [["1", "m1", "n1"]] });
  for (const [dump, problem] of [
    [whole.slice(0, whole.indexOf("('m2'") + 20), "ends within a table"],
    [whole.replace("'p2@x.org',", ""), "has 6 values for 7 columns"],
    [whole.replace("('m2'", "['m2'"), "not as mysqldump writes"],
    [whole.replace("'u2'", "concat('u',2)"), "not as mysqldump writes"],
    [whole.replace(/CREATE TABLE `members` \([^]*?;/, ""), "without --no-create-info"],
    [whole.replace("'u2'", `'${"u".repeat(1_100_000)}`), "longer than 1 MB"],
    [whole.replaceAll("`members`", "`people`"), "no members of Ghost"],
  ] as const)
    await expect(csvOf(dump)).rejects.toThrow(problem);
});
