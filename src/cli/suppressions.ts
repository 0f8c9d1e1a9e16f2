import * as audit from "../../db/audit";
import { add, batches, liftOne } from "../../db/suppressions/suppressions";
import { exportSuppressions, importSuppressions } from "../content/csv/suppressions";
import { openMail } from "../mail/open";
import { unsuppress } from "../mail/provider";
import { actor, addressOf, type Command, complain, encodingFlag, openCsv, print, withData, writeNew } from "./command";

const by = { actor, via: "cli" as const };
const wasErased = "What was stored under this address was erased. Its owner can subscribe again with the form.";

export const commands: Command[] = [
  {
    usage: "suppressions list",
    about: "List addresses that get no email, newest first: address, reason, since, detail",
    run: () =>
      withData(async ({ db }) => {
        for await (const page of batches(db, { matching: {} }))
          for (const { id, email, reason, createdAt, detail } of page)
            print(email ?? `erased address ${id.slice(0, 8)}`, reason, createdAt.toISOString(), detail ?? "");
      }),
  },
  {
    usage: "suppressions add <address> [--note=N]",
    about: "Suppress an address: it gets no newsletter email, however it is added again",
    options: { note: { type: "string" } },
    run: ([text = ""], { note }) =>
      withData(async ({ db, now }) => {
        const email = addressOf(text);
        const isAdded = await add(db, { email, detail: typeof note === "string" ? note : undefined }, by, now);
        print(isAdded ? "suppressed" : "already suppressed", email);
      }),
  },
  {
    usage: "suppressions lift <address> --note=N",
    about: "Lift a suppression, with the reason why",
    options: { note: { type: "string" } },
    run: ([text = ""], { note }) =>
      withData(async ({ config, db, now }) => {
        const why = typeof note === "string" ? note.trim() : "";
        if (!why) throw new Error('Say why with --note="…": it is kept with the address.');
        const email = addressOf(text);
        const outcome = await liftOne(db, { email, why }, by, now);
        if (outcome === "none") throw new Error(`${email} is not suppressed.`);
        if (outcome === "erased") throw new Error(wasErased);
        print("lifted", email);
        const { provider } = openMail({ config, now: () => now });
        const { text: rest } = await unsuppress(provider, [email]).finally(() => provider.close());
        if (rest) complain(rest);
      }),
  },
  {
    usage: "suppressions import <file> [--encoding=E]",
    about: "Suppress the addresses of a CSV file with the columns email and reason",
    options: { encoding: { type: "string" } },
    run: ([file = ""], { encoding }) =>
      withData(async ({ db, now }) => {
        const source = { open: await openCsv(file), encoding: encodingFlag(encoding) };
        const counts = await importSuppressions(
          db,
          {
            ...source,
            refuse: (line, message) => {
              complain(`line ${line}: ${message}`);
              return undefined;
            },
          },
          by,
          now,
        );
        for (const [name, n] of Object.entries(counts)) print(name, n);
        return counts.invalid ? 1 : 0;
      }),
  },
  {
    usage: "suppressions export <file>",
    about: "Export the suppressed addresses to a new CSV file",
    run: ([name = ""]) =>
      withData(({ db, now }) =>
        writeNew(name, exportSuppressions(db), () =>
          audit.recordAlone(db, { actor, action: "suppression.export" }, now),
        ),
      ),
  },
];
