import { dirname, join, normalize } from "node:path";
import { isNode, type Source } from "./tree";

/** A file that needs another one of the tree, if only for its types. */
type Import = { from: string; to: string };

/** What the files import from each other, including types and what is loaded on demand. */
export function importsOf(sources: Source[]): Import[] {
  const files = new Set(sources.map(({ file }) => file));
  const fileAt = (path: string) =>
    [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((candidate) => files.has(candidate));
  return sources.flatMap((source) =>
    pathsIn(source).flatMap((path) => {
      const to = path.startsWith(".") ? fileAt(normalize(join(dirname(source.file), path))) : undefined;
      return to === undefined ? [] : [{ from: source.file, to }];
    }),
  );
}

function pathsIn({ nodes }: Source): string[] {
  return nodes.flatMap(({ node }) => {
    const isOnDemand = node.type === "CallExpression" && isNode(node.callee) && node.callee.type === "Import";
    const source = isOnDemand && Array.isArray(node.arguments) ? node.arguments[0] : node.source;
    return isNode(source) && typeof source.value === "string" ? [source.value] : [];
  });
}

/** A folder below one of the four floors, or a file there without its extension: `src/mail`, `src/app`. */
const folderOf = (file: string) =>
  file
    .split("/")
    .slice(0, 2)
    .join("/")
    .replace(/\.tsx?$/, "");

/** Folders below `src`, `db`, `views` and `public` that depend on each other in both directions: `a ↔ b`. */
export function mutualFolders(sources: Source[]): string[] {
  const ways = new Set(importsOf(sources).map(({ from, to }) => `${folderOf(from)} ${folderOf(to)}`));
  return [...ways].flatMap((way) => {
    const [from = "", to = ""] = way.split(" ");
    return from < to && ways.has(`${to} ${from}`) ? [`${from} ↔ ${to}`] : [];
  });
}

/** Files that only one other file imports, which is in the same folder. */
export function onlyForANeighbour(sources: Source[]): string[] {
  const importers = Map.groupBy(importsOf(sources), ({ to }) => to);
  return sources.flatMap(({ file }) => {
    const [only, ...others] = new Set(importers.get(file)?.map(({ from }) => from));
    return only !== undefined && !others.length && dirname(only) === dirname(file) ? [file] : [];
  });
}
