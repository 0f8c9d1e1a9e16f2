import { join } from "node:path";
import { type ParserOptions, parse } from "@babel/parser";

/** A node of a syntax tree: what every one has, and its children under names of their own. */
export type Node = { type: string; start: number; end: number; [child: string]: unknown };

/** A source file: its path from the root, its text and all nodes of its syntax tree, outer ones first. */
export type Source = { file: string; text: string; nodes: InTree[] };

/** A node, and the one that it is a child of. */
export type InTree = { node: Node; parent: Node | undefined };

const options: ParserOptions = { sourceType: "module", plugins: ["typescript", "jsx"] };

/** Reads and parses what runs in production: `src`, `db`, `views` and `public` without tests. */
export async function sourcesIn(root: string): Promise<Source[]> {
  const files = [...new Bun.Glob("{src,db,views,public}/**/*.{ts,tsx}").scanSync(root)]
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .sort();
  return Promise.all(files.map(async (file) => sourceOf(file, await Bun.file(join(root, file)).text())));
}

export const sourceOf = (file: string, text: string): Source => ({
  file,
  text,
  nodes: [...nodesIn(parse(text, options).program)],
});

/** All nodes below and including this one, with the node that has each as a child. */
export function* nodesIn(value: unknown, parent?: Node): Generator<InTree> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item, parent);
  if (!isNode(value)) return;
  yield { node: value, parent };
  for (const [name, child] of Object.entries(value))
    if (name !== "loc" && !name.endsWith("Comments")) yield* nodesIn(child, value);
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value && typeof value.type === "string";

/** The nodes of a list, such as parameters. */
export const listed = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** Number of lines, the last line break not counted. */
export const lineCount = (text: string): number => text.trimEnd().split("\n").length;
