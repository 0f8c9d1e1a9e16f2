import type { Upload } from "./upload";
import { files } from "./words";

const region = document.querySelector("[data-announcer]");

/** Announces text to screen readers without showing it. */
export function say(text: string): void {
  if (region) region.textContent = text;
}

type Progress = { all: Upload[]; done: number; sent: number; size: number; isOver: boolean };
let quarter = -1;

/** Announces the start, every quarter and the end; more would be too much to listen to. */
export function announce({ all, done, sent, size, isOver }: Progress): void {
  const reached = isOver ? -1 : Math.min(3, Math.floor((4 * sent) / (size || 1)));
  if (isOver && all.length) {
    const failed = all.filter(({ state }) => state === "failed");
    say([`${files(done)} uploaded.`, ...failed.map(({ name, problem }) => `${name}: ${problem}`)].join(" "));
  } else if (reached > quarter) say(quarter < 0 ? `Uploading ${files(all.length)}.` : `${reached * 25}% uploaded.`);
  quarter = isOver ? -1 : Math.max(reached, quarter);
}
