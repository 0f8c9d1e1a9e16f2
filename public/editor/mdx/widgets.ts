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

/** Width and height of pictures by URL, learnt when they load. */
const sizes = new Map<string, readonly [width: number, height: number]>();
const maxHeight = 416; // px, as in write.css
let column = 608; // px, of the text

/** A picture above the line of its source, which becomes its caption. */
export class Picture extends WidgetType {
  constructor(readonly src: string) {
    super();
  }
  override eq({ src }: Picture): boolean {
    return src === this.src;
  }
  override get estimatedHeight(): number {
    const [width, height] = sizes.get(this.src) ?? [3, 2];
    return Math.min(maxHeight, (Math.min(column, sizes.has(this.src) ? width : column) * height) / width) + 12;
  }
  toDOM(view: EditorView): HTMLElement {
    column = view.contentDOM.clientWidth;
    const box = document.createElement("div");
    box.className = "md-picture";
    const image = new Image(...(sizes.get(this.src) ?? []));
    image.alt = ""; // its text stands below, to be read and edited
    image.decoding = "async";
    image.src = this.src;
    image.addEventListener("load", () => {
      sizes.set(this.src, [image.naturalWidth, image.naturalHeight]);
      view.requestMeasure();
    });
    box.append(image);
    return box;
  }
}
