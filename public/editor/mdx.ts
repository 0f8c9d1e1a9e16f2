/*
 * The editor of texts in MDX, over their textareas: CodeMirror, whose text is the source, byte for byte. It only
 * decorates. A textarea without this script works as well. The modules are in public/editor/mdx/.
 */
import { EditorView } from "@codemirror/view";
import "./mdx/style-sheets";
import { keep, mount } from "./mdx/field";

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
mountAll();
