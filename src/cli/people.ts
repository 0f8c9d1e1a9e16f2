import * as audit from "../../db/audit";
import { erasePerson } from "../../db/people/erasures";
import { mentionsAddress, tracesOf } from "../../db/people/traces";
import { erasureLog, prepareDataDir } from "../platform/data-dir";
import { checkFile } from "../people/erasure-check";
import { personJson } from "../people/person-json";
import { actor, addressOf, type Command, print, withData, writeNew } from "./command";

export const commands: Command[] = [
  {
    usage: "people export <address> <file>",
    about: "Export everything stored under an address to a new JSON file",
    run: ([text = "", file = ""]) =>
      withData(async ({ db, now }) => {
        const email = addressOf(text);
        const recordExport = () => audit.recordAlone(db, { actor, action: "person.export", target: email }, now);
        await writeNew(file, personJson(db, await tracesOf(db, email), now), recordExport);
      }),
  },
  {
    usage: "people erase <address> --yes [--reason=R] [--keep-messages] [--keep-subscription] [--allow-email]",
    about:
      "Erase everything stored under an address, and print what was erased. It gets no email afterwards, unless its owner subscribes again or --allow-email is given",
    options: {
      yes: { type: "boolean" },
      reason: { type: "string" },
      "allow-email": { type: "boolean" },
      "keep-messages": { type: "boolean" },
      "keep-subscription": { type: "boolean" },
    },
    run: ([text = ""], flags) =>
      withData(async ({ config, db, now }) => {
        const email = addressOf(text);
        if (!flags.yes) throw new Error("Erasing cannot be undone. Add --yes to confirm.");
        const scope = scopeOf(flags);
        if (!scope.length) throw new Error("Nothing would be erased. Keep the messages or the subscription, not both.");
        const request = typeof flags.reason === "string" ? flags.reason.slice(0, 200) : undefined;
        if (request && mentionsAddress(request, email))
          throw new Error("Leave the address out of --reason: it is kept.");
        prepareDataDir(config.DATA_DIR);
        const by = { actor, via: "cli" as const };
        const erasure = await erasePerson(db, erasureLog(config), { email, scope, request }, by, now);
        const everywhere = { maxVacuumBytes: Number.POSITIVE_INFINITY, now: () => new Date() };
        const remnants = await checkFile(db, erasure, email, everywhere);
        for (const [name, count] of Object.entries(erasure.counts)) print(name, count);
        if (remnants !== undefined) print("found in the database file", remnants);
        print("proof", erasure.id, erasure.hash);
      }),
  },
];

const scopeOf = (flags: Parameters<Command["run"]>[1]) => [
  ...(flags["keep-subscription"] ? [] : ["subscription" as const]),
  ...(flags["keep-messages"] ? [] : ["messages" as const]),
  ...(flags["keep-subscription"] || flags["allow-email"] ? [] : ["suppression" as const]),
];
