import { join } from "node:path";
import { words } from "./material";

/** Where a pattern may be slow, because its input is short, or the operator's own. */
const bounded = [
  /^src\/(config|boot\/|cli\/|mail\/resend\.ts )/, // the environment, arguments, names of our own files
  /^(db\/engine\/postgres\/dialect|views\/components\/forms\/field-errors)\.tsx? /, // our own statements and messages
  /^src\/openapi\/docs-(guides|markdown)\.tsx? /, // our own pages
  /^src\/dashboard\/search\/commands\.ts /, // 200 characters
  /^src\/content\/front-matter\.ts .*\]\*\)/, // the first 2,000 characters of a paragraph
];
const length = 8_000;
const maxRatio = 100; // a pattern that tries each place twice over is at 8,000
const leastMs = 0.2;

/** Patterns in the sources that take more than linear time for a text grown from their own characters. */
export async function slowPatterns(): Promise<string[]> {
  const root = join(import.meta.dir, "../../..");
  const slow: string[] = [];
  for (const file of new Bun.Glob("{src,db,views}/**/*.{ts,tsx}").scanSync(root)) {
    if (file.includes(".test.")) continue;
    for (const pattern of patternsIn(await Bun.file(join(root, file)).text())) {
      if (bounded.some((place) => place.test(`${file} ${pattern.source}`))) continue;
      const text = hostileTextsFor(pattern).find((text) => costs(pattern, text));
      if (text !== undefined) slow.push(`${file}: ${pattern} for ${JSON.stringify(text.slice(0, 20))}…`);
    }
  }
  return slow;
}

/** Literals, as far as they can be told from divisions: a few that are none do no harm. */
function patternsIn(source: string): RegExp[] {
  const literal =
    /(?<=[=(:,?&|![{;]\s*|return\s+|^\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/gm;
  return [...source.matchAll(literal)].flatMap(([, pattern = "", flags]) => {
    try {
      return [new RegExp(pattern, flags)];
    } catch {
      return [];
    }
  });
}

const usual = [..." \t\n\ra0.-/\\\"'<>[]{}()*`=,;:@_#%+&|~$é"];

function hostileTextsFor({ source }: RegExp): string[] {
  const own = [...new Set(source.replace(/\\[a-zA-Z]/g, "").match(/[a-zA-Z0-9]+|[^\sa-zA-Z0-9]/g) ?? [])];
  const pieces = [...new Set([...usual, ...own])];
  const pairs = pieces.slice(0, 30).flatMap((a) => own.slice(0, 12).map((b) => a + b));
  return [...pieces, ...pairs].flatMap((piece) =>
    ["", "a", own.join("").slice(0, 10)].map((begin) => `${begin}${piece.repeat(length / piece.length)}\0`),
  );
}

/** Whether it takes longer than for ordinary words, twice in a row. */
function costs(pattern: RegExp, text: string): boolean {
  const allowed = maxRatio * Math.max(leastMs, msOf(pattern, words(text.length)));
  return [1, 2, 3].every(() => msOf(pattern, text) > allowed);
}

function msOf(pattern: RegExp, text: string): number {
  const before = process.cpuUsage();
  text.replace(pattern, "");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
