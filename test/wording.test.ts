import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** Words out of use (docs/wording.md), and what to write instead. */
const gone: [word: RegExp, instead: string][] = [
  [/\be-mails?\b/i, "email"],
  [/\bmails?\b(?! (server|scanner|simulated|failed|provider))/, "email"],
  [/\b(some|any|every|no)body\b/i, "someone, anyone, everyone, no one"],
  [/\bwhoever\b/i, "the person who, anyone who"],
  [/\bat once\b/i, "now, immediately"],
  [/\bby itself\b/i, "automatically"],
  [/\bfor good\b/i, "permanently"],
  [/\bmeanwhile\b/i, "the event, or nothing"],
  [/\bany more\b/i, "no longer"],
  [/\blately\b/i, "recently, or the time"],
  [/\bsecond step\b(?!")/i, "two-step verification"],
  [/\bset-up\b/i, "setup, set up"],
  [/\b(lies|lie|stands) (in|on|at|there|here)\b/i, "is"],
  [/\b(gives?|given|gave) up\b/i, "cancelled, aborted, expired"],
  [/\bth(rown?|rew) away\b/i, "deleted"],
  [/\b(took|taken) out of\b/i, "restored"],
  [/\bput(s|ting)? right\b/i, "fix"],
  [/\b(Nothing to do|That did not work|Not here any|Nothing here)\b/, "a sentence that names the thing"],
  [/\bThere is no such\b/, "… not found."],
  [/\bmust have \d+ to \d+ characters\b|\bmust be (text|an integer)\b/, "must be … characters long, a string"],
  [/\bdeeds?\b/i, "actions"],
  [/\bauthenticator\b(?! app)/i, "authenticator app"],
  [/\b(canceled|log in|log out|logged in|logged out|login)\b/, "cancelled, sign in, sign out"],
];

/** What other programs call columns and statuses. */
const wordsOfOthers = [
  "src/content/csv/status-words.ts",
  "src/content/csv/subscriber-columns.ts",
  "src/fields/subscriber.ts",
];

/** One word, code, or styles. */
const isNoText = (text: string) => !/\p{L} \p{L}/u.test(text) || /\w\(\w+: |[a-z]:#?\d/.test(text);

/** The texts of a source file: strings, templates and text between tags, without comments and placeholders. */
function textsOf(source: string): string[] {
  const bare = source.replace(/(^|\s)\/\*[\s\S]*?\*\//g, "$1").replace(/(^|[\s;{}(,])\/\/ .*$/gm, "$1");
  const strings = bare.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/g);
  const between = bare.matchAll(/(?<=[>}])([^<>{}=;`"]*\p{L}[^<>{}=;`"]*)(?=[<{])/gu);
  return [...strings, ...between]
    .map(([, ...found]) => (found.find((text) => text !== undefined) ?? "").replace(/\$\{[^}]*\}/g, "…"))
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => !isNoText(text));
}

/** The texts of a document, without code. */
const linesOf = (document: string) => document.replace(/```[\s\S]*?```|`[^`\n]*`/g, "").split("\n");

const read = (file: string) => Bun.file(join(root, file)).text();
const filesIn = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true })].sort();
/** The texts of a file with a word out of use, and what to write instead. */
const wrongIn = (file: string, texts: string[]) =>
  texts.flatMap((text) =>
    gone
      .filter(([word]) => word.test(text))
      .map(([word, instead]) => `${file}: ${text.slice(0, 120)} (${word}: ${instead})`),
  );

test("no text of a page, an email, an error or a command contains a word that is out of use", async () => {
  const files = filesIn("{src,views,public,db}/**/*.{ts,tsx}").filter(
    (file) => !/\.test\.tsx?$|^src\/demo\/|^views\/languages\/(?!en)\w\w\./.test(file) && !wordsOfOthers.includes(file),
  );
  expect(files.length).toBeGreaterThan(300);
  const found = await Promise.all(files.map(async (file) => wrongIn(file, textsOf(await read(file)))));
  expect(found.flat()).toEqual([]);
});

test("no document contains such a word either", async () => {
  const files = [
    "README.md",
    ".env.example",
    ...filesIn("{docs/{,decisions/,deploy/},src/openapi/guides/}*.md"),
  ].filter((file) => file !== "docs/wording.md");
  const lines = await Promise.all(files.map(async (file) => wrongIn(file, linesOf(await read(file)))));
  expect(lines.flat()).toEqual([]);
});

test("the dashboard calls a picture by one word", async () => {
  const files = filesIn("{src,views,public}/**/*.{ts,tsx}").filter(
    (file) => /^(src\/(dashboard|broadcasts)|views|public)\//.test(file) && !/\.test\.tsx?$|\/languages\//.test(file),
  );
  expect(files.length).toBeGreaterThan(300);
  const wrong = await Promise.all(
    files.map(async (file) =>
      textsOf(await read(file))
        .filter((text) => /\bimages?\b(?!\/)/i.test(text) && !/\b(picture|photo)s?\b/i.test(text)) // words to search by
        .map((text) => `${file}: ${text.slice(0, 120)}`),
    ),
  );
  expect(wrong.flat()).toEqual([]);
});

test("planted words are found", () => {
  const planted = `/** Somebody. */\nconst a = "Deleted for good."; // meanwhile\nconst b = <p class="once">\n  Whoever is {name} gone at once\n</p>;\nconst c = \`The mail to \${x} is sent by itself\`;`;
  expect(wrongIn("x", textsOf(planted)).map((line) => line.split(" (")[0])).toEqual([
    "x: Deleted for good.",
    "x: The mail to … is sent by itself",
    "x: The mail to … is sent by itself",
    "x: Whoever is",
    "x: gone at once",
  ]);
});
