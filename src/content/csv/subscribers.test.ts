import { describe, expect, test } from "bun:test";
import { openDb } from "../../../db/open";
import { look, lookAt } from "../../../test/support/look";
import type { ImportPlan } from "./subscriber-row";
import { exportCsv, importCsv, planOf, recognised, refusedCsv, ReportLines } from "./subscribers";
import { surveyOf } from "./survey";

const now = new Date("2026-11-23T12:00:00Z");
const terms = { revive: false, origin: { via: "import" as const } };
const opened = (file: string | Uint8Array<ArrayBuffer>) => () => new Blob([file]).stream();
const surveyed = (file: string | Uint8Array<ArrayBuffer>, name = "list.csv") => surveyOf(opened(file), name);

/** Imports one file after another. Returns each report and, by address, who is stored with which status. */
async function bring(files: (string | Uint8Array<ArrayBuffer>)[], { revive = false, name = "list.csv" } = {}) {
  const db = await openDb(":memory:");
  const reports = [];
  for (const file of files)
    reports.push(await importCsv(db, await recognised(opened(file), name), { ...terms, revive }, now));
  const states = Object.fromEntries(
    (await look<{ email: string; state: string }>(db, "select email, state from subscribers")).map((row) => [
      row.email.toLowerCase().replace("@example.com", ""),
      row.state,
    ]),
  );
  return { db, reports, states };
}

const filler = (count: number, rest: string) =>
  Array.from({ length: count }, (_, n) => `p${n}@example.com,${rest}\n`).join("");

