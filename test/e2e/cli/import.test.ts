import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dateForms, listOf, saved } from "../../support/lists/programs";
import { cliService, rows } from "./service";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

const consent = "--consent=Signed up on the old site";
type At = ReturnType<typeof cliService>;

/** A file as its bytes, and an import of it. */
function bytes(at: At, name: string, content: Uint8Array | string): string {
  const path = at.file(name);
  writeFileSync(path, content);
  return path;
}

const counts = (out: string) => Object.fromEntries(rows(out));

/** The rows of the list, without the names of the columns. */
async function list(at: At, name: string): Promise<string[][]> {
  await at.run("subscribers", "export", at.file(name));
  return readFileSync(at.file(name), "utf8")
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.split(","));
}

test("a list of Buttondown with words that are not known makes no one active who left", async () => {
  using at = cliService();
  const written = listOf("buttondown", 3_000, dateForms.iso ?? String);
  const file = bytes(at, written.name, saved["utf-8"]?.(written.text) ?? "");
  const { code, out, err } = await at.run("subscribers", "import", file, consent);
  const of = (truth: string) => written.people.filter((person) => person.truth === truth).length;
  expect([code, counts(out)]).toMatchObject([
    1,
    { new: String(of("subscribed") + of("left")), "new, unsubscribed": String(of("left")) },
  ]);
  expect(err).toContain("line 5: status is not known as subscribed or unsubscribed");
  expect(err).toContain('Say what it means with --words="unpaid=active".');
  const left = new Set(written.people.filter(({ truth }) => truth !== "subscribed").map(({ email }) => email));
  const active = (await list(at, "out.csv")).filter(([, , , state]) => state === "active").map(([email = ""]) => email);
  expect(active.filter((email) => left.has(email))).toEqual([]);

  const again = await at.run("subscribers", "import", file, consent, "--words=unpaid=active,past_due=active");
  expect(counts(again.out)).toMatchObject({ new: String(of("unknown")), invalid: String(of("unconfirmed")) });
});

test("who left is unsubscribed by the next file, and who never agreed is not imported", async () => {
  using at = cliService();
  const header = "Email Address,First Name,OPTIN_TIME";
  const people = `${header}\nada@example.com,Ada,2024-01-01 10:00:00\nbo@example.com,Bo,2024-01-01 10:00:00\n`;
  await at.run("subscribers", "import", at.file("subscribed_email_audience_export_1a.csv", people), consent);
  const left = `${header},UNSUB_TIME\nada@example.com,Ada,2024-01-01 10:00:00,2025-01-01 10:00:00\n`;
  const second = await at.run(
    "subscribers",
    "import",
    at.file("unsubscribed_email_audience_export_1a.csv", left),
    consent,
  );
  expect(counts(second.out)).toMatchObject({ unsubscribed: "1", already: "0" });
  const shop = `${header}\ncy@example.com,Cy,2024-01-01 10:00:00\n`;
  const third = await at.run(
    "subscribers",
    "import",
    at.file("nonsubscribed_email_audience_export_1a.csv", shop),
    consent,
  );
  expect([third.code, counts(third.out)]).toMatchObject([1, { new: "0", invalid: "1", "never agreed": "1" }]);
  expect(third.err).toContain("the file lists people who never agreed to get emails. None of them is imported.");
  expect((await list(at, "out.csv")).map(([email, , , state]) => [email, state])).toEqual([
    ["ada@example.com", "unsubscribed"],
    ["bo@example.com", "active"],
  ]);
});

test("dates and encodings are said; what fits in two ways is asked before anything is imported", async () => {
  using at = cliService();
  const twofold = "email,joined\nada@example.com,03/04/2024\n";
  const asked = await at.run("subscribers", "import", at.file("two.csv", twofold), consent);
  expect([asked.code, asked.out]).toEqual([1, ""]);
  expect(asked.err).toContain("such as 03/04/2024. Say which with --dates=day-first or --dates=month-first.");
  const answered = await at.run("subscribers", "import", at.file("two.csv", twofold), consent, "--dates=day-first");
  expect([answered.code, answered.err]).toEqual([
    0,
    "The dates in “joined” are read as: Day first (31/01/2025). If that is wrong, say --dates.\n",
  ]);

  const latin = Buffer.from("email;name;joined\njo@example.com;J\u00fcrgen;letzten Mai\n", "latin1");
  const file = bytes(at, "excel.csv", latin);
  const first = await at.run("subscribers", "import", file, consent);
  expect([first.code, counts(first.out)]).toMatchObject([
    0,
    { new: "1", "without a readable date": "1", invalid: "0" },
  ]);
  expect(first.err).toContain("The file is read as Windows-1252");
  const wrong = await at.run("subscribers", "import", file, consent, "--encoding=utf-8");
  expect([wrong.code, wrong.err]).toMatchObject([
    1,
    expect.stringContaining("line 2: name has a character that cannot be read"),
  ]);
  for (const option of ["--encoding=latin", "--dates=dmy", "--words=unpaid", "--words=unpaid=maybe"])
    expect([option, (await at.run("subscribers", "import", file, consent, option)).code]).toEqual([option, 1]);
  expect((await list(at, "out.csv")).map(([email, name, , , joined]) => [email, name, joined])).toEqual([
    ["ada@example.com", "", "2024-04-03T00:00:00.000Z"],
    ["jo@example.com", "Jürgen", expect.any(String) as never],
  ]);
});

