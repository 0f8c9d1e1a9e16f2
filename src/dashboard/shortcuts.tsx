import { paths } from "../../views/paths";
import { ShortcutHelp } from "../../views/dashboard/shortcuts";
import type { Deps } from "../boot/deps";
import { frameOf, pages } from "./pages";
import { ask } from "./responses";

/** Which keys do what: in a dialog for the `?`, and as a page. */
export const shortcutHelp = (deps: Deps) =>
  pages(paths.shortcuts, deps).get("/", async ({ request }) => {
    const frame = await frameOf(deps, request);
    return ask(request, { frame, title: "Keyboard shortcuts", children: <ShortcutHelp /> });
  });
