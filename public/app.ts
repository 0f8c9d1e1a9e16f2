/*
 * What the dashboard does better with JavaScript. Every page works without this file: it opens dialogs, keeps the
 * focus, reads results out, copies, and listens to shortcuts. The pieces lie in public/app/.
 */
import "./app/older-browsers";
import "./app/press";
import "./app/notices";
import "./app/focus";
import "./app/dialogs";
import "./app/lists";
import "./app/picks";
import "./app/forms";
import "./app/shortcuts";

// The viewer's time zone, so that the server writes times as they are here. Where there is no Temporal, to find it takes
// longer than all of the above, and nothing on this page needs it: it waits until the page is there.
addEventListener("load", () => {
  const timeZone = globalThis.Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.cookie = `tz=${timeZone}; path=/dashboard; max-age=31536000; samesite=lax`;
});
