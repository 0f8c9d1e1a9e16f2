import { createReadStream } from "node:fs";
import * as audit from "../../db/audit";
import { notStated } from "../../db/newsletter/import";
import { consentText, exportCsv, importCsv, refusedCsv } from "../content/csv/subscribers";
import { actor, type Command, complain, type Flags, needsFile, print, withData } from "./command";
import { writeNew } from "./new-file";

export const commands: Command[] = [
  {
    usage: 'subscribers import <file> [--consent="…"] [--refused=<file>] [--revive]',
    about:
      "Import subscribers from a CSV file; --consent says how they agreed, --refused writes a CSV file of refused lines, --revive also reactivates unsubscribed addresses",
    options: {
      consent: { type: "string" },
      refused: { type: "string" },
      revive: { type: "boolean", default: false },
    },
    run: ([file = ""], { consent: stated, refused, revive }) =>
      withData(async ({ db, now }) => {
        needsFile(file);
        const consent = consentOf(stated);
        const terms = { revive: revive === true, consent, origin: { via: "import" as const, actor } };
        if (typeof refused === "string") await writeNew(refused, refusedCsv(createReadStream(file), {}, now));
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
      withData(({ db, now }) =>
        writeNew(name, exportCsv(db), () => audit.note(db, { actor, action: "subscriber.export" }, now)),
      ),
  },
];

/** How these people agreed. @throws if the text is too short or too long */
function consentOf(stated: Flags[string]): string {
  if (stated === undefined) {
    complain("How these people agreed is kept as “not stated”. Say it with --consent.");
    return notStated;
  }
  const { data } = consentText.safeParse(stated);
  if (!data) throw new Error("--consent must say in 10 to 300 characters how these people agreed.");
  return data;
}

const names: Record<string, string> = { newUnsubscribed: "new, unsubscribed", keptUnsubscribed: "still unsubscribed" };
