import { files } from "./words";

/* Several downloads, asked for one after the other. */

const delayMs = 300; // milliseconds from one to the next
const underWay = new WeakSet<Element>();

addEventListener("click", ({ target }) => {
  const sheet = (target as Element).closest("#download-all")?.closest("dialog");
  if (sheet && !underWay.has(sheet)) void downloadAll(sheet);
});

async function downloadAll(sheet: HTMLElement): Promise<void> {
  underWay.add(sheet);
  const links = [...sheet.querySelectorAll<HTMLAnchorElement>("a[data-download]")];
  const lost = () => sheet.querySelectorAll("li strong:not([hidden])").length;
  const status = sheet.querySelector(".hint");
  const tell = (text: string) => status && (status.textContent = text);
  tell(`Asking for ${files(links.length)}. If your browser asks, allow it to download several.`);
  for (const link of links) {
    download(link, () => tell(`${lost()} of ${files(links.length)} did not come.`));
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  if (!lost()) tell(`Asked for ${files(links.length)}. What does not come has its own link here.`);
  underWay.delete(sheet);
}

/**
 * In a frame of its own: a link would be a navigation of the page, which cancels the one before while that still waits
 * for its node. A download leaves the frame empty, an answer that is none fills it with a page of another origin. The
 * frames stay: to remove one would cancel what it waits for.
 */
function download(link: HTMLAnchorElement, onLost: () => void): void {
  const mark = link.closest("li")?.querySelector("strong");
  mark?.setAttribute("hidden", "");
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.addEventListener("load", () => {
    if (frame.contentDocument) return;
    mark?.removeAttribute("hidden");
    mark?.closest("li")?.scrollIntoView({ block: "nearest" });
    frame.remove();
    onLost();
  });
  frame.src = link.href;
  document.body.append(frame);
}
