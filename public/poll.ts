/* Asks for the list again every five seconds while somebody looks at it, and nothing is chosen or asked there. */
{
  const isBusy = () =>
    document.hidden ||
    document.querySelector("dialog[open], [popover]:popover-open, #list input[name=ids]:checked") !== null;

  setInterval(() => {
    const list = document.querySelector<HTMLElement>("#list[data-poll]");
    if (!list || isBusy()) return;
    void htmx.ajax("GET", list.dataset.poll ?? "", { source: list, target: "#list", swap: "outerMorph" });
  }, 5_000);
}
