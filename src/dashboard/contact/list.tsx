import * as messages from "../../../db/contact/messages";
import * as messageList from "../../../db/contact/list";
import { ownerAddress } from "../../../db/contact/owner";
import * as outboxList from "../../../db/mail/list";
import { FreshExports } from "../../../views/components/lists/exports";
import type { Frame, Notice } from "../../../views/components/frame";
import { listUrl } from "../../../views/components/list";
import { ContactHead, exportFormats, MessageList } from "../../../views/dashboard/contact/messages";
import type { Deps } from "../deps";
import { contextOf } from "../../platform/request-context";
import { isLive } from "../../mail/open";
import { frameOf } from "../pages";
import { done, showList } from "../responses";
import { filterOf, Query, stateHere } from "./query";

type Given = Record<string, unknown>;

/** Reads the list for these parameters, the open message, and what else on the page changes with them. */
async function listFor({ config, db }: Deps, frame: Frame, given: Given, open?: messages.Message) {
  const query = Query.parse({ ...given, ...(open && { box: messages.boxOf(open) }) });
  const [listed, counts, sources, address, mails] = await Promise.all([
    messageList.list(db, filterOf(query, frame.preferences.timeZone), query),
    messageList.counts(db),
    messages.sources(db),
    config.OWNER_EMAIL ?? db.read(ownerAddress),
    open ? outboxList.about(db, open.id) : [],
  ]);
  const state = stateHere(query);
  const list = (
    <MessageList
      frame={frame}
      state={state}
      counts={counts}
      sources={sources}
      box={query.box}
      per={query.per}
      {...listed}
      notified={{ address, isLoggedOnly: !isLive(config) }}
      contactUrl={`${config.BASE_URL}/api/contact`}
      open={open && { message: open, mails }}
    />
  );
  const isEmpty = Object.values(counts).every((count) => count === 0);
  const beside = <FreshExports state={state} formats={exportFormats} />;
  return { list, state, beside, head: <ContactHead state={state} isEmpty={isEmpty} /> };
}

/** Shows the page of the list. @param open the message that is open */
export async function showMessages(deps: Deps, request: Request, given: Given, open?: messages.Message) {
  const frame = await frameOf(deps, request);
  const title = open ? `${open.name}: message` : "Contact";
  const { head, list, beside } = await listFor(deps, frame, given, open);
  return showList(request, { frame, title, head, list, beside });
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, given: Given, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list, beside } = await listFor(deps, frame, given);
  const back = listUrl(state, { page: state.query.page ?? "" });
  contextOf(request).headers["hx-replace-url"] = back;
  return done(request, { frame, title: "Contact", list, beside, back, notice, isBelowToo: true });
}
