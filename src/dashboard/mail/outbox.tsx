import { z } from "zod";
import * as outboxList from "../../../db/mail/list";
import { mailboxState } from "../../../db/mailbox/position";
import type { Notice } from "../../../views/components/frame";
import { MailPage } from "../../../views/dashboard/mail/mail";
import { MailList, OutboxHead } from "../../../views/dashboard/mail/outbox";
import type { ReportsView } from "../../../views/dashboard/mail/what-comes-back";
import { paths } from "../../../views/paths";
import { compose } from "../../emails/compose";
import { whyNot } from "../../mail/deliver";
import { configuredProvider, isLive } from "../../mail/open";
import { mailboxName, readMailboxUrl } from "../../platform/mail-urls";
import { policyOfPreview, policyWithFrame } from "../../security/headers";
import { actorOf } from "../../security/session";
import { bulkActions, bulkBody, selectionOf } from "../bulk-actions";
import type { Deps } from "../deps";
import { listHandlers } from "../list-handlers";
import { oneOf, pageNumber, perPage, search } from "../list-query";
import { frameOf, pages } from "../pages";
import { periodFields, periodOf, timeZoneOf } from "../period";
import { forManagers } from "../permissions";
import { notThere, seeOther, show } from "../responses";

const path = paths.mails;

/** The list's parameters in the URL. */
const Query = z.object({
  q: search,
  kind: oneOf(outboxList.kinds),
  state: oneOf(["queued", "sent", "simulated", "dead", "uncertain", "cancelled"]),
  ...periodFields,
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

const filterOf = ({ q, kind, state, ...days }: Query, timeZone: string): outboxList.MailFilter => ({
  ...periodOf(days, timeZone),
  q: q || undefined,
  kind: kind || undefined,
  state: state || undefined,
});

const { show: showEmails, doneWith } = listHandlers({
  path,
  title: "Emails",
  Query,
  Head: async ({ deps, frame }) => (
    <OutboxHead isLive={isLive(deps.config)} reports={await reportsOf(deps)} frame={frame} />
  ),
  async list({ deps: { config, db }, query, frame, state }) {
    const [emails, counts] = await Promise.all([
      outboxList.list(db, filterOf(query, frame.preferences.timeZone), query),
      outboxList.counts(db),
    ]);
    return <MailList frame={frame} state={state} counts={counts} isLive={isLive(config)} per={query.per} {...emails} />;
  },
});

/**
 * `/dashboard/outbox`: every email, its status and its text, so that the service can be used without an email provider.
 */
export const outboxDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => showEmails(deps, request, query))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: EmailBulk })
    .get("/:id", ({ request, params: { id } }) => showOne(deps, request, id))
    .get("/:id/preview", ({ params: { id } }) => preview(deps, id))
    .post("/:id/again", ({ request, params: { id } }) => sendAgain(deps, request, id))
    .post("/:id/retry", ({ request, params: { id } }) => retryOne(deps, request, id))
    .post("/:id/cancel", ({ request, params: { id } }) => cancelOne(deps, request, id));

const EmailBulk = bulkBody(["retry", "cancel"]);
type EmailBulk = z.output<typeof EmailBulk>;

/** The bulk actions on emails. */
const emailActions = bulkActions<EmailBulk["do"], NonNullable<outboxList.ChangedMails["first"]>>({
  rows: ["email", "emails"],
  nameOf: ({ recipient }) => `Email to ${recipient}`,
  noneSelected: "No emails selected.",
  tooLate: () => "",
  others: () => "",
  actions: {
    retry: {
      verb: (rows) => `Retry ${rows}`,
      asks: "never",
      past: "queued",
      tooLate: "Nothing to retry: none of the selected emails had failed.",
    },
    cancel: {
      verb: (rows) => `Cancel ${rows}`,
      asks: "never",
      past: "cancelled",
      tooLate: "Nothing to cancel: none of the selected emails was queued.",
    },
  },
});

/** Applies an action to the selected emails. */
function changeSelected(deps: Deps, request: Request, bulk: EmailBulk) {
  const selected = selectionOf(bulk, (query) => filterOf(Query.parse(query), timeZoneOf(request)));
  const apply = { retry: outboxList.retry, cancel: outboxList.cancel }[bulk.do];
  return emailActions.change(deps, bulk, {
    apply: (at) => apply(deps.db, { selection: selected }, actorOf(request), at),
    finish: (notice) => doneWith(deps, request, notice),
    action: `${path}/bulk`,
  });
}

