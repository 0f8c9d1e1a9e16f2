import { existsSync, statSync } from "node:fs";
import { filesIn, importPosts, type ImportResult } from "../content/import-posts";
import { type Imported, importProjects } from "../content/import-projects";
import { actor, type Command, complain, needsFile, print, textOf, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "import posts <folder>",
    about: "Import .md and .mdx files with YAML front matter as posts; existing slugs are updated",
    run: ([folder = ""]) =>
      withData(async ({ db, now }) => {
        if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new Error(`Folder not found: ${folder}.`);
        return report(sorted(await importPosts(db, filesIn(folder), { actor }, now)));
      }),
  },
  {
    usage: "import projects <file.json>",
    about: "Import projects from a JSON array; existing slugs are updated",
    run: ([file = ""]) =>
      withData(async ({ db, now }) => {
        needsFile(file);
        return report(await importProjects(db, await textOf(file), { actor }, now));
      }),
  },
];

/** Unchanged posts count as saved, because the file's post exists. */
const sorted = (results: ImportResult[]): Imported => ({
  saved: results.flatMap((result) => (result.outcome === "refused" ? [] : [result.slug])),
  refused: results.filter((result) => result.outcome === "refused"),
});

function report({ saved, refused }: Imported): number {
  for (const slug of saved) print(slug);
  for (const { file, reason } of refused) complain(`${file}: ${reason.replaceAll(/\s*\n\s*/g, " ")}`);
  return refused.length ? 1 : 0;
}
