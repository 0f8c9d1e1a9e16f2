/*
 * The editor of texts in MDX, over their textareas: CodeMirror, whose text is the source, byte for byte. It only
 * decorates. A textarea without this script works as well. The modules are in public/editor/mdx/.
 */
import { EditorView } from "@codemirror/view";
import "./mdx/style-sheets";
import { keep, mount } from "./mdx/field";
import {
  failed,
  forgetPicture,
  goOn,
  keepPicture,
  keepPictures,
  keptPictures,
  keptWords,
  Progress,
  signInAgain,
} from "./mdx/uploads";
import { announce, targetOf } from "../app/dom";

function mountAll(): void {
  for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-mdx]:not([hidden])"))
    void goOn(mount(area));
  const place = document.querySelector("#cover-above");
  if (cover)
    place?.append(cover.dom); // the form has been replaced
  else if (place) void goOnWithCover();
}

const views = () =>
  [...document.querySelectorAll<HTMLElement>(".cm-editor")].flatMap((dom) => EditorView.findFromDOM(dom) ?? []);

addEventListener("htmx:before:swap", () => views().forEach(keep));
addEventListener("htmx:after:swap", mountAll);

/** A draft may have given the form another address. */
addEventListener("kept", () => {
  views().forEach(keepPictures);
  void cover?.keep();
});
/** The words from this browser are back, or discarded. */
addEventListener("click", ({ target }) => {
  if (!(target instanceof Element && target.closest("[data-copy-choice]"))) return;
  views().forEach((view) => void goOn(view));
  void goOnWithCover();
});
addEventListener("focus", () => void signInAgain(views));

/* Pictures that are dropped beside the text go into it, at their height. One that is dropped on the cover becomes it. */

const takesPictures = () => document.querySelector<HTMLTextAreaElement>("textarea[data-uploader]");
const isPicture = ({ type }: File) => type.startsWith("image/");

addEventListener("drop", (event) => {
  const target = targetOf(event);
  const files = [...(event.dataTransfer?.files ?? [])].filter(isPicture);
  if (!files.length || target.closest(".cm-content, dialog, input[type=file]")) return;
  const [cover] = target.closest("#cover-above") ? files : [];
  if (cover) becomeCover(cover);
  else takesPictures()?.mdx?.add(files, event);
});
/** Before the scripts were there. */
addEventListener("dropped", ({ detail }) => {
  const files = detail.flatMap(({ file }) => file ?? []).filter(isPicture);
  if (files.length) takesPictures()?.mdx?.add(files);
});

/** The picture that becomes the cover: kept in this browser until it is stored, as those of the text are. */
let cover: { dom: Element; keep: () => Promise<boolean>; remove: () => void } | undefined;
const coverName = () => `${takesPictures()?.form?.getAttribute("action")} cover`;

async function goOnWithCover(): Promise<void> {
  const kept = (await keptPictures(coverName())).pop();
  if (kept) becomeCover(kept.file, kept.id);
}

/** Shows how far it is in the place of the cover, where the last of several wins. */
function becomeCover(file: File, id: string = crypto.randomUUID()): void {
  cover?.remove();
  const progress = new Progress(file);
  const { dom } = progress;
  const isCover = () => cover?.dom === dom;
  const keep = () => keepPicture(id, file, () => (isCover() ? { text: coverName(), before: "" } : undefined));
  function remove() {
    cover = undefined;
    dom.remove();
    failed.delete(send);
    void forgetPicture(id);
  }
  async function send() {
    failed.delete(send);
    try {
      const path = await progress.send(takesPictures()?.dataset);
      const field = document.querySelector<HTMLInputElement>("#cover-image, #project-imageUrl");
      if (!field || !isCover()) return;
      remove();
      field.value = path;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      announce(`${file.name} is the cover.`);
    } catch (problem) {
      if (!isCover()) return;
      failed.add(send);
      progress.fail(problem, (await keep()) ? keptWords : "", send, remove);
    }
  }
  cover = { dom, keep, remove };
  document.querySelector("#cover-above")?.append(dom);
  void keep();
  void send();
}

/** The preview beside the text says what is wrong, and where. */
addEventListener("htmx:after:swap", () => {
  const places = [...document.querySelectorAll<HTMLElement>("#preview [data-caret]")];
  const problems = places.map(({ dataset, parentElement }) => ({
    offset: Number(dataset.caret),
    message: parentElement?.querySelector("[data-message]")?.textContent ?? "",
  }));
  document.querySelector<HTMLTextAreaElement>("textarea[data-mdx]")?.mdx?.mark(problems);
});

addEventListener("htmx:after:swap", listProblems);

/** A text is not published without pictures that are still on their way: they would be missing. */
addEventListener(
  "submit",
  (event) => {
    const { target, submitter } = event;
    const area =
      target instanceof HTMLFormElement ? target.querySelector<HTMLTextAreaElement>("textarea[data-mdx]") : null;
    const count = (area?.mdx?.uploading() ?? 0) + document.querySelectorAll("#cover-above .md-upload").length;
    if (!count || submitter?.id !== "publish") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const status = document.querySelector("#saved");
    const pictures = count === 1 ? "1 picture is" : `${count} pictures are`;
    if (status) status.textContent = `${pictures} not uploaded yet. Wait, or remove ${count === 1 ? "it" : "them"}.`;
  },
  true,
);

/* The problems that the preview finds, counted in the bar below the text: a list that leads to each of them. */

let announced = 0;

const inWords = (count: number) => (count === 1 ? "1 problem" : `${count || "No"} problems`);

/** Lists what the preview says now, and announces the number when it has changed. */
function listProblems(): void {
  const preview = document.querySelector("#preview");
  const button = document.querySelector<HTMLElement>("#problem-count");
  const list = document.querySelector<HTMLElement>("#problem-list");
  if (!preview || !button || !list) return;
  const count = preview.querySelectorAll("[data-caret]").length;
  button.textContent = inWords(count);
  button.hidden = count === 0;
  const problems = preview.querySelector(".problems ul")?.cloneNode(true);
  if (problems) list.replaceChildren(problems);
  else if (list.matches(":popover-open")) list.hidePopover();
  const status = document.querySelector("#problems-said");
  if (status && count !== announced) status.textContent = inWords(count);
  announced = count;
}

/* A keyboard on the screen covers the lower edge of the page in some browsers: the bar there stays above it. */

function lift(): void {
  const { height = innerHeight, offsetTop = 0, scale = 1 } = visualViewport ?? {};
  const covered = scale === 1 ? Math.max(0, innerHeight - offsetTop - height) : 0; // zoomed in, it is no keyboard
  document.documentElement.style.setProperty("--keyboard", `${covered}px`);
}
visualViewport?.addEventListener("resize", lift);
visualViewport?.addEventListener("scroll", lift);

/* The text alone on the screen. Its button is in the toolbar, and Escape leaves. */

const button = () => document.querySelector<HTMLElement>("#tool-full");

function turn(isFull: boolean): void {
  const control = button();
  document.documentElement.toggleAttribute("data-full", isFull);
  if (control) control.ariaPressed = String(isFull);
}

addEventListener("click", (event) => {
  if (targetOf(event).closest("#tool-full")) turn(button()?.ariaPressed !== "true");
});
/** Whatever is open above the text closes first. */
addEventListener("keydown", ({ key, defaultPrevented }) => {
  if (key === "Escape" && !defaultPrevented && !document.querySelector("dialog[open], :popover-open")) turn(false);
});

mountAll();
