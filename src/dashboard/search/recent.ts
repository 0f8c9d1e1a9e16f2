import type { Frame } from "../../../views/components/frame";
import type { Result, ResultGroup } from "../../../views/dashboard/search/result";
import type { Deps } from "../deps";
import { subjects } from "./subjects";

const shown = 3;

/**
 * What this browser opened last. The browser remembers paths but no names: these are read again, so that nothing
 * deleted or erased is shown.
 */
export async function recentResults(deps: Deps, frame: Frame, opened: string[]): Promise<ResultGroup> {
  const rows: Result[] = [];
  for (const path of new Set(opened)) {
    const at = path.lastIndexOf("/");
    const subject = subjects.find((subject) => subject.path === path.slice(0, at));
    const result = subject && rows.length < shown ? await subject.one(deps, frame, path.slice(at + 1)) : undefined;
    if (result) rows.push(result);
  }
  return { id: "recent", name: "Recent", rows, total: rows.length, isMore: false };
}
