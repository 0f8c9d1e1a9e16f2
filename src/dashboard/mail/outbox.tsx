import { z } from "zod";
import * as desk from "../../../db/mail/list";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { MailPage } from "../../../views/dashboard/mail/mail";
import { MailList, OutboxHead } from "../../../views/dashboard/mail/outbox";
import { Surroundings } from "../../../views/dashboard/shell";
import type { Deps } from "../../boot/deps";
import { compose } from "../../mail/compose";
import { policyOfPreview, policyWithFrame } from "../../security/headers";
import { actorOf } from "../../security/session";
import { done, notThere, queryBefore, seeOther, show, showList } from "../responses";
import { bulkActions, bulkBody, selectionOf } from "../bulk-actions";
import { oneOf, pageNumber, perPage, search, stateOf } from "../list-query";
import { frameOf, isPartial, pages } from "../pages";
import { paths } from "../../../views/paths";

const path = paths.mails;

/** What the URL says about the list. */
const Query = z.object({
  q: search,
  kind: oneOf(["welcome", "contact", "quarantine", "test", "sign-in"]),
  state: oneOf(["queued", "sent", "simulated", "dead", "cancelled"]),
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

const MailBulk = bulkBody(["retry", "cancel"]);
type MailBulk = z.output<typeof MailBulk>;

/** What can be done to mails. */
const mailActions = bulkActions<MailBulk["do"], NonNullable<desk.ChangedMails["first"]>>({
  rows: ["mail", "mails"],
  nameOf: ({ recipient }) => `The mail to ${recipient}`,
  noneSelected: "No mail was selected.",
  tooLate: () => "",
  others: () => "",
  actions: {
    retry: {
      verb: (rows) => `Send ${rows} again`,
      asks: "never",
      past: (count) =>
        count === 1 ? "is queued and goes out within a second" : "are queued and go out within seconds",
      tooLate: "Nothing to do: none of them had failed.",
    },
    cancel: {
      verb: (rows) => `Cancel ${rows}`,
      asks: "never",
      past: () => "will not be sent",
      tooLate: "Nothing to do: none of them was waiting.",
    },
  },
});

const filterOf = ({ q, kind, state }: Query): desk.MailFilter => ({
  q: q || undefined,
  kind: kind || undefined,
  state: state || undefined,
});

/** Every mail, what became of it, and what it says; so the service can be used without a mail provider. */
export const outboxDashboard = (deps: Deps) => {
  const { config, db, now } = deps;
  const isLive = Boolean(config.MAILER_API_KEY);

  async function listFor(frame: Frame, query: Query) {
    const [listed, counts] = await Promise.all([desk.list(db, filterOf(query), query), desk.counts(db)]);
    return <MailList {...{ frame, counts, isLive, state: stateHere(query), per: query.per, ...listed }} />;
  }

  async function carryOut(request: Request, bulk: MailBulk) {
    const selected = selectionOf(bulk, (given) => filterOf(Query.parse(given)));
    const changed = await { retry: desk.retry, cancel: desk.cancel }[bulk.do](db, selected, actorOf(request), now());
    return doneWith(request, { kind: "good", text: mailActions.resultMessage(bulk, changed) });
  }

  async function doneWith(request: Request, notice: Notice) {
    const frame = await frameOf(deps, request);
    const query = Query.parse(queryBefore(request, path));
    const list = (
      <>
        {await listFor(frame, query)}
        {isPartial(request) && <Surroundings frame={frame} title="Emails" />}
      </>
    );
    return done(request, {
      frame,
      title: "Emails",
      list,
      back: listUrl(stateHere(query), { page: String(query.page) }),
      notice,
    });
  }

  return pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const list = await listFor(frame, Query.parse(query));
      return showList(request, { frame, title: "Emails", head: <OutboxHead isLive={isLive} />, list });
    })
    .post("/bulk", ({ request, body }) => carryOut(request, body), { body: MailBulk })
    .get("/:id", async ({ request, params: { id } }) => {
      const [frame, mail] = await Promise.all([frameOf(deps, request), desk.byId(db, id)]);
      if (!mail) return notThere(frame, "There is no mail at this address.", path);
      const letter = await compose({ config, db }, mail, maskedLink(config.BASE_URL));
      const from = config.MAIL_FROM;
      const answer = show(
        { frame, title: `Mail to ${mail.recipient}` },
        <MailPage {...{ frame, mail, letter, from, isLive }} />,
      );
      answer.headers.set("content-security-policy", policyWithFrame);
      return answer;
    })
    .get("/:id/preview", async ({ params: { id } }) => {
      const mail = await desk.byId(db, id);
      const letter = mail && (await compose({ config, db }, mail, maskedLink(config.BASE_URL)));
      return new Response(letter?.html ?? "This mail cannot be shown any more.", {
        status: letter ? 200 : 404,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-store",
          "content-security-policy": policyOfPreview,
        },
      });
    })
    .post("/:id/retry", async ({ request, params: { id } }) => {
      await desk.retry(db, { ids: [id] }, actorOf(request), now(), ["dead", "simulated", "cancelled"]);
      return seeOther(request, `${path}/${id}`, { kind: "good", text: "It is queued and goes out within a second." });
    })
    .post("/:id/cancel", async ({ request, params: { id } }) => {
      const { first } = await desk.cancel(db, { ids: [id] }, actorOf(request), now());
      const text = first ? "It will not be sent." : "Too late: it no longer waits.";
      return seeOther(request, `${path}/${id}`, { kind: "good", text });
    });
};

/** A link of the right shape with a token that opens nothing: a preview must not let anybody leave the list. */
const maskedLink = (baseUrl: string) => `${baseUrl}/api/newsletter/unsubscribe?email=…&token=…`;

const stateHere = (query: Query) => stateOf(path, Query, query);
