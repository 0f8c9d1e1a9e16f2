/* Reloads the list every five seconds while the page is visible and nothing is selected or being asked there. */
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
