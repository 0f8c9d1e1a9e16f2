import * as managers from "../../db/access/managers";
import type { Names } from "../../views/components/who";
import type { Deps } from "./deps";

/** Returns the names of managers by their addresses. Two with the same name are told apart by the address. */
export async function managerNames({ db }: Pick<Deps, "db">): Promise<Names> {
  const all = (await managers.names(db)).filter(({ name }) => name);
  const counts = Map.groupBy(all, ({ name }) => name);
  return new Map(
    all.map(({ email, name }) => [email, (counts.get(name)?.length ?? 0) > 1 ? `${name} (${email})` : name]),
  );
}
