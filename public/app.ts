/*
 * Enhances the dashboard with JavaScript; every page works without it. Opens dialogs, manages the focus, announces
 * results, copies, handles shortcuts, and searches. The modules are in public/app/.
 */
import { keep } from "./app/dom";
import "./app/older-browsers";
import "./app/press";
import "./app/notices";
import "./app/focus";
import "./app/dialogs";
import "./app/menus";
import "./app/start";
import "./app/lists";
import "./app/motion";
import "./app/picks";
import "./app/forms";
import "./app/save-bar";
import "./app/shortcuts";
import "./app/palette";

// Sends the viewer's time zone, so that the server formats times for it. Without Temporal, finding it takes longer than
// everything above, and nothing on this page needs it, so it waits until the page has loaded.
addEventListener("load", () => {
  keep("tz", globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
});
