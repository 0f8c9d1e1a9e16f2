import type { Dropped } from "../early/dropped";
import type { SelectedFile } from "./upload";

/** One for all: an input that nobody holds may be collected as garbage before its dialog has answered. */
const input = document.createElement("input");
input.type = "file";

/** Returns files from the system's dialog, with handles if supported, so that they can be reopened automatically. */
export async function pick(multiple: boolean, webkitdirectory = false): Promise<SelectedFile[]> {
  if (window.showOpenFilePicker && !webkitdirectory) {
    const handles = await window.showOpenFilePicker({ multiple }).catch(() => []); // closed without a selection
    return Promise.all(handles.map(async (handle) => ({ file: await handle.getFile(), folder: "", handle })));
  }
  return new Promise((resolve) => {
    input.onchange = () =>
      resolve([...(input.files ?? [])].map((file) => ({ file, folder: parentOf(file.webkitRelativePath) })));
    input.oncancel = () => resolve([]);
    Object.assign(input, { multiple, webkitdirectory, value: "" }).click();
  });
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Returns everything that was dropped, including the contents of folders. */
export async function fromDrop(dropped: Dropped[]): Promise<SelectedFile[]> {
  const chosen = await Promise.all(
    dropped.map(async ({ handle, entry, file }) => {
      const resolved = await handle;
      if (resolved) return underHandle(resolved, "");
      if (entry) return underEntry(entry, "");
      return file ? [{ file, folder: "" }] : [];
    }),
  );
  return chosen.flat();
}

async function underHandle(handle: FileSystemHandle, folder: string): Promise<SelectedFile[]> {
  if (handle.kind === "file") {
    const own = handle as FileSystemFileHandle;
    return [{ file: await own.getFile(), folder, handle: own }];
  }
  const files: SelectedFile[] = [];
  for await (const child of (handle as FileSystemDirectoryHandle).values())
    files.push(...(await underHandle(child, inside(folder, handle.name))));
  return files;
}

/** The same in browsers without handles. A reader returns a few entries at a time, and none at the end. */
async function underEntry(entry: FileSystemEntry, folder: string): Promise<SelectedFile[]> {
  if (entry.isFile)
    return [{ file: await new Promise<File>((...to) => (entry as FileSystemFileEntry).file(...to)), folder }];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: SelectedFile[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((...to) => reader.readEntries(...to));
    if (!some.length) return files;
    for (const child of some) files.push(...(await underEntry(child, inside(folder, entry.name))));
  }
}

export const inside = (folder: string, name: string) => [folder, name].filter(Boolean).join("/");
