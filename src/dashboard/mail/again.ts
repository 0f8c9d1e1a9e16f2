import * as again from "../../../db/mail/again";
import * as outboxList from "../../../db/mail/list";
import type { Notice } from "../../../views/components/frame";
import type { Deps } from "../deps";
import { whyNot } from "../../mail/deliver";
import { actorOf } from "../../security/session/session";
import { seeOther } from "../responses";
import { path } from "./list";

const refusals = {
  gone: "Nothing was sent: this email no longer exists.",
  "other-state": "Nothing was sent: only simulated, failed and uncertain emails can be sent again.",
  capped: "Nothing was sent: this subscriber has had a welcome email recently. Try again tomorrow.",
};

/** Sends a failed or simulated email again as a new one, once, and only if it is still wanted. */
export async function sendAgain({ db, now }: Deps, request: Request, id: string) {
  const back = (text: string, kind: Notice["kind"] = "bad", to = id) =>
    seeOther(request, `${path}/${to}`, { kind, text });
  const mail = await outboxList.byId(db, id);
  const reason = mail && (await whyNot(db, mail, now()));
  if (reason) return back(`Nothing was sent. ${reason}.`);
  const result = await again.sendAgain(db, id, actorOf(request), now());
  if (result.outcome === "queued") return back("Email queued again. This is the new one.", "good", result.id);
  if (result.outcome === "already")
    return back("This email was already sent again. This is the new one.", "good", result.id);
  return back(refusals[result.outcome]);
}
