import type { AssetName } from "../../views/assets";
import { Dialog, DialogPage, type DialogProps, Sheet } from "../../views/dashboard/dialog";
import type { Frame, Notice } from "../../views/components/frame";
import { ToastPartial } from "../../views/components/toast";
import { paths } from "../../views/paths";
import { Head, Shell, Surroundings } from "../../views/dashboard/shell";
import type { JSX } from "../../views/jsx/jsx-runtime";
import { fragment, page } from "../http/response";
import { dashboardPath } from "../security/session";
import { contextOf } from "../platform/request-context";
import { leaveNotice, isPartial } from "./pages";

const vary = { vary: "HX-Request-Type" };

type View = {
  frame: Frame;
  title: string;
  status?: number | undefined;
  /** Style sheets and scripts that only this page needs. */
  extras?: AssetName[] | undefined;
};
type Listed = View & {
  /** What is above the list; it stays while the list changes. */
  head: JSX.Element;
  /** The element with the id `list`. */
  list: JSX.Element;
  /** What is below the list; it stays too. */
  foot?: JSX.Element;
  /** Further parts of the page that change with the list. */
  beside?: JSX.Element;
};

/** A page. */
export const show = ({ frame, title, status = 200, extras }: View, content: JSX.Element) =>
  page(
    <Shell frame={frame} title={title} extras={extras}>
      {content}
    </Shell>,
    status,
    vary,
  );

/** Data for a script of ours, which browsers do not store. */
export const json = (content: unknown, status = 200) =>
  Response.json(content, { status, headers: { "cache-control": "no-store" } });

/** A part of a page, requested by htmx. */
export const part = (content: JSX.Element) => fragment(content, 200, vary);

/** A page with a list, or only the list if htmx requests it after a search, a filter or a sort. */
export const showList = (request: Request, { frame, title, status, extras, head, list, foot, beside }: Listed) =>
  isPartial(request)
    ? fragment(
        <>
          {list}
          <Surroundings frame={frame} title={title} />
          {beside}
        </>,
        200,
        vary,
      )
    : show(
        { frame, title, status, extras },
        <>
          {head}
          {list}
          {foot}
        </>,
      );

type Done = Omit<Listed, "head" | "foot" | "status"> & {
  /** The element that the list (or other content) replaces. */
  into?: string;
  back: string;
  notice?: Notice | undefined;
  /** 409: nothing was done because someone else was faster; this is the current list. */
  status?: 409 | undefined;
  /** Pages below `back` show the list too. */
  isBelowToo?: boolean;
};

/**
 * Responds after an action: for htmx on a page that shows the list, the current list and a notice; otherwise a redirect
 * to `back`, which shows the notice. The list replaces `#list` whatever the form's own target was, and an open dialog
 * closes.
 */
export const done = (
  request: Request,
  { frame, title, list, beside, into = "#list", back, notice, status, isBelowToo = false }: Done,
) => {
  const here = pathBefore(request);
  const { pathname } = new URL(back, "http://dashboard.invalid");
  const isShown = here === pathname || (isBelowToo && here.startsWith(`${pathname}/`));
  if (!isPartial(request) || !isShown) return seeOther(request, back, notice);
  return fragment(
    <>
      {list}
      <Surroundings frame={frame} title={title} />
      {beside}
      {notice && <ToastPartial notice={notice} token={frame.token} />}
    </>,
    status ?? 200,
    { ...vary, "hx-retarget": into, "hx-reswap": "outerHTML" },
  );
};

/**
 * Redirects to another page by a full navigation, with a notice. A fragment of the current page would navigate nowhere.
 */
export function seeOther(request: Request, location: string, notice?: Notice) {
  if (notice && !contextOf(request).isHead) leaveNotice(request, notice);
  const [page = location] = location.split("#");
  return isPartial(request)
    ? new Response(null, { status: 200, headers: { "hx-redirect": page === pathBefore(request) ? page : location } })
    : new Response(null, { status: 303, headers: { location } });
}

/** What paused itself goes on only if a manager says that they have looked why. */
export const notReviewed: Notice = {
  kind: "bad",
  text: "Not resumed: tick the box to confirm that you have looked.",
};

type DialogView = DialogProps & {
  status?: number;
  /** The current list, if showing this has changed it. */
  meanwhile?: JSX.Element;
  /** Further parts of the page behind the dialog that have changed. */
  beside?: JSX.Element;
};

/**
 * A question or a small form: in a dialog for htmx, otherwise on a page of its own. On such a page, htmx replaces what is
 * there.
 */
export function showDialog(request: Request, view: DialogView): Response {
  const { children, status = 200, meanwhile, beside, ...dialog } = view;
  if (!isPartial(request)) return page(<DialogPage {...dialog}>{children}</DialogPage>, status, vary);
  if (request.headers.get("hx-target")?.endsWith("#sheet")) return showSheet(view);
  return fragment(
    <>
      <Dialog {...dialog}>{children}</Dialog>
      {meanwhile && (
        <hx-partial hx-target="#list" hx-swap="outerHTML">
          {meanwhile}
        </hx-partial>
      )}
      {beside}
    </>,
    status,
    { ...vary, "hx-retarget": "#dialog", "hx-reswap": "innerHTML" },
  );
}

/** The lists that have changed are on other pages. */
const showSheet = ({ children, status = 200, ...dialog }: DialogView) =>
  fragment(
    <>
      <Sheet {...dialog}>{children}</Sheet>
      <Surroundings frame={dialog.frame} title={dialog.title} />
    </>,
    status,
    { ...vary, "hx-retarget": "#sheet", "hx-reswap": "outerHTML" },
  );

/** Says that something that was linked to no longer exists, with a link back. */
export const notThere = (frame: Frame, message: string, back: string) =>
  show(
    { frame, title: "No longer available", status: 404 },
    <>
      <Head title="No longer available" lead={message} />
      <a class="btn" href={back}>
        Back to the list
      </a>
    </>,
  );

/** Returns the page on which the action was started, without its query. */
export const pathBefore = (request: Request) => urlBefore(request).pathname;

const subscriberPage = new RegExp(`^${paths.newsletter}/[\\w-]{36}$`);

/**
 * Returns the page of the subscriber on which the action was started, which is where it ends.
 *
 * @param back names it where a question in between is a page of its own
 */
export const subscriberPageBefore = (request: Request, back = ""): string | undefined =>
  [back, pathBefore(request)].find((page) => subscriberPage.test(page));

/** The same with its query. Always a page of the dashboard, whatever the header says. */
export const urlBefore = ({ headers }: Request) =>
  new URL(dashboardPath(headers.get("hx-current-url") ?? headers.get("referer")), "http://dashboard.invalid");

/**
 * Returns the query of the list on or above the page on which the action was started, so that it comes back as it was.
 */
export function queryBefore(request: Request, path: string): Record<string, string> {
  const { pathname, searchParams } = urlBefore(request);
  const isThere = pathname === path || pathname.startsWith(`${path}/`);
  return isThere ? Object.fromEntries(searchParams) : {};
}
