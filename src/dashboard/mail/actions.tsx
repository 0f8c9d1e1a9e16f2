import { isRepeatable, repetitionOf } from "../../../db/mail/again";
import * as outboxList from "../../../db/mail/list";
import { MailPage } from "../../../views/dashboard/mail/mail";
import type { Deps } from "../deps";
import { compose } from "../../emails/compose";
import { policyOfPreview, policyWithFrame } from "../../security/headers";
import { actorOf } from "../../security/session/session";
import { selectionOf } from "../bulk-request";
import { frameOf } from "../pages";
import { notThere, seeOther, show } from "../responses";
import { type MailBulk, mailActions } from "./bulk";
import { doneWith, filterOf, path, Query } from "./list";
import { timeZoneOf } from "../period";

/** Applies an action to the selected emails. */
export function changeSelected(deps: Deps, request: Request, bulk: MailBulk) {
  const selected = selectionOf(bulk, (given) => filterOf(Query.parse(given), timeZoneOf(request)));
  const apply = { retry: outboxList.retry, cancel: outboxList.cancel }[bulk.do];
  return mailActions.change(deps, bulk, {
    apply: (at) => apply(deps.db, { selection: selected }, actorOf(request), at),
    finish: (notice) => doneWith(deps, request, notice),
    action: `${path}/bulk`,
  });
}

/** A link of the right shape whose token does nothing: a preview must not let anyone unsubscribe. */
const maskedLink = (baseUrl: string) => `${baseUrl}/api/newsletter/unsubscribe?email=…&token=…`;

const composed = ({ config, db }: Deps, mail: NonNullable<Awaited<ReturnType<typeof outboxList.byId>>>) =>
  compose({ config, db }, mail, maskedLink(config.BASE_URL));

/** Shows one email: its text, and what happened to it. */
export async function showOne(deps: Deps, request: Request, id: string) {
  const [frame, mail] = await Promise.all([frameOf(deps, request), outboxList.byId(deps.db, id)]);
  if (!mail) return notThere(frame, "This email does not exist.", path);
  const [letter, repetition] = await Promise.all([composed(deps, mail), repetitionOf(deps.db, id)]);
  const canRepeat = isRepeatable(mail) && !repetition;
  const view = { frame, mail, letter, repetition, canRepeat, from: deps.config.MAIL_FROM };
  const response = show({ frame, title: `Email to ${mail.recipient}` }, <MailPage {...view} />);
  response.headers.set("content-security-policy", policyWithFrame);
  return response;
}

/** Shows the email as its recipient sees it, for the frame on its page. */
export async function preview(deps: Deps, id: string) {
  const mail = await outboxList.byId(deps.db, id);
  const letter = mail && (await composed(deps, mail));
  return new Response(letter?.html ?? "This email can no longer be shown.", {
    status: letter ? 200 : 404,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policyOfPreview,
    },
  });
}

/** Queues one cancelled or failed email. */
export async function retryOne({ db, now }: Deps, request: Request, id: string) {
  await outboxList.retry(db, { selection: { ids: [id] }, from: ["dead", "cancelled"] }, actorOf(request), now());
  return seeOther(request, `${path}/${id}`, { kind: "good", text: "Email queued." });
}

/** Cancels one queued email. */
export async function cancelOne({ db, now }: Deps, request: Request, id: string) {
  const { first } = await outboxList.cancel(db, { selection: { ids: [id] } }, actorOf(request), now());
  const text = first ? "Email cancelled." : "Too late: this email is no longer queued.";
  return seeOther(request, `${path}/${id}`, { kind: "good", text });
}
