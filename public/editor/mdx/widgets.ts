import { EditorView, WidgetType } from "@codemirror/view";

/** A bullet, or a chip. */
export class Sign extends WidgetType {
  constructor(
    readonly name: string,
    readonly words: string,
  ) {
    super();
  }
  override eq({ name, words }: Sign): boolean {
    return name === this.name && words === this.words;
  }
  toDOM(): HTMLElement {
    const sign = document.createElement("span");
    sign.className = this.name;
    sign.textContent = this.words;
    return sign;
  }
  /** A click on it moves the caret, as one on the text that it stands for. */
  override ignoreEvent(): boolean {
    return false;
  }
}

/** The checkbox of a task. Pressing it changes the letter between the brackets; Ctrl+Enter does so by keyboard. */
export class TaskBox extends WidgetType {
  constructor(readonly isDone: boolean) {
    super();
  }
  override eq({ isDone }: TaskBox): boolean {
    return isDone === this.isDone;
  }
  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = this.isDone;
    box.ariaLabel = "Done";
    box.tabIndex = -1;
    box.className = "md-task";
    box.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const at = view.posAtDOM(box) + 1;
      view.dispatch({ changes: { from: at, to: at + 1, insert: this.isDone ? " " : "x" }, userEvent: "input.task" });
    });
    box.addEventListener("click", (event) => event.preventDefault()); // the text says whether it is checked
    return box;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** Width and height of pictures by file, which the page knows, or which are learnt when they load. */
const sizes = new Map<string, readonly [width: number, height: number]>();
const maxHeight = 416; // px, as in mdx.css
let column = 608; // px, of the text
const fileOf = (src: string) => src.split("/")[2] ?? src;

/** Notes what the page knows of the pictures of a text, and how wide the text is. */
export function learn({ dataset, offsetWidth }: HTMLTextAreaElement): void {
  const pictures: [id: string, width: number, height: number][] = JSON.parse(dataset.pictures ?? "[]");
  for (const [id, ...size] of pictures) sizes.set(id, size);
  column = Math.min(offsetWidth, 648);
}

/** Width and height in which a picture is shown. */
function fittedSize(src: string): [width: number, height: number] {
  const [width, height] = sizes.get(fileOf(src)) ?? [column, column / 1.5];
  const scale = Math.min(1, column / width, maxHeight / height);
  return [Math.round(width * scale), Math.round(height * scale)];
}

/** A picture above the line of its source, which becomes its caption. */
export class Picture extends WidgetType {
  constructor(readonly src: string) {
    super();
  }
  override eq({ src }: Picture): boolean {
    return src === this.src;
  }
  override get estimatedHeight(): number {
    return fittedSize(this.src)[1] + 8; // the padding below
  }
  toDOM(view: EditorView): HTMLElement {
    const { clientWidth } = view.contentDOM; // 0 until the editor is on the page
    if (clientWidth) column = clientWidth - 24; // without its padding
    const box = document.createElement("div");
    box.className = "md-picture";
    const isKnown = sizes.has(fileOf(this.src));
    const image = new Image(...(isKnown ? fittedSize(this.src) : []));
    image.alt = ""; // its text stands below, to be read and edited
    image.decoding = "async";
    image.src = isKnown && !/[?#]/.test(this.src) ? `${this.src}?w=1280` : this.src;
    image.addEventListener("load", () => {
      if (!isKnown) sizes.set(fileOf(this.src), [image.naturalWidth, image.naturalHeight]);
      view.requestMeasure();
    });
    box.append(image);
    return box;
  }
}
