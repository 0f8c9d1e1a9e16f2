import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { uploader } from "../uploader";

/*
 * Pictures on their way to Storage, at their place. The text has their source once they are there; until then nothing
 * of them is saved.
 */

/** A picture's progress; with a problem, it can be tried again. */
class Upload extends WidgetType {
  private readonly dom = document.createElement("span");
  private readonly words = document.createElement("span");
  private readonly bar = document.createElement("progress");
  constructor(
    private view: EditorView,
    readonly file: File,
  ) {
    super();
    this.dom.className = "md-upload";
    this.words.role = "status";
    this.bar.max = 100;
    this.bar.ariaLabel = `Upload of ${file.name}`;
  }
  override eq(other: Upload): boolean {
    return other === this;
  }
  toDOM(view: EditorView): HTMLElement {
    this.view = view; // another one, once the form has been replaced
    return this.dom;
  }
  override ignoreEvent(): boolean {
    return true;
  }
  /** Sends the picture, and puts its source in its place, after those that were added before it. */
  async send({ folder = "", uploader: source = "" }: DOMStringMap, before?: Promise<void>): Promise<void> {
    this.words.textContent = `Uploading ${this.file.name}`;
    this.bar.value = 0;
    this.dom.replaceChildren(this.words, this.bar);
    try {
      const upload = await uploader(source);
      const onProgress = (percent: number) => (this.bar.value = percent);
      const { id, filename } = await upload(this.file, { folder, onProgress });
      await before;
      putIn(this.view, this, `/media/${id}/${encodeURIComponent(filename).replace(/[()]/g, percentEncoded)}`);
    } catch (problem) {
      const reason = problem instanceof Error ? problem.message : String(problem);
      this.words.textContent = `${this.file.name} was not uploaded. ${reason}`;
      const again = button("Try again", () => void this.send({ folder, uploader: source }));
      const remove = button("Remove", () => this.view.dispatch({ effects: removed.of(this) }));
      this.dom.replaceChildren(this.words, again, remove);
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

/** The number of pictures on their way, or failed. */
export const uploadsIn = ({ state }: EditorView): number => state.field(uploads).size;

function placeOf({ state }: EditorView, upload: Upload): number | undefined {
  const all = state.field(uploads).iter();
  for (; all.value; all.next()) if (all.value.spec.widget === upload) return all.from;
  return undefined;
}

/** Replaces an upload by its source, in a paragraph of its own. The caret goes to its text if it has not moved on. */
function putIn(view: EditorView, upload: Upload, address: string): void {
  const at = placeOf(view, upload);
  if (at === undefined) return;
  const { doc, selection } = view.state;
  const line = doc.lineAt(at);
  const before = doc.sliceString(line.from, at).trim() ? "\n\n" : "";
  const after = doc.sliceString(at, line.to).trim() ? "\n\n" : "";
  const text = at + before.length + "![".length;
  view.dispatch({
    changes: { from: at, insert: `${before}![](${address})${after}` },
    effects: removed.of(upload),
    userEvent: "input.picture",
    ...(selection.main.empty && selection.main.head === at && { selection: { anchor: text } }),
  });
}

/** Uploads pictures to where they were pasted or dropped. */
export function addPictures(view: EditorView, files: readonly File[], at: number): boolean {
  const area = view.dom.previousElementSibling;
  if (!(area instanceof HTMLElement) || !area.dataset.uploader) return false; // this text takes none
  const all = files.map((file) => new Upload(view, file));
  view.dispatch({ effects: all.map((upload) => added.of({ at, upload })) });
  let before = Promise.resolve();
  for (const upload of all) before = upload.send(area.dataset, before);
  return true;
}
