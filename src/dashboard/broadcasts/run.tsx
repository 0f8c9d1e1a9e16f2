import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { BroadcastBadge, titleOf } from "../../../views/dashboard/broadcasts/state";
import { Head } from "../../../views/dashboard/shell";
import type { Deps } from "../../boot/deps";
import { frameOf } from "../pages";
import { show } from "../responses";
import { extras } from "./list";

/** A confirmed broadcast. */
export async function showRun(deps: Deps, request: Request, broadcast: Broadcast) {
  const frame = await frameOf(deps, request);
  const title = titleOf(broadcast);
  return show({ frame, title, extras }, <Head title={title} lead={<BroadcastBadge state={broadcast.state} />} />);
}
