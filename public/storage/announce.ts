import type { Upload } from "./upload";
import { files } from "./words";

const region = document.querySelector("[data-announcer]");

/** Read out, not shown. */
export function say(text: string): void {
  if (region) region.textContent = text;
}

type Progress = { all: Upload[]; done: number; sent: number; size: number; isOver: boolean };
let quarter = -1;

/** At the start, at every quarter and at the end: no more than one can listen to. */
export function announce({ all, done, sent, size, isOver }: Progress): void {
  const reached = isOver ? -1 : Math.min(3, Math.floor((4 * sent) / (size || 1)));
  if (isOver && all.length) {
    const failed = all.filter(({ state }) => state === "failed");
    say([`${files(done)} uploaded.`, ...failed.map(({ name, problem }) => `${name}: ${problem}`)].join(" "));
  } else if (reached > quarter) say(quarter < 0 ? `Uploading ${files(all.length)}.` : `${reached * 25}% uploaded.`);
  quarter = isOver ? -1 : Math.max(reached, quarter);
}
