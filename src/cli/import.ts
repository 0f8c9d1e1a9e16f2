import { existsSync, statSync } from "node:fs";
import * as audit from "../../db/audit";
import { filesIn, importPosts, type ImportResult } from "../content/import-posts";
import { type Imported, importProjects } from "../content/import-projects";
import { actor, type Command, complain, needsFile, print, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "import posts <folder>",
    about: "Import .md and .mdx files with YAML front matter as posts; existing slugs are updated",
    run: ([folder = ""]) =>
      withData(async ({ db, now }) => {
        if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new Error(`Folder not found: ${folder}.`);
        const imported = sorted(await importPosts(db, filesIn(folder), { actor }, now));
        await audit.note(db, { actor, action: "post.import", details: counted(imported) }, now);
        return report(imported);
      }),
  },
  {
    usage: "import projects <file.json>",
    about: "Import projects from a JSON array; existing slugs are updated",
    run: ([file = ""]) =>
      withData(async ({ db, now }) => {
        needsFile(file);
        const imported = await importProjects(db, await Bun.file(file).text(), now);
        await audit.note(db, { actor, action: "project.import", details: counted(imported) }, now);
        return report(imported);
      }),
  },
];

/** Unchanged posts count as saved, because the file's post exists. */
const sorted = (results: ImportResult[]): Imported => ({
  saved: results.flatMap((result) => (result.outcome === "refused" ? [] : [result.slug])),
  refused: results.filter((result) => result.outcome === "refused"),
});

const counted = ({ saved, refused }: Imported) => ({ saved: String(saved.length), refused: String(refused.length) });

function report({ saved, refused }: Imported): number {
  for (const slug of saved) print(slug);
  for (const { file, reason } of refused) complain(`${file}: ${reason.replaceAll(/\s*\n\s*/g, " ")}`);
  return refused.length ? 1 : 0;
}
