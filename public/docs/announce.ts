/** Announces text to screen readers without showing it. */
export function announce(text: string): void {
  const status = document.querySelector("#status");
  if (status) status.textContent = text;
}
