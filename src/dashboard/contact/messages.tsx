import * as desk from "../../../db/contact/bulk";
import * as messages from "../../../db/contact/messages";
import * as outboxDesk from "../../../db/mail/list";
import { ownerAddress } from "../../../db/contact/owner";
import type { Frame, Notice } from "../../../views/components/frame";
import { FreshExports } from "../../../views/components/exports";
import { listUrl } from "../../../views/components/list";
import { ContactHead, exportFormats, MessageList } from "../../../views/dashboard/contact/messages";
import type { Deps } from "../../boot/deps";
import { actorOf } from "../../security/session";
import { visitOf } from "../../http/request-context";
import { done, notThere, showList } from "../responses";
import { exportAs } from "./export";
import { MessageBulk, messageActions } from "./bulk";
import { filterOf, path, Query, stateHere } from "./query";
import { listBefore, undoableSelectionOf } from "../bulk-actions";
import { frameOf, isPartial, pages } from "../pages";

type Given = Record<string, unknown>;

/** Messages from the contact form: read, answered, filed and thrown away. */
export const contactDashboard = (deps: Deps) => {
  const { config, db, now } = deps;

  /** The list that the URL describes, beside the message that is open. */
  async function deskFor(frame: Frame, given: Given, message?: messages.Message) {
    const query = Query.parse({ ...given, ...(message && { box: messages.boxOf(message) }) });
    const [listed, counts, sources, address, mails] = await Promise.all([
      messages.list(db, filterOf(query), query),
      messages.counts(db),
      messages.sources(db),
      config.OWNER_EMAIL ?? db.read(ownerAddress),
      message ? outboxDesk.about(db, message.id) : [],
    ]);
    const state = stateHere(query);
    const list = (
      <MessageList
        {...{ frame, state, counts, sources, box: query.box, per: query.per, ...listed }}
        notified={{ address, isLoggedOnly: !config.MAILER_API_KEY }}
        contactUrl={`${config.BASE_URL}/api/contact`}
        open={message && { message, mails }}
      />
    );
    const isEmpty = Object.values(counts).every((count) => count === 0);
    const beside = <FreshExports state={state} formats={exportFormats} />;
    return { list, state, beside, head: <ContactHead state={state} isEmpty={isEmpty} /> };
  }

  async function answer(request: Request, given: Given, message?: messages.Message) {
    const frame = await frameOf(deps, request);
    const title = message ? `${message.name}: message` : "Contact";
    const { head, list, beside } = await deskFor(frame, given, message);
    return showList(request, { frame, title, head, list, beside });
  }

  /** The list as it was before the move, without what was moved. */
  async function doneWith(request: Request, given: Given, notice: Notice) {
    const frame = await frameOf(deps, request);
    const { state, list, beside } = await deskFor(frame, given);
    const back = listUrl(state, { page: state.query.page ?? "" });
    visitOf(request).headers["hx-replace-url"] = back;
    return done(request, { frame, title: "Contact", list, beside, back, notice, isBelowToo: true });
  }

  async function carryOut(request: Request, bulk: MessageBulk) {
    const { do: action, filter } = bulk;
    const selected = undoableSelectionOf(bulk, (given) => filterOf(Query.parse(given)));
    const count = await desk.countTaken(db, action, selected);
    if (!messageActions.isSure(bulk, count)) {
      const frame = await frameOf(deps, request);
      const to = { action: `${path}/moves`, cancel: `${path}?${filter ?? ""}` };
      return messageActions.askFirst(request, bulk, { frame, count, ...to });
    }
    const at = now();
    const moved = await desk.move(db, action, selected, actorOf(request), at);
    const undo = messageActions.undoOf(action, moved, at, `${path}/moves`);
    const text = messageActions.resultMessage(bulk, moved);
    return doneWith(request, listBefore(request, path, filter), { kind: "good", text, ...undo });
  }

  return pages(path, deps)
    .get("/", ({ request, query }) => answer(request, query))
    .get("/export.csv", ({ request, query }) => exportAs("csv", deps, request, Query.parse(query)))
    .get("/export.json", ({ request, query }) => exportAs("json", deps, request, Query.parse(query)))
    .post("/moves", ({ request, body }) => carryOut(request, body), { body: MessageBulk })
    .get("/:id", async ({ request, query, params: { id } }) => {
      const message = await messages.byId(db, id);
      if (!message) return gone(request, query);
      if (!message.readAt && !visitOf(request).isPassive) await read(id);
      return answer(request, query, (await messages.byId(db, id)) ?? message);
    });

  /** That it cannot be noted is no reason not to show the message. */
  function read(id: string) {
    return messages.markRead(db, id, now()).catch(() => undefined);
  }

  async function gone(request: Request, given: Given) {
    const text = "That message was deleted for good.";
    if (isPartial(request)) return doneWith(request, given, { kind: "good", text });
    return notThere(await frameOf(deps, request), text, path);
  }
};