describe("a column of statuses", () => {
  test("is one if any word in it, wherever, says that someone is not subscribed; unknown words refuse their rows", async () => {
    const rows = `${filler(1_100, "regular")}left@example.com,unsubscribed\nowes@example.com,unpaid\n`;
    for (const header of ["email,type", "email,Kind of reader"]) {
      const { reports, states } = await bring([`${header}\nfirst@example.com,past_due\n${rows}`]);
      expect(reports[0]?.problems).toEqual([
        { line: 2, message: "status is not known as subscribed or unsubscribed" },
        { line: 1_104, message: "status is not known as subscribed or unsubscribed" },
      ]);
      expect([states.left, states.owes, states.first, states.p0]).toEqual([
        "unsubscribed",
        undefined,
        undefined,
        "active",
      ]);
    }
  });

  test("is none for words that are about something else, or free text: of that, only the word counts", async () => {
    const { reports, states } = await bring([
      "email,active_subscription,tier,tags\na@example.com,false,free,friend\nb@example.com,false,free,unsubscribed\n",
    ]);
    expect([reports[0]?.invalid, states]).toEqual([0, { a: "active", b: "unsubscribed" }]);
    const types = (words: string[]) => `email,type\n${words.map((word, n) => `p${n}@example.com,${word}\n`).join("")}`;
    expect((await bring([types(["customer", "lead", "free"])])).reports[0]).toMatchObject({ new: 3, invalid: 0 });
    expect((await bring([types(["regular", "unpaid", "premium"])])).reports[0]).toMatchObject({ new: 2, invalid: 1 });
    const different = Array.from({ length: 60 }, (_, n) => `t${n}@example.com,wrote ${n} emails\n`).join("");
    const talk = await bring([`email,remarks\n${different}gone@example.com,abgemeldet\n`]);
    expect([talk.reports[0]?.invalid, talk.states.t1, talk.states.gone]).toEqual([0, "active", "unsubscribed"]);
  });

  test("knows 0 and 1, yes and no, and a date of leaving, in each language", async () => {
    const no = ["0", "no", "n", "false", "nein", "non", "não", "nee", "falsch"];
    const yes = ["1", "yes", "y", "true", "ja", "oui", "sí", "sim", "waar"];
    const file = [...no, ...yes].map((word, n) => `p${n}@example.com,${word}\n`).join("");
    const subscribed = await bring([`email,subscribed\n${file}`]);
    expect(subscribed.reports[0]).toMatchObject({ new: 18, newUnsubscribed: 9, invalid: 0 });
    expect(subscribed.states.p0).toBe("unsubscribed");
    const unsubscribed = await bring([`email,unsubscribed\n${file}`]);
    expect(unsubscribed.reports[0]).toMatchObject({ new: 18, newUnsubscribed: 9, invalid: 0 });
    expect(unsubscribed.states.p0).toBe("active");
    const dated = await bring(["email,unsubscribed\na@example.com,2024-01-01\nb@example.com,0000-00-00 00:00:00\n"]);
    expect(dated.states).toEqual({ a: "unsubscribed", b: "active" });
  });

  test("is also one with yes and no, whose name says what is meant in a program's own words", async () => {
    const states = async (header: string, no: string, yes: string) =>
      (await bring([`email,${header}\nno@example.com,${no}\nempty@example.com,\nyes@example.com,${yes}\n`])).states;
    for (const header of [
      "Unsubscribed from all email", // HubSpot
      "Opted out of email: Marketing Information",
      "Email Opt Out", // Zoho
      "Has Opted Out Of Email", // Salesforce
      "Bounced Hard", // ActiveCampaign
    ])
      for (const [no, yes] of [
        ["false", "true"],
        ["0", "1"],
      ] as const)
        expect(await states(header, no, yes)).toEqual({ no: "active", empty: "active", yes: "unsubscribed" });
    for (const header of ["Newsletter opt-in", "Marketing opt in", "Email Subscribed"])
      expect(await states(header, "no", "yes")).toEqual({ no: "unsubscribed", empty: "active", yes: "active" });
    for (const header of ["SMS opt-in", "Paid subscribed", "Double opt-in", "Bounced Soft"])
      expect(await states(header, "no", "yes")).toEqual({ no: "active", empty: "active", yes: "active" });
    expect(await states("Emails bounced", "3", "1")).toEqual({ no: "active", empty: "active", yes: "active" }); // a number
  });

  test("is also one in languages whose words are not known: then it makes no one active", async () => {
    const { reports } = await bring(["email;имя;статус\na@example.com;Анна;подписан\nb@example.com;Борис;отписан\n"]);
    expect(reports[0]).toMatchObject({ new: 0, invalid: 2 });
    const italian = await bring([
      "email,nome,cognome,stato\na@example.com,Ada,Neri,attivo\nb@example.com,Bo,Neri,disiscritto\n",
    ]);
    expect(italian.states).toEqual({ a: "active", b: "unsubscribed" });
    expect(await look(italian.db, "select name from subscribers order by email")).toEqual([
      { name: "Ada Neri" },
      { name: "Bo Neri" },
    ]);
  });

  test("is none if its name is that of other things too, and none of its words is a status", async () => {
    const columns = async (header: string, row: string) =>
      (await surveyed(`email,${header}\na@example.com,${row}\n`)).columns;
    expect(await columns("newsletter,state,status", "Weekly,California,active")).toEqual(["email", "", "", "status"]);
    expect(await columns("newsletter", "ja")).toEqual(["email", "status"]);
    expect(await columns("state", "gone")).toEqual(["email", "status"]); // in doubt, no one becomes active
  });

  test("that is a date, as MailerLite's “Subscribed”, is the date of joining", async () => {
    const { columns, dates } = await surveyed("Subscriber,Subscribed\na@example.com,2024-01-31 10:00:00\n");
    expect([columns, dates?.format]).toEqual([["email", "joined"], "year-first"]);
  });

  test("means what people say it means, and the words are listed with how often they occur", async () => {
    const file =
      "email,type\na@example.com,unpaid\nb@example.com,regular\nc@example.com,unpaid\nd@example.com,removed\n";
    const survey = await surveyed(file);
    expect(survey.words).toEqual([
      { word: "unpaid", text: "unpaid", count: 2, status: undefined },
      { word: "regular", text: "regular", count: 1, status: "active" },
      { word: "removed", text: "removed", count: 1, status: "unsubscribed" },
    ]);
    const words: ImportPlan["words"] = new Map([["unpaid", "active"]]);
    const db = await openDb(":memory:");
    const report = await importCsv(db, { open: opened(file), plan: planOf(survey, { words }) }, terms, now);
    expect(report).toMatchObject({ new: 4, newUnsubscribed: 1, invalid: 0 });
  });
});

