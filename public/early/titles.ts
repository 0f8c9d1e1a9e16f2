import { find, findAll, isCalm } from "../app/dom";

/*
 * From a list to the page of a row, and back, the title moves. The browser's own view transitions are not used: with
 * them, the renderer of Chromium 143 crashes where a page is left before it is there. A copy moves, which nothing hits
 * and no one is told of; what people press and type in is in its place from the first paint on.
 */

type Place = { x: number; y: number; size: number };
/** Where titles stood on the page that was left: its own, and those of its rows by where they lead. */
type Left = { path: string; title?: Place | undefined; rows: Record<string, Place> };

const key = "titles";
const duration = 180;

/** The title of what a list has led to. In an editor, it stands in its field. */
const ownTitle = () =>
  find(".crumb, .crumbs") &&
  (find("h1:not(.sr)") ?? find("#main :is([name=title], [name=subject]):not([type=hidden])"));
/** To pages of their own: no further lists, nor what is shown on the same page. */
const links = () =>
  findAll<HTMLAnchorElement>("#list :is(tbody tr, .rows > *) a[href]:not([hx-target])").filter(({ search }) => !search);

/** Nothing for a title that is out of sight. */
function placeOf(title: Element): Place | undefined {
  const { x, y, bottom } = title.getBoundingClientRect();
  return bottom < 0 || y > innerHeight ? undefined : { x, y, size: parseFloat(getComputedStyle(title).fontSize) };
}

addEventListener("pagehide", () => {
  const title = ownTitle();
  const left: Left = { path: location.pathname, title: title ? placeOf(title) : undefined, rows: {} };
  for (const link of links()) {
    const place = placeOf(link);
    if (place) left.rows[link.pathname] ??= place;
  }
  try {
    sessionStorage.setItem(key, JSON.stringify(left));
  } catch {} // full, or switched off
});

/** Once: a page that is loaded anew was not opened from anywhere. */
function takeLeft(): Left | undefined {
  try {
    const left = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return left ? JSON.parse(left) : undefined;
  } catch {
    return undefined;
  }
}

/** With the first paint. A browser that painted before the page was there shows it as it is. */
export function moveTitle(): void {
  const left = takeLeft();
  if (!left || left.path === location.pathname) return;
  requestAnimationFrame(() => {
    if (isCalm() || performance.getEntriesByType("paint").length > 0) return;
    const title = ownTitle();
    const from = left.rows[location.pathname];
    if (title && from) return move(title, from);
    const link = left.title && links().find((link) => link.pathname === left.path);
    if (link && left.title) move(link, left.title);
  });
}

function move(title: HTMLElement, from: Place): void {
  const to = placeOf(title);
  if (!to) return;
  const copy = document.createElement("div");
  copy.className = "moving-title";
  copy.ariaHidden = "true";
  copy.dataset.title = "value" in title ? String(title.value) : title.innerText;
  const { font, color, padding } = getComputedStyle(title);
  const { width } = title.getBoundingClientRect();
  Object.assign(copy.style, { font, color, padding, left: `${to.x}px`, top: `${to.y}px`, width: `${width}px` });
  document.body.append(copy);
  const start = `translate(${from.x - to.x}px, ${from.y - to.y}px) scale(${from.size / to.size})`;
  const [moved, easing] = [0.7, "cubic-bezier(0.2, 0, 0, 1)"]; // then it becomes the title, where that is
  title.animate({ opacity: [0, 0, 1], offset: [0, moved, 1] }, { duration });
  const { finished } = copy.animate(
    { opacity: [1, 1, 0], transform: [start, "none", "none"], offset: [0, moved, 1], easing: [easing, "linear"] },
    { duration },
  );
  void finished.finally(() => copy.remove());
}
