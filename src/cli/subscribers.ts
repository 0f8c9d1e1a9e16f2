import { createReadStream, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import * as audit from "../../db/audit";
import { exportCsv, importCsv } from "../content/subscribers-csv";
import { actor, type Command, complain, print, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "subscribers import <file> [--revive]",
    about: "Import subscribers from a CSV file; --revive also reactivates unsubscribed addresses",
    options: { revive: { type: "boolean", default: false } },
    run: ([file = ""], { revive }) =>
      withData(async ({ db, now }) => {
        if (!existsSync(file)) throw new Error(`File not found: ${file}.`);
        const terms = { revive: revive === true, origin: { via: "import" as const, actor } };
        const { problems, ...counts } = await importCsv(db, createReadStream(file), terms, now);
        const details = Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, String(n)]));
        await audit.note(db, { actor, action: "subscriber.import", details }, now);

        for (const { line, message } of problems) complain(`line ${line}: ${message}`);
        for (const [name, n] of Object.entries(counts)) print(names[name] ?? name, n);
        return counts.invalid ? 1 : 0;
      }),
  },
  {
    usage: "subscribers export <file>",
    about: "Export all subscribers to a new CSV file",
    run: ([name = ""]) =>
      withData(async ({ db, now }) => {
        const file = await open(name, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
          throw new Error(
            error.code === "EEXIST" ? `${name} exists already.` : `${name} cannot be written (${error.code}).`,
          );
        });
        try {
          await audit.note(db, { actor, action: "subscriber.export" }, now); // before a row is read (P73)
          for await (const rows of exportCsv(db)) await file.write(rows);
          await file.sync();
        } finally {
          await file.close();
        }
      }),
  },
];

const names: Record<string, string> = { keptUnsubscribed: "still unsubscribed" };
