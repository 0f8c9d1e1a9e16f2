import type { AssetName } from "../../views/assets";
import { Dialog, DialogPage, type DialogProps } from "../../views/components/dialog";
import { Empty } from "../../views/components/empty";
import type { Frame, Notice } from "../../views/components/frame";
import { ToastPartial } from "../../views/components/toast";
import { Shell, Surroundings } from "../../views/dashboard/shell";
import type { JSX } from "../../views/jsx/jsx-runtime";
import { fragment, page } from "../http/response";
import { dashboardPath } from "../security/session/rules";
import { contextOf } from "../http/request-context";
import { leaveNotice } from "./notices";
import { isPartial } from "./pages";

const vary = { vary: "HX-Request-Type" };

type View = {
  frame: Frame;
  title: string;
  status?: number;
  /** Style sheets and scripts that only this page needs. */
  extras?: AssetName[] | undefined;
};
type Listed = View & {
  /** What stands above the list; it stays while the list changes. */
  head: JSX.Element;
  /** The element with the id `list`. */
  list: JSX.Element;
  /** Further pieces that follow the list when it changes alone. */
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

/** The part of a page that a link asked for with htmx. */
export const part = (content: JSX.Element) => fragment(content, 200, vary);

/** A page with a list; or the list alone, when htmx asks for it after a search, a filter or a sort. */
export const showList = (request: Request, { frame, title, extras, head, list, beside }: Listed) =>
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
        { frame, title, extras },
        <>
          {head}
          {list}
        </>,
      );

type Done = Omit<Listed, "head" | "status"> & {
  /** What the list, or whatever it is, replaces. */
  into?: string;
  back: string;
  notice: Notice;
  /** Not done: somebody else was quicker, and this is the list as it is now. */
  status?: 409 | undefined;
  /** The pages below that of `back` show the list too. */
  isBelowToo?: boolean;
};

/**
 * After an action: the list as it is now and a notice, for htmx on a page that shows the list; from everywhere else, and
 * without htmx, a redirect to `back` that shows the notice. The list replaces `#list` whatever the form's own target was,
 * and an open dialog closes.
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
      <ToastPartial notice={notice} token={frame.token} />
    </>,
    status ?? 200,
    { ...vary, "hx-retarget": into, "hx-reswap": "outerHTML" },
  );
};

/** To another page, by a whole navigation, where the notice waits. A place on the same page alone would be none. */
export function seeOther(request: Request, location: string, notice?: Notice) {
  if (notice && !contextOf(request).isHead) leaveNotice(request, notice);
  const [page = location] = location.split("#");
  return isPartial(request)
    ? new Response(null, { status: 200, headers: { "hx-redirect": page === pathBefore(request) ? page : location } })
    : new Response(null, { status: 303, headers: { location } });
}

type Asked = DialogProps & {
  status?: number;
  /** The list as it is by now, when what is shown has changed it. */
  meanwhile?: JSX.Element;
  /** Further pieces of the page behind the dialog that have changed. */
  beside?: JSX.Element;
};

/** A question or a small form: in a dialog for htmx, on a page of its own without. */
export const ask = (request: Request, { children, status = 200, meanwhile, beside, ...dialog }: Asked) =>
  isPartial(request)
    ? fragment(
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
      )
    : page(<DialogPage {...dialog}>{children}</DialogPage>, status, vary);

/** Something that was linked to is gone: says so, and leads back. */
export const notThere = (frame: Frame, message: string, back: string) =>
  show(
    { frame, title: "No longer available", status: 404 },
    <div id="head">
      <Empty icon="search" title="No longer available">
        <p>{message}</p>
        <a class="btn" href={back}>
          Back to the list
        </a>
      </Empty>
    </div>,
  );

/** The page the action was started from, without its query. */
export const pathBefore = (request: Request) => urlBefore(request).pathname;

/** The same with its query. Only a page of the dashboard, whatever the header says. */
export const urlBefore = ({ headers }: Request) =>
  new URL(dashboardPath(headers.get("hx-current-url") ?? headers.get("referer")), "http://dashboard.invalid");

/** The query of the page the action was started from, the list's or one below it, so that the list comes back as it was. */
export function queryBefore(request: Request, path: string): Record<string, string> {
  const { pathname, searchParams } = urlBefore(request);
  const isThere = pathname === path || pathname.startsWith(`${path}/`);
  return isThere ? Object.fromEntries(searchParams) : {};
}
