import { existsSync, statSync } from "node:fs";
import { filesIn, importPosts, type ImportResult } from "../content/import-posts";
import { type Imported, importProjects } from "../content/import-projects";
import { actor, type Command, complain, needsFile, print, textOf, withData } from "./command";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as audit from "../../db/audit";
import { exportPosts } from "../content/export-posts";
import { commands as everything } from "./everything";

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
  {
    usage: "export posts <folder>",
    about: "Export every post to the folder as <slug>.mdx (readable by `import posts`); existing files are replaced",
    run: ([folder = ""]) =>
      withData(async ({ db, now }) => {
        const counts = { written: 0, refused: 0 };
        await mkdir(folder, { recursive: true });
        await audit.recordAlone(db, { actor, action: "post.export" }, now); // no export without an entry, so before a post is read
        for await (const { slug, name, text } of exportPosts(db)) {
          counts[name ? "written" : "refused"]++;
          if (!name) complain(`${slug}: cannot be used as a file name`);
          else await Bun.write(join(folder, name), text);
          if (name) print(slug);
        }
        return counts.refused ? 1 : 0;
      }),
  },
  ...everything,
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
