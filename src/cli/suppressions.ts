import { createReadStream, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import * as audit from "../../db/audit";
import { add, batches, liftOne } from "../../db/newsletter/suppression-list";
import { exportSuppressions, importSuppressions } from "../content/csv/suppressions";
import { emailAddress } from "../http/email-address";
import { actor, type Command, complain, print, withData } from "./command";

const by = { actor, via: "cli" as const };

export const commands: Command[] = [
  {
    usage: "suppressions list",
    about: "List addresses that get no email, newest first: address, reason, since, detail",
    run: () =>
      withData(async ({ db }) => {
        for await (const page of batches(db, { matching: {} }))
          for (const { email, reason, createdAt, detail } of page)
            print(email ?? "", reason, createdAt.toISOString(), detail ?? "");
      }),
  },
  {
    usage: "suppressions add <address> [--note=N]",
    about: "Suppress an address: it gets no newsletter email, however it is added again",
    options: { note: { type: "string" } },
    run: ([text = ""], { note }) =>
      withData(async ({ db, now }) => {
        const email = addressOf(text);
        const isAdded = await add(db, email, typeof note === "string" ? note : undefined, by, now);
        print(isAdded ? "suppressed" : "already suppressed", email);
      }),
  },
  {
    usage: "suppressions lift <address> --note=N",
    about: "Lift a suppression, with the reason why",
    options: { note: { type: "string" } },
    run: ([text = ""], { note }) =>
      withData(async ({ db, now }) => {
        const why = typeof note === "string" ? note.trim() : "";
        if (!why) throw new Error('Say why with --note="…": it is kept with the address.');
        const email = addressOf(text);
        if (!(await liftOne(db, email, by, why, now))) throw new Error(`${email} is not suppressed.`);
        print("lifted", email);
      }),
  },
  {
    usage: "suppressions import <file>",
    about: "Suppress the addresses of a CSV file with the columns email and reason",
    run: ([file = ""]) =>
      withData(async ({ db, now }) => {
        if (!existsSync(file)) throw new Error(`File not found: ${file}.`);
        const counts = await importSuppressions(db, createReadStream(file), by, now, (line, message) => {
          complain(`line ${line}: ${message}`);
          return undefined;
        });
        const details = Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, String(n)]));
        await audit.note(db, { actor, action: "suppression.import", details }, now);
        for (const [name, n] of Object.entries(counts)) print(name, n);
        return counts.invalid ? 1 : 0;
      }),
  },
  {
    usage: "suppressions export <file>",
    about: "Export the suppressed addresses to a new CSV file",
    run: ([name = ""]) =>
      withData(async ({ db, now }) => {
        const file = await open(name, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
          throw new Error(
            error.code === "EEXIST" ? `${name} exists already.` : `${name} cannot be written (${error.code}).`,
          );
        });
        try {
          await audit.note(db, { actor, action: "suppression.export" }, now); // before a row is read (P73)
          for await (const rows of exportSuppressions(db)) await file.write(rows);
          await file.sync();
        } finally {
          await file.close();
        }
      }),
  },
];

function addressOf(text: string): string {
  const { data, success } = emailAddress.safeParse(text);
  if (!success) throw new Error("The address is not a valid email address.");
  return data;
}
