import * as apiKeys from "../../db/api-keys";
import * as audit from "../../db/audit";
import { line } from "../input";
import { actor, type Command, print, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "keys create <name>",
    about: "Generate an API key and print it: it is shown this once",
    run: ([name = ""]) =>
      withData(async ({ config, db, now }) => {
        const named = line({ min: 1, max: 100 }).safeParse(name);
        if (!named.success) throw new Error(`The name ${named.error.issues[0]?.message}`);
        const { key, row } = await apiKeys.generate(
          db,
          { prefix: config.KEY_PREFIX, name: named.data, createdBy: actor },
          now,
        );
        await audit.note(db, { actor, action: "api-key.create", targetId: row.id, target: row.name }, now);
        print(key);
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
        const row = await apiKeys.deactivate(db, id, now);
        if (!row) throw new Error(`There is no key with the id ${id}.`);
        await audit.note(db, { actor, action: "api-key.deactivate", targetId: id, target: row.name }, now);
        print(id, row.name, "inactive");
      }),
  },
];
