/*
 * A click has two halves, and the browser drops it if they hit different elements. So nothing on the page is replaced
 * in between: a response that arrives while a mouse button or the space bar is down, or a select is open, waits until
 * the click has completed.
 */
import { find, whenReady } from "./dom";

/** On a touch screen the click follows shortly after the finger is lifted. */
const clickDelayMs = 50;

let pressed: PromiseWithResolvers<void> | undefined;
let timer: number | undefined;

function press() {
  clearTimeout(timer);
  timer = undefined;
  pressed ??= Promise.withResolvers();
}

/** Resolves once the click that is under way has completed; undefined if none is. */
export const clickUnderWay = (): Promise<void> | undefined => pressed?.promise;

function letGo() {
  timer ??= setTimeout(release, clickDelayMs);
}

function release() {
  timer = undefined;
  if (isSelectOpen()) return letGo();
  pressed?.resolve();
  pressed = undefined;
}

const supportsOpenSelector = CSS.supports("selector(select:open)");
const isSelectOpen = () => supportsOpenSelector && find("select:open") !== null;

addEventListener("pointerdown", press, true);
addEventListener("keydown", ({ key }) => key === " " && press(), true);
for (const name of ["pointerup", "pointercancel", "dragend", "keyup"]) addEventListener(name, letGo, true);
addEventListener("change", ({ target }) => target instanceof HTMLSelectElement && letGo(), true); // shown in a window of its own
addEventListener("pointermove", ({ buttons }) => pressed && buttons === 0 && letGo(), true); // released elsewhere
addEventListener("blur", letGo);

/** An error that replaces nothing does not wait, because htmx would drop the next request of its form in the meantime. */
const isErrorWithoutContent = ({ swap, response }: Swap) => swap === "none" && (response?.status ?? 0) >= 400;

// htmx runs after this script
whenReady(() => {
  const { swap } = htmx;
  htmx.swap = async (context) => {
    if (isSelectOpen()) (press(), letGo());
    if (pressed && !isErrorWithoutContent(context)) await pressed.promise;
    if (context.request?.signal?.aborted) throw new DOMException("Another request took its place", "AbortError");
    await swap.call(htmx, context);
  };
});
