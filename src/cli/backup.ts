import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { backup } from "../../db/ops/backup";
import { loadConfig } from "../config";
import { databaseFile } from "../boot/data";
import { prepareDataDir } from "../boot/data-dir";
import { type Command, complain, print } from "./command";

export const commands: Command[] = [
  {
    usage: "backup <file>",
    about: "Copy the database into a new file while the service runs",
    async run([name = ""]) {
      const config = loadConfig();
      const file = resolve(name);
      prepareDataDir(config.DATA_DIR);
      if (!existsSync(databaseFile(config))) throw new Error("There is no database in DATA_DIR yet.");
      if (existsSync(file)) throw new Error(`${file} exists already; a backup never overwrites a file.`);
      if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}.`);
      await backup(databaseFile(config), file);
      print(file, `${statSync(file).size} bytes`);
      complain(
        "Keep the secret too, in another place: DATA_DIR/secret or APP_SECRET. Without it the unsubscribe links in old mails, stored node secrets and second steps stop working.",
      );
    },
  },
];
