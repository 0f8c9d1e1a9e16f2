// A preview shows what was saved a moment ago: Postroom says when, and the page asks for itself again.
const events = new EventSource(document.currentScript.dataset.events);
events.addEventListener("post", async () => {
  const answer = await fetch(location.href).catch(() => undefined);
  if (!answer?.ok) return;
  const now = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  const main = document.querySelector("main");
  if (main && now && main.innerHTML !== now.innerHTML) main.replaceWith(now);
});
events.addEventListener("expired", () => events.close());
