import type { z } from "zod";
import type { AssetName } from "../../views/assets";
import type { Frame, Notice } from "../../views/components/frame";
import { type ListState, listUrl } from "../../views/components/list";
import { FreshExports } from "../../views/components/lists/head";
import type { JSX } from "../../views/jsx/jsx-runtime";
import type { Deps } from "./deps";
import { stateOf } from "./list-query";
import { frameOf } from "./pages";
import { done, queryBefore, showList } from "./responses";

/* The handlers of a list: they show it, and show it again after an action. */

type Context<Query> = { deps: Deps; request: Request; frame: Frame; state: ListState; query: Query };

/** A list with a URL, as its subject declares it. */
type Subject<Query> = {
  path: string;
  title: string;
  /** The parameters in the URL. */
  Query: z.ZodType<Query>;
  /** What is above the list. */
  Head: (context: Context<Query>) => JSX.Element | Promise<JSX.Element>;
  /** Reads the rows, and what else the list shows. */
  list: (context: Context<Query>) => Promise<JSX.Element>;
  /** The files that show what the list shows. */
  exports?: readonly ("csv" | "json")[];
  extras?: AssetName[];
};

export function listHandlers<Query extends Record<string, unknown>>(subject: Subject<Query>) {
  const { path, title, Query, Head, exports, extras } = subject;

  async function contextFor(deps: Deps, request: Request, params: Record<string, unknown>): Promise<Context<Query>> {
    const query = Query.parse(params);
    return { deps, request, query, state: stateOf(path, Query, query), frame: await frameOf(deps, request) };
  }

  /** Shows the list. */
  async function show(deps: Deps, request: Request, params: Record<string, unknown>) {
    const context = await contextFor(deps, request, params);
    const { frame, state } = context;
    const beside = exports && <FreshExports state={state} formats={exports} />;
    const page = { frame, title, extras, head: await Head(context), list: await subject.list(context) };
    return showList(request, { ...page, ...(beside && { beside }) });
  }

  /** Reads the list as it was filtered on the page that sent the request. */
  async function listBefore(deps: Deps, request: Request) {
    const context = await contextFor(deps, request, queryBefore(request, path));
    return { ...context, list: await subject.list(context) };
  }

  /** Responds after an action: the list as it was filtered, with a notice. */
  async function doneWith(deps: Deps, request: Request, notice: Notice) {
    const { frame, state, list } = await listBefore(deps, request);
    return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
  }

  return { show, listBefore, doneWith };
}