test("suppressions, projects and broadcasts are read in their encoding too, or not at all", async () => {
  using at = cliService();
  const text = "email\treason\na@example.com\tgelöscht\n";
  const utf16 = bytes(at, "suppressed.csv", saved["utf-16le"]?.(text) ?? "");
  expect(counts((await at.run("suppressions", "import", utf16)).out)).toMatchObject({ added: "1", invalid: "0" });
  expect((await at.run("suppressions", "list")).out).toContain("gelöscht");
  const damaged = bytes(at, "damaged.csv", Buffer.from(`email,reason\nb@example.com,${"\u00e4"}\n`, "latin1"));
  const kept = await at.run("suppressions", "import", damaged, "--encoding=utf-8");
  expect([kept.code, counts(kept.out)]).toMatchObject([0, { added: "1", invalid: "0" }]);
  expect((await at.run("suppressions", "list")).out).not.toContain("\ufffd");

  const projects = bytes(at, "projects.json", Buffer.from('[{"title":"B\u00e4r"}]', "latin1"));
  expect((await at.run("import", "projects", projects)).err).toContain("is not valid UTF-8. Save it as UTF-8.");
  const broadcast = bytes(at, "news.md", Buffer.from("# B\u00e4r\n\nText", "latin1"));
  expect((await at.run("broadcasts", "create", broadcast)).err).toContain("is not valid UTF-8. Save it as UTF-8.");
});

test("topics and fields are made with --define alone, and --columns says what a column holds", async () => {
  using at = cliService();
  const list = 'email,Interests,field.city,Phone\nada@example.com,"Recipes, News",Köln,0151\n';
  const file = bytes(at, "people.csv", list);
  const report = at.file("report.csv");
  const first = await at.run("subscribers", "import", file, consent, `--report=${report}`);
  expect(readFileSync(report, "utf8")).toBe("line,email,result,note\r\n2,ada@example.com,new,\r\n");
  const twice = await at.run("subscribers", "import", file, consent, "--update", "--define", `--report=${report}`);
  expect([twice.code, twice.err]).toEqual([1, expect.stringContaining("exists already") as never]);
  expect(counts(first.out)).toMatchObject({ new: "1", "topics left out": "2", "values left out": "1" });
  expect(first.err).toContain("Not imported: “field.city”. Say --define to make fields of them.");
  const again = [file, consent, "--update", "--define", "--columns=Interests=topics,Phone=new:text"];
  const second = await at.run("subscribers", "import", ...again);
  expect(counts(second.out)).toMatchObject({ already: "1", "new topics": "2", "new fields": "2" });
  const wrong = await at.run("subscribers", "import", file, consent, "--columns=Telephone=new:text");
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("no column “Telephone”") as never]);
  await at.run("subscribers", "export", at.file("out.csv"));
  expect(readFileSync(at.file("out.csv"), "utf8")).toContain(',"Recipes, News",,,Köln,0151,\r\n');
});

test("a dump of listmonk is imported with who is on which list", async () => {
  using at = cliService();
  const dump = [
    "--\n-- PostgreSQL database dump\n--",
    "COPY public.lists (id, name, type, optin) FROM stdin;\n1\tNews\tpublic\tsingle\n\\.",
    "COPY public.subscriber_lists (subscriber_id, list_id, status) FROM stdin;\n1\t1\tunconfirmed\n2\t1\tunsubscribed\n\\.",
    "COPY public.subscribers (id, email, name, attribs, status) FROM stdin;",
    "1\tada@example.com\tAda\t{}\tenabled\n2\tbo@example.com\tBo\t{}\tenabled\n\\.\n",
  ];
  const { out } = await at.run("subscribers", "import", bytes(at, "dump.sql", dump.join("\n")), consent, "--define");
  expect(counts(out)).toMatchObject({ new: "2", "new, unsubscribed": "1", "new topics": "1" });
});
