/** Opens the page's dialog of that name, and resolves to the value of the button: "" if it was just closed. */
export function ask(name: "clash" | "giving", title: string, lines: string[]): Promise<string> {
  const dialog = document.querySelector<HTMLDialogElement>(`dialog[data-${name}]`);
  const heading = dialog?.querySelector("[data-title]");
  const list = dialog?.querySelector("[data-names], [data-line]");
  if (!dialog || !heading || !list) return Promise.resolve("");
  heading.textContent = title;
  if (list.matches("ul")) list.replaceChildren(...lines.map(listItem));
  else list.textContent = lines.join(" ");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

function listItem(text: string): HTMLLIElement {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}
