import * as apiKeys from "../../db/access/keys/api-keys";
import { isAccepted } from "../../db/access/keys/api-keys";
import { line } from "../platform/text/schemas";
import { actor, type Command, print, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "keys create <name>",
    about: "Generate an API key and print it (shown only once)",
    run: ([name = ""]) =>
      withData(async ({ config, db, now }) => {
        const named = line({ min: 1, max: 60 }).safeParse(name);
        if (!named.success) throw new Error(`The name ${named.error.issues[0]?.message}`);
        const made = await apiKeys.generateFor(db, { actor }, { prefix: config.KEY_PREFIX, name: named.data }, now);
        if (!made) throw new Error("An active key has that name already. Choose another one.");
        print(made.key);
      }),
  },
  {
    usage: "keys list",
    about: "List API keys (id, name, last characters, status, created, last used)",
    run: () =>
      withData(async ({ db, now }) => {
        for (const key of await apiKeys.list(db)) {
          const { id, name, prefix, lastFour, createdAt, lastUsedAt } = key;
          print(
            id,
            name,
            `${prefix}…${lastFour}`,
            isAccepted(key, now) ? "active" : "inactive",
            createdAt.toISOString(),
            lastUsedAt?.toISOString() ?? "never",
          );
        }
      }),
  },
  {
    usage: "keys deactivate <id>",
    about: "Deactivate an API key immediately; this cannot be undone",
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        const found = await apiKeys.deactivate(db, id, { actor }, now);
        if (!found) throw new Error(`No API key with the id ${id}.`);
        print(id, found.key.name, "inactive");
      }),
  },
];
