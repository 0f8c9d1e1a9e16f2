import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import type { Stage } from "../../support/broadcasts/stage";

/** What is on the page, and what is in the database; what differs between any two runs is left out. */
export type State = { page: string[]; database: string[] };

/** Texts one by one, because where lines break depends on the layout. What was only announced is gone by now or later. */
const seen = `(() => {
  // The editor shows the marks at the caret only: its text is the value of its textarea
  const shown = (element) => element.checkVisibility() && !element.closest(".sr, [role=status], .cm-editor");
  const texts = (root) => {
    const all = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    while (all.nextNode()) if (shown(all.currentNode.parentElement)) found.push(all.currentNode.data.trim());
    return found.filter(Boolean);
  };
  const fields = [...document.querySelectorAll("input:not([type=hidden], [type=file]), textarea, select")];
  const value = (field) => (/checkbox|radio/.test(field.type) ? field.checked : field.value);
  return [
    location.pathname + "?" + [...new URLSearchParams(location.search)].map((entry) => entry.join("=")).sort().join("&"),
    ...[...document.querySelectorAll("main, dialog[open]")].flatMap((root) => [root.id || root.nodeName, ...texts(root)]),
    ...fields.filter((field) => shown(field) || field.matches("[data-mdx]")).map((field) => (field.id || field.name) + " = " + value(field)),
  ];
})()`;

/**
 * Times of sessions, and what is counted in memory, searched or rewritten when there is time. A text that is typed slowly
 * is saved more often, of which its revisions tell.
 */
const volatile = new Set([
  ...["sessions", "rate_limits", "visits", "audit_seals", "migrations", "installation", "post_revisions"],
]);
/** Entries of the audit log about such a text. */
const savedAgain = /"action":"(post|broadcast)\.change"/;

export const stateOf = async (page: Page, stage: Stage): Promise<State> => ({
  page: await seenOn(page),
  database: await storedIn(stage),
});

export const seenOn = async (page: Page): Promise<State["page"]> =>
  ((await page.evaluate(seen)) as string[]).map(plain);

async function storedIn({ db }: Stage): Promise<State["database"]> {
  const tables = await db.read((orm) =>
    orm.all<{ name: string }>(
      // Without those of full-text search, which tell how often it was written
      sql`select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'`,
    ),
  );
  const database: string[] = [];
  for (const { name } of tables.filter(({ name }) => !volatile.has(name))) {
    const rows = await db.read((orm) => orm.all<Record<string, unknown>>(sql.raw(`select * from "${name}"`)));
    const texts = rows.map((row) => JSON.stringify(without(row, measured))).filter((text) => !savedAgain.test(text));
    database.push(...texts.map((text) => `${name} ${plain(text)}`));
  }
  return database.sort();
}

/** What a picture shows and measures is found out when there is time. */
const measured = ["measure_at", "picture", "picture_failures"];

const without = (row: Record<string, unknown>, columns: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name)));

/** Replaces IDs, times and random values. */
const plain = (text: string): string =>
  text
    .replace(/(localhost|127\.0\.0\.1):\d+/g, "<host>")
    .replace(/"version":\d+/g, '"version":"<times saved>"') // a text that is typed slowly is saved once more
    .replace(/(?<="action":"post\.create".*"(target|folded)":)"[^"]*"/g, '"<what was typed by then>"')
    .replace(/\d{8}T\d{6}Z/g, "<time>")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>")
    .replace(/\b1[6-9]\d{11}\b|\d{4}-\d\d-\d\dT[\d:.]+Z?|\b\d?\d:\d\d(:\d\d)?\b/g, "<time>")
    .replace(/\{"0":\d+[^}]*\}/g, "<bytes>")
    .replace(/Not searched yet.|The address was not found in it afterwards./, "<by then>")
    .replace(/"checked_at":[^,]+,"remnants":(null|0)/, "<by then>")
    .replace(/just now|\d+ (second|minute)s? ago/g, "<ago>")
    .replace(/(…|"last_four":")[0-9a-z]{4}\b/gi, "$1<random>")
    .replace(/\b[0-9a-f]{8}\b/g, "<random>")
    .replace(/([A-Z2-7]{4} ){3,}[A-Z2-7]{4}/g, "<secret>")
    .replace(/[\w-]{20,}/g, "<random>");

/** The lines that one has and the other has not, at most six of each. */
export function differences(expected: State, actual: State): string[] {
  const missing = (from: string[], to: string[]) => {
    const left = [...to];
    return from.filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  const most = 6;
  return (["page", "database"] as const).flatMap((part) => [
    ...missing(expected[part], actual[part])
      .slice(0, most)
      .map((line) => `- ${line}`),
    ...missing(actual[part], expected[part])
      .slice(0, most)
      .map((line) => `+ ${line}`),
  ]);
}
