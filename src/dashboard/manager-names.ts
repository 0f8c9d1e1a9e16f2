import * as managers from "../../db/access/managers";
import type { Names } from "../../views/dashboard/audit-sentence";
import type { Deps } from "../boot/deps";

/** The names of managers who have one, by their addresses: the audit log shows who did it. */
export async function managerNames({ db }: Pick<Deps, "db">): Promise<Names> {
  return new Map((await managers.names(db)).map(({ email, name }) => [email, name]));
}
