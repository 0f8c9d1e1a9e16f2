/**
 * The documentation was a single page once. A link to one of its anchors leads to the start page, whose line of that
 * name links to where it is now.
 */
export function followMovedAnchor(): void {
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const link = document.getElementById(id)?.closest("[data-moved] :is(li, h3)")?.querySelector("a");
    if (link) location.replace(link.href);
  };
  addEventListener("hashchange", follow);
  follow();
}
