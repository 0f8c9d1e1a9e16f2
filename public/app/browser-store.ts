const result = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * A database of this browser with one store of records that have an `id`, and a lock for each. Where IndexedDB is missing
 * (private windows) or full, every call returns undefined.
 */
export function browserStore<Kept extends { id: string }>(database: string, name: string) {
  let opened: Promise<IDBDatabase> | undefined;
  async function open(): Promise<IDBDatabase> {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(name, { keyPath: "id" });
    const there = await result(request);
    there.onversionchange = () => there.close(); // someone signs out, which deletes it
    return there;
  }
  async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<T | undefined> {
    try {
      const there = await (opened ??= open());
      return await result<T>(work(there.transaction(name, mode).objectStore(name)));
    } catch {
      return undefined;
    }
  }
  const held = new Map<string, () => void>();
  return {
    /** Resolves to undefined if it could not be kept. */
    put: (record: Kept) => run<IDBValidKey>("readwrite", (store) => store.put(record)),
    get: (id: string) => run<Kept>("readonly", (store) => store.get(id)),
    all: async () => (await run<Kept[]>("readonly", (store) => store.getAll())) ?? [],
    /** Releases and removes a record. */
    forget(id: string): Promise<unknown> {
      held.get(id)?.();
      held.delete(id);
      return run("readwrite", (store) => store.delete(id));
    },
    /** Locks a record until it is forgotten or the page is closed. Returns whether this page has the lock, or needs none. */
    lock: async (id: string, options: LockOptions = {}): Promise<boolean> =>
      !navigator.locks ||
      new Promise((resolve) => {
        void navigator.locks.request(`${database} ${id}`, options, (lock) => {
          resolve(!!lock);
          return lock && new Promise<void>((release) => held.set(id, release));
        });
      }),
    isLocked: (id: string): boolean => held.has(id),
  };
}