describe("who left", () => {
  test("is unsubscribed by a later file, and by another row of the same file, before or after, over several commits", async () => {
    const later = await bring(["email\nada@example.com\n", "email,UNSUB_TIME\nADA@example.com,2026-01-01 10:00:00\n"]);
    expect([later.reports[1], later.states]).toMatchObject([{ left: 1, already: 0 }, { ada: "unsubscribed" }]);

    const [yes, no] = ["twice@example.com,active\n", "Twice@Example.com,unsubscribed\n"];
    for (const [first, last] of [
      [yes, no],
      [no, yes],
    ])
      for (const revive of [false, true]) {
        const file = `email,status\n${first}${filler(1_100, "active")}${last}`;
        const { db, reports, states } = await bring([file], { revive });
        expect([reports[0], states.twice]).toMatchObject([
          { new: 1_101, newUnsubscribed: 1, keptUnsubscribed: 1, left: 0, revived: 0 },
          "unsubscribed",
        ]);
        const kinds =
          "select kind from subscriber_events where subscriber_id = (select id from subscribers where email_key = 'twice@example.com')";
        expect(await lookAt(db, kinds)).toEqual([["imported"]]); // never active, not even for a moment
      }
  });

  test("is imported as such even if the rest of the row is not valid", async () => {
    const { reports, states } = await bring([
      "email\nada@example.com\n",
      `email,name,state\nada@example.com,${"x".repeat(101)},unsubscribed\nbo@example.com,J\ufffdrgen,unsubscribed\n`,
    ]);
    expect([reports[1], states]).toMatchObject([
      { left: 1, new: 1, invalid: 0 },
      { ada: "unsubscribed", bo: "unsubscribed" },
    ]);
  });

  test("is everyone in a file that says so by its name; and no one is active whose file says that they never agreed", async () => {
    const file = "Email Address,First Name\nada@example.com,Ada\n";
    for (const name of [
      "unsubscribed_email_audience_export_1a2b.csv",
      "/tmp/cleaned_members_export.csv",
      "2026 cancelled-subscribers.csv",
    ])
      expect([name, (await bring([file], { name })).states]).toEqual([name, { ada: "unsubscribed" }]);
    for (const name of [
      "nonsubscribed_email_audience_export_1a2b (1).csv",
      "Non-subscribed contacts.csv",
      "Unconfirmed Subscribers.csv",
    ]) {
      const { reports, states } = await bring([file], { name });
      expect([name, states, reports[0]?.neverAgreed, reports[0]?.problems]).toEqual([
        name,
        {},
        1,
        [{ line: 2, message: "the file lists people who never agreed to get emails" }],
      ]);
    }
    for (const name of ["subscribed_email_audience_export_1a2b.csv", "members.csv", "everyone but unsubscribed.csv"])
      expect([name, (await bring([file], { name })).states]).toEqual([name, { ada: "active" }]);
  });

  test("and who is active in one row and in doubt in another is not imported", async () => {
    const { reports, states } = await bring(["email,status\na@example.com,active\na@example.com,pending\n"]);
    expect([states, reports[0]?.problems.map(({ line }) => line)]).toEqual([{}, [2, 3]]);
  });

  test("a dry run counts a person once, as the import does", async () => {
    const file = `email\n${filler(1_100, "").replaceAll(",", "")}p0@example.com\n`;
    const db = await openDb(":memory:");
    const source = await recognised(opened(file), "list.csv");
    const rehearsed = await importCsv(db, source, { ...terms, dryRun: true }, now);
    expect(rehearsed).toMatchObject({ new: 1_100, already: 1 });
    expect(await importCsv(db, source, terms, now)).toEqual(rehearsed);
  });
});

