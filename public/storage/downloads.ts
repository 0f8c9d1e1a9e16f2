import { targetOf } from "../app/dom";
import { files } from "./words";

/* Downloads several files, one after the other. */

const delayMs = 300; // between two downloads
const underWay = new WeakSet<Element>();

addEventListener("click", (event) => {
  const sheet = targetOf(event).closest("#download-all")?.closest("dialog");
  if (sheet && !underWay.has(sheet)) void downloadAll(sheet);
});

async function downloadAll(sheet: HTMLElement): Promise<void> {
  underWay.add(sheet);
  const links = [...sheet.querySelectorAll<HTMLAnchorElement>("a[data-download]")];
  const lost = () => sheet.querySelectorAll("li strong:not([hidden])").length;
  const status = sheet.querySelector(".hint");
  const tell = (text: string) => status && (status.textContent = text);
  tell(`Downloading ${files(links.length)}. If your browser asks, allow multiple downloads.`);
  for (const link of links) {
    download(link, () => tell(`${lost()} of ${files(links.length)} could not be downloaded.`));
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  if (!lost()) tell(`Downloads of ${files(links.length)} started. If one fails, use its link here.`);
  underWay.delete(sheet);
}

/**
 * Downloads in a separate frame: a link would navigate the page, which cancels a previous download still waiting for
 * its node. A download leaves the frame empty, an error fills it with a page of another origin. The frames stay,
 * because removing one would cancel its request.
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
