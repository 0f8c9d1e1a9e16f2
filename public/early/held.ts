/** The actions that wait for the scripts, in the order in which people did them. */
const actions: (() => void)[] = [];
let isReady = false;
let keysAreHeld = false;

export const isEarly = (): boolean => !isReady;
export const isEmpty = (): boolean => actions.length === 0;

/** Whether what is typed may belong to where something held will lead: a palette, a search field. */
export const holdsKeys = (): boolean => keysAreHeld;
export const holdKeys = (): void => void (keysAreHeld = true);

let place: Element | undefined;

/** Whether the focus was moved since the last held key or press. If not, it is where that key or press leads. */
export function isElsewhere(at: Element): boolean {
  const isMoved = place !== at;
  place = at;
  return isMoved;
}

/** Does it when the scripts are there. */
export const later = (action: () => void): void => void actions.push(action);

/** The same, instead of what the browser would do now. */
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
