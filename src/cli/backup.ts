import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { backup } from "../../db/ops/backup";
import { loadConfig } from "../platform/config";
import { databaseFile, needsOwnDatabase } from "../boot/data";
import { prepareDataDir } from "../platform/data-dir";
import { type Command, complain, figure, print } from "./command";

export const commands: Command[] = [
  {
    usage: "backup <file>",
    about: "Back up the database to a new file; safe while the service is running",
    async run([name = ""]) {
      const config = loadConfig();
      needsOwnDatabase(config, "copy it with pg_dump, or use the copies of its provider.");
      const file = resolve(name);
      prepareDataDir(config.DATA_DIR);
      if (!existsSync(databaseFile(config))) throw new Error("No database found in DATA_DIR.");
      if (existsSync(file)) throw new Error(`${file} already exists. Choose a new file name.`);
      if (!existsSync(dirname(file))) throw new Error(`Folder not found: ${dirname(file)}.`);
      await backup(databaseFile(config), file);
      print(file, `${figure(statSync(file).size)} bytes`);
      complain(
        "Also keep a copy of the secret (DATA_DIR/secret or APP_SECRET) in a different place. Without it, unsubscribe links in sent emails, stored node credentials and two-step verification stop working.",
      );
    },
  },
];
