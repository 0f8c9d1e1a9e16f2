/* What browsers have and TypeScript's DOM does not know yet. Each may be missing. */
interface Window {
  showOpenFilePicker?: (options: { multiple: boolean }) => Promise<FileSystemFileHandle[]>;
  postroomUpload?: (
    file: File,
    options: { folder: string; onProgress?: (percent: number) => void },
  ) => Promise<{ id: string; filename: string }>;
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
declare const htmx: {
  ajax(method: string, path: string, options: object): Promise<void>;
  /** Puts an answer into the page. */
  swap(context: { request?: { signal?: AbortSignal } }): Promise<void>;
};
