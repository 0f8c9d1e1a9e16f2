/* What htmx and our own scripts dispatch. */
interface WindowEventMap {
  [name: `htmx:${string}`]: CustomEvent<{ ctx?: import("./app/dom").Context }>;
  dropped: CustomEvent<import("./early/dropped").Dropped[]>;
}
/* Browser APIs missing from TypeScript's DOM library. Each may be absent. */
interface Window {
  showOpenFilePicker?: (options: { multiple: boolean }) => Promise<FileSystemFileHandle[]>;
  postroomUpload?: (
    file: File,
    options: { folder: string; onProgress?: (percent: number) => void },
  ) => Promise<{ id: string; filename: string }>;
}
/** The editor in place of a textarea, if public/editor/mdx.ts is there. */
interface HTMLTextAreaElement {
  mdx?: import("./editor/mdx/field").MdxField;
}
interface DataTransferItem {
  getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
}
interface FileSystemHandle {
  requestPermission?: (options: { mode: "read" }) => Promise<PermissionState>;
}
interface FileSystemDirectoryHandle {
  values(): AsyncIterable<FileSystemHandle>;
}
type Swap = import("./app/dom").Context & { swap?: string; text?: string };
declare const htmx: {
  ajax(method: string, path: string, options: object): Promise<void>;
  /** Begins with the whole page, and to follow Back and Forward; again, only what it has not begun with yet. */
  initialize(): void;
  /** Swaps a response into the page. */
  swap(context: Swap): Promise<void>;
};
