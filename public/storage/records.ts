import type { Upload } from "./upload";

/*
 * What this browser remembers of unfinished uploads, so that they can resume after the page was closed. Without
 * IndexedDB (private windows) nothing is remembered, and everything else works.
 */
export type UploadRecord = Pick<Upload, "name" | "size" | "lastModified" | "folder" | "clash" | "handle"> & {
  id: string;
  /** The manager whose upload it is: someone else may sign in here. */
  owner: string;
};

const owner = () => document.querySelector<HTMLElement>("[data-uploads]")?.dataset.uploads;

export async function keep({ id, name, size, lastModified, folder, clash, handle }: Upload): Promise<void> {
  const by = owner();
  if (!id || by === undefined) return;
  const kept: UploadRecord = { id, owner: by, name, size, lastModified, folder, clash, handle };
  if (!held.has(id)) await hold(id);
  await inStore("readwrite", (store) => store.put(kept));
}

export async function forget(id: string): Promise<void> {
  held.get(id)?.();
  held.delete(id);
  await inStore("readwrite", (store) => store.delete(id));
}

/**
 * Reports each upload of this manager that no other page is working on: now, all in one go, or once that page is
 * closed.
 */
export async function mine(tell: (kept: UploadRecord) => void): Promise<void> {
  const all = (await inStore<UploadRecord[]>("readonly", (store) => store.getAll())) ?? [];
  const ids = all.filter(({ owner: by }) => by === owner()).map(({ id }) => id);
  const isMine = await Promise.all(ids.map((id) => hold(id, { ifAvailable: true })));
  const free = await Promise.all(ids.filter((_, at) => isMine[at]).map(load));
  for (const kept of free) if (kept) tell(kept);
  for (const id of ids.filter((_, at) => !isMine[at]))
    void hold(id)
      .then(() => load(id))
      .then((kept) => kept && tell(kept));
}

async function load(id: string): Promise<UploadRecord | undefined> {
  const kept = await inStore<UploadRecord>("readonly", (store) => store.get(id));
  if (!kept) await forget(id); // it has ended in the other page
  return kept;
}

const held = new Map<string, () => void>();

/** Locks the upload until it has ended or the page is closed. Resolves when this page has the lock, or cannot get it. */
function hold(id: string, options: LockOptions = {}): Promise<boolean> {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    void navigator.locks.request(`postroom upload ${id}`, options, (lock) => {
      resolve(lock !== null);
      return lock && new Promise<void>((release) => held.set(id, release));
    });
  });
}

const result = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let opened: Promise<IDBDatabase> | undefined;
function open(): Promise<IDBDatabase> {
  const request = indexedDB.open("postroom", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("uploads", { keyPath: "id" });
  return result(request);
}

async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest,
): Promise<T | undefined> {
  try {
    const database = await (opened ??= open());
    return await result<T>(work(database.transaction("uploads", mode).objectStore("uploads")));
  } catch {
    return undefined;
  }
}
