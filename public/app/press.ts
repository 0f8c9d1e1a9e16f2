/*
 * A click has two halves, and the browser drops it when they meet two different elements. So nothing on the page is
 * exchanged in between (P62): an answer that arrives while a mouse button or the space bar is down, or the choices of a
 * select are open, waits until the click has got through.
 */
import { find } from "./dom";

/** On a touch screen the click comes a little after the finger has gone. */
const clickDelayMs = 50;

let pressed: PromiseWithResolvers<void> | undefined;
let timer: number | undefined;

function press() {
  clearTimeout(timer);
  timer = undefined;
  pressed ??= Promise.withResolvers();
}

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
addEventListener("change", ({ target }) => target instanceof HTMLSelectElement && letGo(), true); // in a window of its own
addEventListener("pointermove", ({ buttons }) => pressed && buttons === 0 && letGo(), true); // let go of elsewhere
addEventListener("blur", letGo);

const { swap } = htmx;
htmx.swap = async (context) => {
  if (isSelectOpen()) (press(), letGo());
  if (pressed) await pressed.promise;
  if (context.request?.signal?.aborted) throw new DOMException("Another request took its place", "AbortError");
  await swap.call(htmx, context);
};
