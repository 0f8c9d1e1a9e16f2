import { paths } from "../../views/paths";
import { ShortcutHelp } from "../../views/dashboard/shortcuts";
import type { Deps } from "./deps";
import { frameOf, pages } from "./pages";
import { forEveryone } from "./permissions";
import { showDialog } from "./responses";

/** The keyboard shortcuts: in a dialog opened by `?`, and on a page. */
export const shortcutHelp = (deps: Deps) =>
  pages(paths.shortcuts, deps, forEveryone).get("/", async ({ request }) => {
    const frame = await frameOf(deps, request);
    return showDialog(request, { frame, title: "Keyboard shortcuts", children: <ShortcutHelp frame={frame} /> });
  });
