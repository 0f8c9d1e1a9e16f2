/* Reloads what has data-poll every five seconds while the page is visible and nothing is selected or being asked there. */
{
  const isBusy = () =>
    document.hidden ||
    document.querySelector("dialog[open], [popover]:popover-open, #list input[name=ids]:checked") !== null;

  setInterval(() => {
    const followed = document.querySelector<HTMLElement>("[data-poll]");
    if (!followed || isBusy()) return;
    const target = `#${followed.id}`;
    void htmx.ajax("GET", followed.dataset.poll ?? "", { source: followed, target, swap: "outerMorph" });
  }, 5_000);
}