test("the report of an import has all its lines, however many there are", async () => {
  const report = new ReportLines();
  const emails = Array.from({ length: 40_000 }, (_, n) => `p${n}@example.com`);
  for (const [n, email] of emails.entries()) report.add({ line: n + 2, email, result: "new", note: "" });
  const lines = (await Array.fromAsync(report.unzipped())).join("").trimEnd().split("\r\n");
  expect(lines.slice(1).map((line) => line.split(",")[1])).toEqual(emails);
});

test("no file is read without its first person, or with what is packed in it", async () => {
  for (const file of [`ada@example.com\nbo@example.com\n`, `Ada,ada@example.com\nBo,bo@example.com\n`])
    await expect(bring([file])).rejects.toThrow("it has an email address");
  const archive = `PK\x03\x04\x14\0\0\0 unsubscribed.csv email,name\nada@example.com,Ada\n`; // stored as it is
  for (const file of [archive, `\x1f\x8b\x08\0email`])
    await expect(bring([Buffer.from(file, "latin1")])).rejects.toThrow("is an archive");
});

test("a line that tells Excel the separator is no list", async () => {
  const { reports, states } = await bring(["sep=;\r\nE-Mail;Name\r\nada@example.com;Lovelace, Ada\r\nnobody;x\r\n"]);
  expect([states, reports[0]?.problems]).toEqual([
    { ada: "active" },
    [{ line: 4, message: "email must be a valid email address" }],
  ]);
});

describe("the encoding", () => {
  const stored = async (bytes: Uint8Array<ArrayBuffer>) => {
    const { db, reports } = await bring([bytes]);
    return [(await surveyed(bytes)).encoding, await lookAt(db, "select name from subscribers"), reports[0]?.invalid];
  };
  const latin = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

  test("is recognised by all of the file, however late its first umlaut is", async () => {
    const plain = `email,name\n${filler(3_000, "Ada")}`;
    for (const encoding of ["windows-1252", "utf-8"] as const) {
      const text = `${plain}last@example.com,Jürgen\n`;
      const bytes = encoding === "utf-8" ? new TextEncoder().encode(text) : latin(text);
      const { db } = await bring([bytes]);
      expect([encoding, await lookAt(db, "select name from subscribers where email like 'last@%'")]).toEqual([
        encoding,
        [["Jürgen"]],
      ]);
    }
    expect(await stored(latin("email,name\na@example.com,Jürgen\n"))).toEqual(["windows-1252", [["Jürgen"]], 0]);
  });

  test("that is damaged in one row refuses this row, and leaves the others as they are", async () => {
    const valid = new TextEncoder().encode("email,name\na@example.com,Jürgen\nb@example.com,Zoë\nc@example.com,");
    const bytes = new Uint8Array([...valid, 0x4a, 0xfc, 0x72, 0x0a]);
    expect(await stored(bytes)).toEqual(["utf-8", [["Jürgen"], ["Zoë"]], 1]);
    const source = await recognised(opened(bytes), "list.csv");
    let refused = "";
    for await (const line of refusedCsv(source, now)) refused += line;
    expect(refused).toContain("4,name has a character that cannot be read (\ufffd)");
  });

  test("never stores a replacement character, also one that the file itself has", async () => {
    expect(await stored(new TextEncoder().encode("email,name\na@example.com,J\ufffdrgen\n"))).toEqual(["utf-8", [], 1]);
    expect(await stored(new TextEncoder().encode("email,name\na@example.com,\u202e\n"))).toEqual(["utf-8", [], 1]);
  });

  test("is UTF-16 without a byte order mark too, and with names in other scripts", async () => {
    const text = "email\tname\na@example.com\tДмитрий\nb@example.com\t山田太郎\n";
    const bytes = new Uint8Array(Buffer.from(text, "utf16le"));
    expect(await stored(bytes)).toEqual(["utf-16le", [["Дмитрий"], ["山田太郎"]], 0]);
    expect(await stored(new Uint8Array(Buffer.from(bytes).swap16()))).toEqual([
      "utf-16be",
      [["Дмитрий"], ["山田太郎"]],
      0,
    ]);
  });

  test("is not UTF-16 for a few zero bytes", async () => {
    const bytes = new TextEncoder().encode(`email,name\n${"a@example.com,Ada\n".repeat(100)}`);
    for (let at = 101; at < 1_401; at += 20) bytes[at] = 0; // 65 of 1,811, all at odd places
    expect((await stored(bytes))[0]).toBe("utf-8");
  });
});

