import * as sessionEnd from "../../../db/access/sessions";
import { plural } from "../../../views/components/list";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { actorOf, managerFor } from "../../security/session/session";
import { seeOther } from "../responses";

const path = paths.account;

/** Signs out one of the manager's own devices. */
export async function endSession({ db, now }: Deps, request: Request, id: string) {
  const ended = await sessionEnd.endOne(db, { manager: managerFor(request).manager, id }, actorOf(request), now());
  return seeOther(request, path, {
    kind: "good",
    text: ended ? "Device signed out." : "That device was already signed out.",
  });
}

/** Signs out all of the manager's other devices. */
export async function endOtherSessions({ db, now }: Deps, request: Request) {
  const { manager, session } = managerFor(request);
  const count = await sessionEnd.endOthers(db, { manager, keep: session }, actorOf(request), now());
  const text = count ? `Signed out of ${plural(count, "other device")}.` : "You are not signed in on any other device.";
  return seeOther(request, path, { kind: "good", text });
}
