import { browserStore } from "../app/browser-store";
import type { Upload } from "./upload";

/*
 * What this browser remembers of unfinished uploads, so that they can resume after the page was closed. Without
 * IndexedDB (private windows) nothing is remembered, and everything else works.
 */
type UploadRecord = Pick<Upload, "name" | "size" | "lastModified" | "folder" | "clash" | "handle"> & {
  id: string;
  /** The manager whose upload it is: someone else may sign in here. */
  owner: string;
};

const owner = () => document.querySelector<HTMLElement>("[data-uploads]")?.dataset.uploads;

const store = browserStore<UploadRecord>("postroom", "uploads");

export async function keep({ id, name, size, lastModified, folder, clash, handle }: Upload): Promise<void> {
  const by = owner();
  if (!id || by === undefined) return;
  if (!store.isLocked(id)) await store.lock(id);
  await store.put({ id, owner: by, name, size, lastModified, folder, clash, handle });
}

export const { forget } = store;

/**
 * Reports each upload of this manager that no other page is working on: now, all in one go, or once that page is
 * closed.
 */
export async function mine(tell: (kept: UploadRecord) => void): Promise<void> {
  const ids = (await store.all()).filter(({ owner: by }) => by === owner()).map(({ id }) => id);
  const isMine = await Promise.all(ids.map((id) => store.lock(id, { ifAvailable: true })));
  const free = await Promise.all(ids.filter((_, at) => isMine[at]).map(load));
  for (const kept of free) if (kept) tell(kept);
  for (const id of ids.filter((_, at) => !isMine[at]))
    void store
      .lock(id)
      .then(() => load(id))
      .then((kept) => kept && tell(kept));
}

async function load(id: string): Promise<UploadRecord | undefined> {
  const kept = await store.get(id);
  if (!kept) await forget(id); // it has ended in the other page
  return kept;
}