describe("dates", () => {
  const joined = async (dates: string[]) => {
    const file = `email,joined\n${dates.map((date, n) => `p${n}@example.com,"${date}"\n`).join("")}`;
    const { db, reports } = await bring([file]);
    const stored = await lookAt(db, "select created_at from subscribers order by email");
    return {
      format: (await surveyed(file)).dates?.format,
      stored: stored.flat().map((at) => new Date(Number(at))),
      reports,
    };
  };

  test("go by the format of the whole column", async () => {
    const us = await joined(["03/04/2024", "12/31/2024"]);
    expect([us.format, us.stored]).toEqual(["month-first", [new Date("2024-03-04"), new Date("2024-12-31")]]);
    const british = await joined(["03/04/2024", "31/12/2024"]);
    expect([british.format, british.stored]).toEqual(["day-first", [new Date("2024-04-03"), new Date("2024-12-31")]]);
    expect((await joined(["03.04.2024"])).stored).toEqual([new Date("2024-04-03")]);
    expect((await joined(["03/03/2024"])).stored).toEqual([new Date("2024-03-03")]);
  });

  test("that can be read in two ways are asked about, and until then left out", async () => {
    const { format, reports } = await joined(["03/04/2024", "05/06/2024"]);
    expect([format, reports[0]]).toMatchObject(["ask", { new: 2, undated: 2 }]);
    const exampleOf = async (dates: string[]) =>
      (await surveyed(`email,joined\n${dates.map((date, n) => `p${n}@example.com,${date}\n`).join("")}`)).dates
        ?.example;
    expect(await exampleOf(["12/31/2024", "03/03/2024", "03/04/2024", "05/06/2024", "31/12/2024"])).toBe("03/04/2024");
    expect(await exampleOf(["12/31/2024", "03/03/2024"])).toBe("");
  });

  test("that cannot be read refuse no one", async () => {
    const { stored, reports } = await joined(["2024-01-31", "last spring", "2024-02-30", "1970-01-01", "2099-01-01"]);
    expect(reports[0]).toMatchObject({ new: 5, undated: 3, invalid: 0 });
    expect(stored).toEqual([new Date("2024-01-31"), now, now, now, now]);
  });
});

describe("a column of languages", () => {
  test("is read by tags and names; other languages are the site's, counted, and refuse no one", async () => {
    const rows = ["a,es", "b,pt-BR", "c,German", "d,Norwegian", "e,", `f,${"x".repeat(500)}`, "g,NO"];
    const file = `email,Language\n${rows.map((row) => row.replace(",", "@example.com,")).join("\n")}\n`;
    const { db, reports } = await bring([file]);
    expect(reports[0]).toMatchObject({ new: 7, invalid: 0, otherLanguage: 3, newUnsubscribed: 0 });
    const stored = await lookAt(db, "select language from subscribers order by email");
    expect(stored.flat()).toEqual(["es", "pt", "de", null, null, null, null]);
  });

  test("survives export and import, and changes no one who is here already", async () => {
    const { db } = await bring(["email,language\na@example.com,fr\nb@example.com,\n"]);
    let csv = "";
    for await (const text of exportCsv(db)) csv += text;
    expect(csv).toStartWith(
      "email,name,source,state,created_at,language,tags,topics,topics_left,paused_until,time_zone\r\n",
    );
    const again = await bring([csv]);
    expect(await lookAt(again.db, "select email, language from subscribers order by email")).toEqual([
      ["a@example.com", "fr"],
      ["b@example.com", null],
    ]);
    const { db: kept } = await bring([csv, "email,language\na@example.com,nl\nb@example.com,nl\n"]);
    expect((await lookAt(kept, "select language from subscribers order by email")).flat()).toEqual(["fr", null]);
  });
});