/** A link of the right shape whose token does nothing: a preview must not let anyone unsubscribe. */
const maskedLink = (baseUrl: string) => `${baseUrl}/api/newsletter/unsubscribe?email=…&token=…`;

const composeMasked = ({ config, db }: Deps, mail: NonNullable<Awaited<ReturnType<typeof outboxList.byId>>>) =>
  compose({ config, db }, mail, maskedLink(config.BASE_URL));

/** Shows one email: its text, and what happened to it. */
async function showOne(deps: Deps, request: Request, id: string) {
  const [frame, mail] = await Promise.all([frameOf(deps, request), outboxList.byId(deps.db, id)]);
  if (!mail) return notThere(frame, "This email does not exist.", path);
  const [email, repetition] = await Promise.all([composeMasked(deps, mail), outboxList.repetitionOf(deps.db, id)]);
  const canRepeat = outboxList.isRepeatable(mail) && !repetition;
  const view = { frame, mail, email, repetition, canRepeat, from: deps.config.MAIL_FROM };
  const response = show({ frame, title: `Email to ${mail.recipient}` }, <MailPage {...view} />);
  response.headers.set("content-security-policy", policyWithFrame);
  return response;
}

/** Shows the email as its recipient sees it, for the frame on its page. */
async function preview(deps: Deps, id: string) {
  const mail = await outboxList.byId(deps.db, id);
  const email = mail && (await composeMasked(deps, mail));
  return new Response(email?.html ?? "This email can no longer be shown.", {
    status: email ? 200 : 404,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policyOfPreview,
    },
  });
}

/** Queues one cancelled or failed email. */
async function retryOne({ db, now }: Deps, request: Request, id: string) {
  await outboxList.retry(db, { selection: { ids: [id] }, from: ["dead", "cancelled"] }, actorOf(request), now());
  return seeOther(request, `${path}/${id}`, { kind: "good", text: "Email queued." });
}

/** Cancels one queued email. */
async function cancelOne({ db, now }: Deps, request: Request, id: string) {
  const { first } = await outboxList.cancel(db, { selection: { ids: [id] } }, actorOf(request), now());
  const text = first ? "Email cancelled." : "Too late: this email is no longer queued.";
  return seeOther(request, `${path}/${id}`, { kind: "good", text });
}

const refusals = {
  gone: "Nothing was sent: this email no longer exists.",
  "other-state": "Nothing was sent: only simulated, failed and uncertain emails can be sent again.",
  capped: "Nothing was sent: this subscriber has had a welcome email recently. Try again tomorrow.",
};

/** Sends a failed or simulated email again as a new one, once, and only if it is still wanted. */
async function sendAgain({ db, now }: Deps, request: Request, id: string) {
  const back = (text: string, kind: Notice["kind"] = "bad", to = id) =>
    seeOther(request, `${path}/${to}`, { kind, text });
  const mail = await outboxList.byId(db, id);
  const reason = mail && (await whyNot(db, mail, now()));
  if (reason) return back(`Nothing was sent. ${reason}.`);
  const result = await outboxList.sendAgain(db, id, actorOf(request), now());
  if (result.outcome === "queued") return back("Email queued again. This is the new one.", "good", result.id);
  if (result.outcome === "already")
    return back("This email was already sent again. This is the new one.", "good", result.id);
  return back(refusals[result.outcome]);
}

/** How Postroom learns what becomes of the emails it sends. Undefined while it sends none. */
async function reportsOf({ config, db }: Pick<Deps, "config" | "db">): Promise<ReportsView | undefined> {
  const provider = configuredProvider(config);
  const mailbox = config.BOUNCE_MAILBOX === undefined ? undefined : readMailboxUrl(config.BOUNCE_MAILBOX);
  if (typeof mailbox === "object") {
    const name = mailboxName(mailbox);
    const state = await mailboxState(db, name);
    const { problem, problemAt } = state ?? {};
    return {
      kind: "mailbox",
      name,
      readAt: state?.searchedAt ?? null,
      reports: state?.reports ?? 0,
      answers: state?.answers ?? 0,
      problem: problem && problemAt ? { text: problem, since: problemAt } : undefined,
    };
  }
  const isReported = provider === "resend" && config.MAILER_WEBHOOK_SECRET.length > 0;
  return provider && !isReported ? { kind: "unknown", provider } : undefined;
}
