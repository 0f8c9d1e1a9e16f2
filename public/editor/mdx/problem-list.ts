/* The problems that the preview finds, counted in the bar below the text: a list that leads to each of them. */

let announced = 0;

const inWords = (count: number) => (count === 1 ? "1 problem" : `${count || "No"} problems`);

/** Lists what the preview says now, and announces the number when it has changed. */
export function listProblems(): void {
  const preview = document.querySelector("#preview");
  const button = document.querySelector<HTMLElement>("#problem-count");
  const list = document.querySelector<HTMLElement>("#problem-list");
  if (!preview || !button || !list) return;
  const count = preview.querySelectorAll("[data-caret]").length;
  button.textContent = inWords(count);
  button.hidden = count === 0;
  const problems = preview.querySelector(".problems ul")?.cloneNode(true);
  if (problems) list.replaceChildren(problems);
  else if (list.matches(":popover-open")) list.hidePopover();
  const status = document.querySelector("#problems-said");
  if (status && count !== announced) status.textContent = inWords(count);
  announced = count;
}
