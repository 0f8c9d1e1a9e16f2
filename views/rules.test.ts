import { expect, test } from "bun:test";

const root = `${import.meta.dir}/..`;

/** Every line of the pages' views, with its location. Emails are exempt: the policy does not apply to them. */
const lines: { at: string; text: string }[] = [];
for (const folder of ["views", "src/dashboard"])
  for await (const file of new Bun.Glob("**/*.tsx").scan(`${root}/${folder}`)) {
    if (file.startsWith("emails/") || file.endsWith(".test.tsx")) continue;
    const text = await Bun.file(`${root}/${folder}/${file}`).text();
    for (const [i, line] of text.split("\n").entries()) lines.push({ at: `${folder}/${file}:${i + 1}`, text: line });
  }
const where = (pattern: RegExp) => lines.filter(({ text }) => pattern.test(text)).map(({ at }) => at);

test.each<[string, RegExp]>([
  [
    "no handlers in attributes: the policy blocks them",
    /\s(hx-on[:a-z-]*|on(abort|blur|change|click|error|focus|input|key\w+|load|mouse\w+|pointer\w+|submit|toggle))=/,
  ],
  ["no computed values: they need eval", /hx-(vals|headers|confirm)="?\{?js:/],
  ["no filters in triggers: they need eval", /hx-trigger="[^"]*\[/],
  ["no inline styles: the policy blocks them", /\sstyle=/],
  ["no boosted links: they move no focus and announce nothing", /hx-boost/],
  ["nothing from another host", /(src|href)="https?:/],
  ["no buttons without a type", /<button(?![^>]*\stype=)[^>]*>/],
  ["no length of a field by hand: it comes from the schema of the request", /\bmaxlength(=["{]|: )[\d_]/],
])("%s", (_, pattern) => {
  expect(lines.length).toBeGreaterThan(500);
  expect(where(pattern)).toEqual([]);
});

test("every asset that a view names is one that is served", async () => {
  const { assets } = await import("./assets");
  const named = lines.flatMap(({ text }) => [...text.matchAll(/asset\("([^"]+)"\)/g)].map(([, name]) => name ?? ""));
  expect(named.filter((name) => !(name in assets))).toEqual([]);
});

test("every icon that a view names is in the sprite", async () => {
  const sprite = await Bun.file(`${root}/public/icons.svg`).text();
  const named = lines.flatMap(({ text }) =>
    [...text.matchAll(/(?:<Icon name=|icon[=:] ?)"([a-z0-9-]+)"/g)].map(([, name]) => name ?? ""),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !sprite.includes(`id="${name}"`))).toEqual([]);
});

test("every icon in the sprite is used", async () => {
  const sprite = await Bun.file(`${root}/public/icons.svg`).text();
  const all = [...sprite.matchAll(/<symbol id="([^"]+)"/g)].map(([, id]) => id ?? "");
  const code = lines.map(({ text }) => text).join("\n");
  expect(all.filter((id) => !code.includes(`"${id}"`))).toEqual([]);
});

test("nothing moves for longer than 200 ms", async () => {
  const long: string[] = [];
  for await (const file of new Bun.Glob("public/**/*.css").scan(root)) {
    const css = await Bun.file(`${root}/${file}`).text();
    for (const [, moves = ""] of css.matchAll(/\b(?:transition|animation)(?:-duration)?:\s*([^;]+);/g))
      for (const move of moves.split(","))
        if (Number(/\b(\d+)ms\b/.exec(move)?.[1] ?? 0) > 200) long.push(`${file}: ${move.trim()}`);
  }
  expect(long).toEqual([]);
});
