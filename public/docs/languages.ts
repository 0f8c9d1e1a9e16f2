const key = "postroom-docs-language";

/** A language that is chosen once is chosen in every example, on every page, the next time too. */
export function rememberLanguage(): void {
  const choices = [...document.querySelectorAll<HTMLInputElement>(".tabs input")];
  const choose = (language: string) => {
    for (const choice of choices) if (choice.value === language) choice.checked = true;
  };
  try {
    choose(localStorage.getItem(key) ?? "");
  } catch {} // no storage: nothing is remembered
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !choices.includes(target)) return;
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" }); // examples above it changed
    try {
      localStorage.setItem(key, target.value);
    } catch {}
  });
}
