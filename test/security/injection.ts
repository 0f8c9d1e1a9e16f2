/**
 * `bun test/security/injection.ts [count]` (quality.md S2): so many hostile texts in every search box of the dashboard and
 * every parameter of its lists. What is found is compared with a reference in memory.
 */
import { fold } from "../../db/fold";
import * as messages from "../../db/messages";
import * as subscribers from "../../db/subscribers";
import { testService } from "../../src/testing";
import { payloads } from "./payloads";

/** A row of a list: `email` or `name` tells it from the others, `text` is hostile. */
type Row = { email: string; name: string; text: string };
type Search = { path: string; mark: (row: Row) => string; isFound: (row: Row, wanted: string) => boolean };

/** Returns how much was asked, and every answer that was a fault or not what the reference says. */
export async function injectEverywhere(count: number) {
  const service = await testService();
  const rows = await fill(service);
  const { get } = await service.signIn();
  const wrong: string[] = [];
  let asked = 0;

  const look = async (path: string) => {
    const answer = await get(path);
    asked++;
    if (answer.status !== 200) wrong.push(`${path}: ${answer.status}`);
    return answer.text();
  };

  for (const payload of payloads(count)) {
    const text = encodeURIComponent(payload.toWellFormed());
    for (const { path, mark, isFound } of searches) {
      const page = await look(`${path}?per=100&q=${text}`);
      const wanted = payload.trim();
      const isAsked = wanted !== "" && wanted.length <= 200; // what is too long for the box is no filter
      const found = rows.filter((row) => page.includes(mark(row)));
      const expected = rows.filter((row) => !isAsked || isFound(row, wanted));
      if (found.length !== expected.length || found.some((row, i) => row !== expected[i]))
        wrong.push(`${path} ${JSON.stringify(payload)}: ${found.map(mark)} not ${expected.map(mark)}`);
    }
    for (const [path, names] of Object.entries(parameters))
      await look(`${path}?${names.map((n) => `${n}=${text}`).join("&")}`);
  }
  const faults = service.logged.filter(({ level }) => level === "error");
  return { asked, wrong: [...wrong, ...faults.map((line) => JSON.stringify(line))] };
}

/** As many subscribers and messages as fit on one page; each holds hostile text of its own. */
async function fill({ db, now }: Awaited<ReturnType<typeof testService>>): Promise<Row[]> {
  const rows = payloads(80).map((text, i) => ({
    email: `p${i}@example.com`,
    name: `Person number ${i}.`,
    text: `${text} ${i}`,
  }));
  for (const { email, name, text } of rows) {
    await subscribers.subscribe(db, { email, name: text }, { via: "form" }, now());
    await messages.submit(db, { email, name, message: text, source: "landing" }, {}, now());
  }
  return rows;
}

/** Literally, whatever the case. */
const within = (wanted: string, ...fields: string[]) => fields.some((field) => fold(field).includes(fold(wanted)));

const searches: Search[] = [
  {
    path: "/dashboard/newsletter",
    mark: ({ email }) => email,
    isFound: ({ email, text }, wanted) =>
      [...fold(wanted)].length < 3 ? email.startsWith(fold(wanted)) : within(wanted, email, text),
  },
  {
    path: "/dashboard/contact",
    mark: ({ name }) => name,
    isFound: ({ email, name, text }, wanted) => within(wanted, email, name, text),
  },
  { path: "/dashboard/outbox", mark: ({ email }) => email, isFound: ({ email }, wanted) => within(wanted, email) },
];

/** What the lists read from their URLs, besides the search. */
const parameters: Record<string, string[]> = {
  "/dashboard/newsletter": ["status", "source", "sort", "page", "per", "__proto__", "q"],
  "/dashboard/contact": ["box", "source", "page", "per", "q"],
  "/dashboard/outbox": ["kind", "state", "page", "per", "q"],
  "/dashboard/audit": ["actor", "action", "from", "to", "page", "q"],
  "/dashboard/api-keys": ["status", "sort", "page", "q"],
};

if (import.meta.main) {
  const { asked, wrong } = await injectEverywhere(Number(Bun.argv[2] ?? 5_000));
  console.log(wrong.slice(0, 20).join("\n"));
  console.log(`${wrong.length ? "NOT OK" : "ok"}: ${asked} requests, ${wrong.length} wrong`);
  process.exitCode = wrong.length ? 1 : 0;
}
