/** A file or folder that was dropped, as far as this browser can say. */
export type Dropped = {
  handle: Promise<FileSystemHandle | null> | undefined;
  entry: FileSystemEntry | null;
  file: File | null;
};

/** Returns what was dropped. The transfer is empty after the event, so everything is read from it synchronously. */
export const take = ({ items }: DataTransfer): Dropped[] =>
  [...items]
    .filter(({ kind }) => kind === "file")
    .map((item) => ({
      handle: item.getAsFileSystemHandle?.().catch(() => null),
      entry: item.webkitGetAsEntry(),
      file: item.getAsFile(),
    }));
