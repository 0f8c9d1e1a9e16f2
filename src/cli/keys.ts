import * as apiKeys from "../../db/access/api-keys";
import { line } from "../http/request-schemas";
import { actor, type Command, print, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "keys create <name>",
    about: "Generate an API key and print it: it is shown this once",
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
    about: "List the keys: id, name, ending, state, created, last used",
    run: () =>
      withData(async ({ db }) => {
        for (const { id, name, prefix, lastFour, active, createdAt, lastUsedAt } of await apiKeys.list(db))
          print(
            id,
            name,
            `${prefix}…${lastFour}`,
            active ? "active" : "inactive",
            createdAt.toISOString(),
            lastUsedAt?.toISOString() ?? "never",
          );
      }),
  },
  {
    usage: "keys deactivate <id>",
    about: "Refuse a key from the next request on; there is no way back",
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        const found = await apiKeys.deactivate(db, id, { actor }, now);
        if (!found) throw new Error(`There is no key with the id ${id}.`);
        print(id, found.key.name, "inactive");
      }),
  },
];
