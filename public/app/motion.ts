/*
 * What moves because something happened: rows leave, numbers roll, and what is opened comes from its row. At most 200 ms, once, and not at all where motion is
 * reduced. Nothing waits for it but the swap that takes the rows away. From page to page: public/early/titles.ts.
 */
import { find, findAll, isCalm, onHtmx, whenReady } from "./dom";
import { rows } from "./rows";

const settle = "cubic-bezier(0.2, 0, 0, 1)";
const leave = "cubic-bezier(0.4, 0, 1, 1)";

/** The rows that the answer to an action takes out of the list. */
function leavingRows({ request, response, text }: Parameters<typeof htmx.swap>[0]): HTMLElement[] {
  if (request.method === "GET" || response?.status !== 200 || !text?.includes('id="list"')) return [];
  return rows().filter((row) => {
    const pick = row.querySelector("input[name=ids]");
    return pick && !text.includes(`id="${pick.id}"`);
  });
}

whenReady(() => {
  const { swap } = htmx;
  htmx.swap = async (context) => {
    const leaving = isCalm() ? [] : leavingRows(context);
    const moves = leaving.map((row) =>
      row.animate({ opacity: 0, translate: "0 -4px" }, { duration: 140, easing: leave, fill: "forwards" }),
    );
    // The page may be hidden meanwhile, when animations do not go on
    if (moves.length)
      await Promise.race([
        Promise.allSettled(moves.map((move) => move.finished)),
        new Promise((done) => setTimeout(done, 200)),
      ]);
    await swap.call(htmx, context);
    for (const move of moves) move.cancel();
  };
});

const numbers = () => findAll(".count, .figures .value, .run strong");
let before: string[] = [];
/** What is open beside the list that it is from. */
const opened = () => find("[data-open] > [aria-current]")?.id;
let openBefore: string | undefined;
let isStamped = false;
const postmark = () => find(".report-page > .postmark");
onHtmx("before:swap", () => {
  isStamped = postmark() !== null;
  before = numbers().map(({ textContent }) => textContent);
  openBefore = opened();
});
onHtmx("after:swap", () => {
  if (opened() && opened() !== openBefore && !isCalm())
    find(".reader > .letter")?.animate(
      { opacity: [0, 1], translate: ["-8px 0", "0 0"] }, // from the side of its row
      { duration: 140, easing: settle },
    );
  if (!isStamped) postmark()?.setAttribute("data-fresh", "");
  const after = numbers();
  if (isCalm() || after.length !== before.length) return; // they are others
  for (const [at, number] of after.entries())
    if (number.textContent !== before[at])
      number.animate({ opacity: [0, 1], translate: ["0 0.5em", "0 0"] }, { duration: 200, easing: settle });
});
