/** The actions that wait for the scripts, in the order in which people did them. */
const actions: (() => void)[] = [];
let isReady = false;
let keysAreHeld = false;

export const isEarly = (): boolean => !isReady;
export const isEmpty = (): boolean => actions.length === 0;

/** Whether typed keys are kept too, because a kept click or key may open a field for them, such as the palette. */
export const holdsKeys = (): boolean => keysAreHeld;
export const holdKeys = (): void => void (keysAreHeld = true);

let place: Element | undefined;

/** Whether the focus has moved since the last kept key or click. If it has not, that key or click may still move it. */
export function isElsewhere(at: Element): boolean {
  const isMoved = place !== at;
  place = at;
  return isMoved;
}

/** Keeps an action until the scripts are there. */
export const later = (action: () => void): void => void actions.push(action);

/** The same, and keeps the browser from doing anything now. */
export function hold(event: Event, action: () => void): void {
  event.preventDefault();
  event.stopImmediatePropagation();
  later(action);
}

export function release(): void {
  isReady = true;
  const { activeElement } = document;
  const isMoved = place && activeElement && activeElement !== document.body && isElsewhere(activeElement);
  for (const action of actions.splice(0)) action();
  if (isMoved && activeElement instanceof HTMLElement) activeElement.focus();
}
