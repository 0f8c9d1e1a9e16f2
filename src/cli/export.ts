import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as audit from "../../db/audit";
import { exportPosts } from "../content/export-posts";
import { actor, type Command, complain, print, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "export posts <folder>",
    about: "Export every post to the folder as <slug>.mdx (readable by `import posts`); existing files are replaced",
    run: ([folder = ""]) =>
      withData(async ({ db, now }) => {
        const counts = { written: 0, refused: 0 };
        await mkdir(folder, { recursive: true });
        await audit.note(db, { actor, action: "post.export" }, now); // no export without an entry, so before a post is read
        for await (const { slug, name, text } of exportPosts(db)) {
          counts[name ? "written" : "refused"]++;
          if (!name) complain(`${slug}: cannot be used as a file name`);
          else await Bun.write(join(folder, name), text);
          if (name) print(slug);
        }
        return counts.refused ? 1 : 0;
      }),
  },
];
