/*
 * The editor of texts in MDX, over their textareas: CodeMirror, whose text is the source, byte for byte. It only
 * decorates. A textarea without this script works as well. The modules are in public/editor/mdx/.
 */
import { EditorView } from "@codemirror/view";
import "./mdx/style-sheets";
import { keep, mount } from "./mdx/field";
import "./mdx/full-screen";
import { listProblems } from "./mdx/problem-list";

function mountAll(): void {
  for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-mdx]:not([hidden])")) mount(area);
}

addEventListener("htmx:before:swap", () => {
  for (const dom of document.querySelectorAll<HTMLElement>(".cm-editor")) {
    const view = EditorView.findFromDOM(dom);
    if (view) keep(view);
  }
});
addEventListener("htmx:after:swap", mountAll);

/** The preview beside the text says what is wrong, and where. */
addEventListener("htmx:after:swap", () => {
  const places = [...document.querySelectorAll<HTMLElement>("#preview [data-caret]")];
  const problems = places.map(({ dataset, parentElement }) => ({
    offset: Number(dataset.caret),
    message: parentElement?.querySelector("[data-message]")?.textContent ?? "",
  }));
  document.querySelector<HTMLTextAreaElement>("#post-form textarea[data-mdx]")?.mdx?.mark(problems);
});

addEventListener("htmx:after:swap", listProblems);

/** A text is not published without pictures that are still on their way: they would be missing. */
addEventListener(
  "submit",
  (event) => {
    const { target, submitter } = event;
    const area =
      target instanceof HTMLFormElement ? target.querySelector<HTMLTextAreaElement>("textarea[data-mdx]") : null;
    const count = area?.mdx?.uploading() ?? 0;
    if (!count || submitter?.id !== "publish") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const status = document.querySelector("#saved");
    const pictures = count === 1 ? "1 picture is" : `${count} pictures are`;
    if (status) status.textContent = `${pictures} not uploaded yet. Wait, or remove ${count === 1 ? "it" : "them"}.`;
  },
  true,
);
mountAll();
