/*
 * The editor of texts in MDX, over their textareas: CodeMirror, whose text is the source, byte for byte. It only
 * decorates. A textarea without this script works as well. The modules are in public/editor/mdx/.
 */
import { EditorView } from "@codemirror/view";
import "./mdx/style-sheets";
import { keep, mount } from "./mdx/field";
import "./mdx/full-screen";
import { listProblems } from "./mdx/problem-list";
import { goOn, keepPictures, signInAgain } from "./mdx/uploads";

function mountAll(): void {
  for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-mdx]:not([hidden])"))
    void goOn(mount(area));
}

const views = () =>
  [...document.querySelectorAll<HTMLElement>(".cm-editor")].flatMap((dom) => EditorView.findFromDOM(dom) ?? []);

addEventListener("htmx:before:swap", () => views().forEach(keep));
addEventListener("htmx:after:swap", mountAll);

/** A draft may have given the form another address. */
addEventListener("kept", () => views().forEach(keepPictures));
/** The words from this browser are back, or discarded. */
addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("[data-copy-choice]")) views().forEach((view) => void goOn(view));
});
addEventListener("focus", () => void signInAgain(views));

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
