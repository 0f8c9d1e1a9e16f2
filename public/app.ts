/*
 * What the dashboard does better with JavaScript. Every page works without this file: it opens dialogs, keeps the
 * focus, reads results out, copies, and listens to shortcuts. The pieces lie in public/app/.
 */
import "./app/notices";
import "./app/focus";
import "./app/dialogs";
import "./app/picks";
import "./app/forms";
import "./app/shortcuts";

// The viewer's time zone, so that the server writes times as they are here
document.cookie = `tz=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/dashboard; max-age=31536000; samesite=lax`;
