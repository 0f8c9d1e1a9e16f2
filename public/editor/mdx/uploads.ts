import { isolateHistory } from "@codemirror/commands";
import { type EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { browserStore } from "../../app/browser-store";
import { announce } from "../../app/dom";
import { uploader } from "../uploader";
import { besidePicture, lineEndsAround } from "./commands";

/*
 * Pictures on their way to Storage, at their place. The text has their source once they are there. Until then they are
 * kept in this browser, so that they go on when the page is opened again: after signing in again, or after a crash.
 */

/** app/forms.ts deletes these on sign-out, because someone else may use the browser next. */
type Waiting = {
  id: string;
  file: File;
  keptAt: number;
  manager: string | undefined;
  /** The form's address, and the field or what else it is for. */
  text: string;
  /** What is written before the picture, which finds its place again. */
  before: string;
};
type Place = Pick<Waiting, "text" | "before">;
const waiting = browserStore<Waiting>("postroom pictures", "pictures");
const maxAgeMs = 30 * 86_400_000; // how long a picture is kept
const beforeLength = 200;

const managerIn = (page: Document) => page.querySelector<HTMLElement>("[data-manager]")?.dataset.manager;
const areaOf = ({ dom }: EditorView) =>
  dom.previousElementSibling instanceof HTMLTextAreaElement ? dom.previousElementSibling : undefined;
/** The form's own URL: `form.action` would be a field of that name. */
const nameOf = (area: HTMLTextAreaElement) => `${area.form?.getAttribute("action")} ${area.name}`;

const locking = new Map<string, Promise<boolean>>();

/**
 * Keeps a picture in this browser, for this page alone.
 * @param placeOf returns nothing if it was removed meanwhile
 * @returns whether that worked
 */
export async function keepPicture(id: string, file: File, placeOf: () => Place | undefined): Promise<boolean> {
  if (!locking.has(id)) locking.set(id, waiting.lock(id));
  await locking.get(id);
  const place = placeOf();
  if (place)
    return (await waiting.put({ id, file, keptAt: Date.now(), manager: managerIn(document), ...place })) !== undefined;
  void waiting.forget(id);
  return false;
}
export const forgetPicture = (id: string) => waiting.forget(id);
export const keptWords = " The picture is kept in this browser.";

/**
 * Returns what was kept when the page was left, unless another page is at it. Where words of that time can still be
 * restored, it waits for the decision: they have its place.
 */
export async function keptPictures(text: string): Promise<Waiting[]> {
  if (document.querySelector("#draft-offer, #copy-offer:not([hidden])")) return [];
  const all = (await waiting.all()).sort((a, b) => a.keptAt - b.keptAt);
  const own = all.filter((one) => one.manager === managerIn(document) && one.text === text);
  const old = all.filter(({ keptAt }) => keptAt < Date.now() - maxAgeMs);
  await Promise.all(old.map(({ id }) => waiting.forget(id)));
  const free = await Promise.all(own.map(({ id }) => !waiting.isLocked(id) && waiting.lock(id, { ifAvailable: true })));
  const taken = own.filter((_, at) => free[at]);
  for (const { id } of taken) locking.set(id, Promise.resolve(true));
  return taken;
}

/** How far the upload of a picture is; with a problem, it can be tried again. */
export class Progress {
  readonly dom = document.createElement("span");
  private readonly words = document.createElement("span");
  private readonly bar = document.createElement("progress");
  constructor(readonly file: File) {
    this.dom.className = "md-upload";
    this.bar.max = 100;
    this.bar.ariaLabel = `Upload of ${file.name}`;
  }
  /** Uploads it, as the data of a text says. Resolves to its path. */
  async send({ folder = "", uploader: source = "" }: DOMStringMap = {}): Promise<string> {
    this.words.textContent = `Uploading ${this.file.name}`;
    this.bar.value = 0;
    this.dom.replaceChildren(this.words, this.bar);
    const upload = await uploader(source);
    const onProgress = (percent: number) => (this.bar.value = percent);
    const { id, filename } = await upload(this.file, { folder, onProgress });
    return `/media/${id}/${encodeURIComponent(filename).replace(/[()]/g, percentEncoded)}`;
  }
  fail(problem: unknown, more: string, again: () => void, remove: () => void): void {
    const reason = problem instanceof Error ? problem.message : String(problem);
    announce((this.words.textContent = `${this.file.name} was not uploaded. ${reason}${more}`));
    this.dom.replaceChildren(this.words, button("Try again", again), button("Remove", remove));
  }
}

class Upload extends WidgetType {
  private readonly progress: Progress;
  hasFailed = false;
  constructor(
    private view: EditorView,
    readonly file: File,
    readonly id: string = crypto.randomUUID(),
  ) {
    super();
    this.progress = new Progress(file);
  }
  override eq(other: Upload): boolean {
    return other === this;
  }
  toDOM(view: EditorView): HTMLElement {
    this.view = view; // another one, once the form has been replaced
    return this.progress.dom;
  }
  override ignoreEvent(): boolean {
    return true;
  }
  /** Keeps the picture in this browser, with its place as it is now. Returns whether that worked. */
  keep(): Promise<boolean> {
    return keepPicture(this.id, this.file, () => {
      const area = areaOf(this.view);
      const at = placeOf(this.view, this);
      if (!area || at === undefined) return undefined;
      return { text: nameOf(area), before: this.view.state.sliceDoc(Math.max(0, at - beforeLength), at) };
    });
  }
  /** Sends the picture, and puts its source in its place, after those that were added before it. */
  async send(before?: Promise<void>): Promise<void> {
    this.hasFailed = false;
    try {
      const path = await this.progress.send(areaOf(this.view)?.dataset);
      await before;
      putIn(this.view, this, path);
      announce(`${this.file.name} is in the text.`);
    } catch (problem) {
      this.hasFailed = true;
      const isKept = (await this.keep()) ? keptWords : "";
      const remove = () => this.view.dispatch({ effects: removed.of(this) });
      this.progress.fail(problem, isKept, () => void this.send(), remove);
      await before;
    }
  }
}
const percentEncoded = (sign: string) => (sign === "(" ? "%28" : "%29");

function button(name: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "btn sm";
  made.textContent = name;
  made.addEventListener("click", act);
  return made;
}

const added = StateEffect.define<{ at: number; upload: Upload }>({
  map: ({ at, upload }, changes) => ({ at: changes.mapPos(at), upload }),
});
const removed = StateEffect.define<Upload>();

export const uploads = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { changes, effects }) {
    const add = effects
      .filter((effect) => effect.is(added))
      .map(({ value: { at, upload } }) => Decoration.widget({ widget: upload, side: 1 }).range(at));
    let all = decorations.map(changes).update({ add });
    for (const effect of effects) {
      if (effect.is(removed)) all = all.update({ filter: (_from, _to, { spec }) => spec.widget !== effect.value });
    }
    return all;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const uploadsOf = (state: EditorState): Upload[] => {
  const all: Upload[] = [];
  for (const each = state.field(uploads).iter(); each.value; each.next()) all.push(each.value.spec.widget);
  return all;
};

/** What is in the text, was removed, or went with the words around it, is kept no longer. */
export const forgetting = EditorView.updateListener.of(({ startState, state }) => {
  if (startState.field(uploads) === state.field(uploads)) return;
  const left = uploadsOf(state);
  for (const upload of uploadsOf(startState)) if (!left.includes(upload)) void forgetPicture(upload.id);
});

/** The number of pictures on their way, or failed. */
export const uploadsIn = ({ state }: EditorView): number => state.field(uploads).size;

function placeOf({ state }: EditorView, upload: Upload): number | undefined {
  const all = state.field(uploads).iter();
  for (; all.value; all.next()) if (all.value.spec.widget === upload) return all.from;
  return undefined;
}

/**
 * Replaces an upload by its source, in a paragraph of its own: a step of its own to undo. What is no picture becomes a
 * link. The caret goes to its text if it has not moved on.
 */
function putIn(view: EditorView, upload: Upload, address: string): void {
  const at = placeOf(view, upload);
  if (at === undefined) return;
  const { doc, selection } = view.state;
  const [before, after] = lineEndsAround(doc, at);
  const { name, type } = upload.file;
  const source = type.startsWith("image/") ? "![]" : `[${name.replace(/[\\[\]{}<`*_]/g, "\\$&")}]`;
  const text = at + before.length + source.indexOf("[") + 1;
  view.dispatch({
    changes: { from: at, insert: `${before}${source}(${address})${after}` },
    effects: removed.of(upload),
    userEvent: "input.picture",
    annotations: isolateHistory.of("full"),
    ...(selection.main.empty && selection.main.head === at && { selection: { anchor: text } }),
  });
}

/** Uploads pictures to where they were pasted or dropped. */
export function addPictures(view: EditorView, files: readonly File[], at: number): boolean {
  if (!areaOf(view)?.dataset.uploader) return false; // this text takes none
  const all = files.map((file) => ({ at, upload: new Upload(view, file) }));
  announce(`Uploading ${files.map(({ name }) => name).join(", ")}`);
  start(view, all);
  view.dispatch({ effects: EditorView.scrollIntoView(at) });
  keepPictures(view);
  return true;
}

/** Keeps pictures that are not in the text yet with their places as they are now. */
export function keepPictures({ state }: EditorView): void {
  for (const upload of uploadsOf(state)) void upload.keep();
}

function start(view: EditorView, all: { at: number; upload: Upload }[]): void {
  view.dispatch({ effects: all.map(({ at, upload }) => added.of({ at: besidePicture(view.state.doc, at), upload })) });
  let before = Promise.resolve();
  for (const { upload } of all) before = upload.send(before);
}

/** Uploads what was kept for a text when its page was left. */
export async function goOn(view: EditorView): Promise<void> {
  const area = areaOf(view);
  if (!area?.dataset.uploader) return;
  const kept = await keptPictures(nameOf(area));
  const doc = view.state.doc.toString();
  const placed = kept.map(({ id, file, before }) => {
    const from = doc.lastIndexOf(before);
    return { at: from < 0 ? doc.length : from + before.length, upload: new Upload(view, file, id) };
  });
  if (placed.length) start(view, placed);
}

// ── A sign-in that ends meanwhile, and begins again in another tab ──────────────────────────────────────────────

/** What else is tried again then. */
export const failed = new Set<() => void>();
let isSignedOut = false;
addEventListener("signed-out", () => (isSignedOut = true));

/** Whoever comes back from signing in need not reload the page: it gets the new session's token. */
export async function signInAgain(views: () => EditorView[]): Promise<void> {
  if (!isSignedOut || !(await renewToken())) return;
  isSignedOut = false;
  let before = Promise.resolve();
  for (const upload of views().flatMap(({ state }) => uploadsOf(state)))
    if (upload.hasFailed) before = upload.send(before);
  failed.forEach((again) => again());
}

async function renewToken(): Promise<boolean> {
  const answer = await fetch(location.href).catch(() => undefined);
  const page = new DOMParser().parseFromString((await answer?.text().catch(() => "")) ?? "", "text/html");
  const token = page.querySelector<HTMLInputElement>("input[name=_token]")?.value;
  if (!token || !managerIn(page) || managerIn(page) !== managerIn(document)) return false; // or it is someone else
  for (const field of document.querySelectorAll<HTMLInputElement>("input[name=_token]")) field.value = token;
  return true;
}
