import { path } from "../../../views/dashboard/broadcasts/state";
import type { Deps } from "../deps";
import { frameOf } from "../pages";
import { notThere } from "../responses";

/** Someone deleted it in the meantime. */
export const gone = async (deps: Deps, request: Request) =>
  notThere(await frameOf(deps, request), "This broadcast was deleted.", path);
