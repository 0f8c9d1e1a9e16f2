import { join } from "node:path";
import * as imports from "./imports";
import * as syntax from "./syntax";
import { lineCount, sourcesIn } from "./tree";

/** A figure of the sources: how many there are, where, and how many there should be at most. */
export type Row = { what: string; target: number; seen: number; places: string[] };

const maxSmallLines = 30;
/** Names that do not say what a thing is, and names of functions that have several meanings. */
const vagueNames = ["found", "known", "shown"];
const vagueFunctions = ["note", "ask"];

/** All figures of the tree at this folder. */
export async function rowsOf(root: string): Promise<Row[]> {
  const sources = await sourcesIn(root);
  const row = (what: string, target: number, places: string[]): Row => ({ what, target, seen: places.length, places });
  const files = sources.map(({ file }) => file);
  const small = sources.filter(({ text }) => lineCount(text) <= maxSmallLines).map(({ file }) => file);
  const spread = syntax.spreadLiterals(sources);
  return [
    row("source files", 870, files),
    row("files of 30 lines or fewer", 119, small),
    row("files that only a neighbour imports", 120, imports.onlyForANeighbour(sources)),
    row("pairs of folders that depend on each other", 0, imports.mutualFolders(sources)),
    row("literals spread into literals", 0, spread),
    row("literals spread into literals and JSX", 0, [...spread, ...syntax.spreadAttributes(sources)]),
    row("maxlength by hand", 0, syntax.handwrittenLengths(sources)),
    row("functions with five parameters or more", 39, syntax.manyParameters(sources)),
    row("functions of more than 50 lines", 0, syntax.longFunctions(sources)),
    row("any", 0, syntax.anyTypes(sources)),
    row("as", 154, syntax.assertions(sources)),
    row("!", 0, syntax.nonNull(sources)),
    ...vagueNames.map((name) => row(`declared as "${name}"`, 0, syntax.declarations(sources, name))),
    ...vagueFunctions.map((name) => row(`functions called "${name}"`, 0, syntax.functionsNamed(sources, name))),
    { what: "words of the decisions", target: 8_000, ...(await wordsOfDecisions(root)) },
  ];
}

async function wordsOfDecisions(root: string): Promise<Pick<Row, "seen" | "places">> {
  const places = [...new Bun.Glob("docs/**/*.md").scanSync(root)]
    .filter((file) => file.startsWith("docs/decisions"))
    .sort();
  const texts = await Promise.all(places.map((file) => Bun.file(join(root, file)).text()));
  return { seen: texts.join(" ").split(/\s+/).filter(Boolean).length, places };
}
