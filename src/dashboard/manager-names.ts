import * as managers from "../../db/access/managers";
import type { Names } from "../../views/dashboard/audit-sentence";
import type { Deps } from "../boot/deps";

/** The names of managers who have one, by their addresses: the audit log shows who did it. */
export async function managerNames({ db, now }: Pick<Deps, "db" | "now">): Promise<Names> {
  return new Map((await managers.list(db, now())).map(({ email, name }) => [email, name]));
}