describe("a column of tags", () => {
  const stored = async (db: Awaited<ReturnType<typeof openDb>>) =>
    (
      await lookAt(
        db,
        `select email || ': ' || name from (select s.email, t.name, t.folded from subscriber_tags
          join subscribers s on s.row = subscriber_row join audience_tags t on t.row = tag_row) as pairs
          order by email, folded`,
      )
    ).flat();

  test("is read as Mailchimp, Ghost, Kit and others write it", async () => {
    const cells = [
      '"""Editors"",""VIP"""',
      '"Editors, VIP"',
      '"[""Editors"", ""VIP""]"',
      "Editors;VIP",
      '"vip,EDITORS,vip"',
    ];
    for (const header of ["TAGS", "labels", "tags"]) {
      const { db, reports } = await bring([
        `email,${header}\n${cells.map((cell, n) => `p${n}@x.org,${cell}\n`).join("")}`,
      ]);
      expect(reports[0]).toMatchObject({ new: 5, invalid: 0, newTags: 2, leftOutTags: 0 });
      expect(await stored(db)).toEqual(cells.flatMap((_, n) => [`p${n}@x.org: Editors`, `p${n}@x.org: VIP`]));
    }
  });

  test("survives export and import, whatever is in a name", async () => {
    const { db } = await bring(['email,tags\na@x.org,"=1+1,""Ships, boats"",""a """"b"""""""\nb@x.org,\n']);
    let csv = "";
    for await (const text of exportCsv(db)) csv += text;
    const again = await bring([csv]);
    expect(await stored(again.db)).toEqual(await stored(db));
    expect(await stored(db)).toHaveLength(3);
  });

  test("refuses no one: too long, too many or beyond 200 are left out and counted", async () => {
    const many = Array.from({ length: 60 }, (_, n) => `t${n}`).join(",");
    const rows = [`a@x.org,"${many}"`, `b@x.org,${"x".repeat(61)}`];
    for (let n = 0; n < 160; n++) rows.push(`p${n}@x.org,other ${n}`);
    const { db, reports } = await bring([`email,tags\n${rows.join("\n")}\n`]);
    expect(reports[0]).toMatchObject({ new: 162, invalid: 0, newTags: 200, leftOutTags: 21 });
    expect(await lookAt(db, "select count(*) from audience_tags")).toEqual([[200]]);
  });

  test("changes people who are here already only if that was chosen, and then their language too; the test of it changes nothing", async () => {
    const db = await openDb(":memory:");
    const one = async (file: string, more: object = {}) =>
      importCsv(db, await recognised(opened(file), "list.csv"), { ...terms, ...more }, now);
    await one("email,tags,language\na@x.org,one,es\nleft@x.org,one,\n");
    const second = "email,tags,language,status\na@x.org,two,fr,active\nleft@x.org,two,,unsubscribed\n";
    expect(await one(second, { dryRun: true, update: true })).toMatchObject({ already: 1, left: 1, newTags: 1 });
    expect(await lookAt(db, "select name from audience_tags")).toEqual([["one"]]);
    expect(await one(second)).toMatchObject({ newTags: 0 });
    expect(await stored(db)).toEqual(["a@x.org: one", "left@x.org: one"]);
    await one(second, { update: true });
    expect(await stored(db)).toEqual(["a@x.org: one", "a@x.org: two", "left@x.org: one", "left@x.org: two"]);
    expect((await lookAt(db, "select language from subscribers order by email")).flat()).toEqual(["fr", null]);
    const notes = "select note from subscriber_events where kind = 'changed' order by note";
    expect((await lookAt(db, notes)).flat()).toEqual(["+two", "+two\nlanguage: fr"]);
  });
});
