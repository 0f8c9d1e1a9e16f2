import { find } from "./dom";

/**
 * Earlier addresses named parts of one long page of Settings: "/dashboard/settings#mail". The part is on another page
 * now, whose link contains its name. Without a script, the link is marked instead.
 */
const link = location.hash
  ? find(`.settings-nav a:has(> span[id="${CSS.escape(location.hash.slice(1))}"])`)
  : undefined;
if (link instanceof HTMLAnchorElement) location.replace(link.href + location.hash);
