import type { UploadStatus } from "./service";

/** A selected file, with a handle if the browser can reopen it automatically. */
export type SelectedFile = { file: File; folder: string; handle?: FileSystemFileHandle | undefined };
export type NameConflict = "keep" | "replace" | undefined;
export type State =
  | "waiting"
  | "starting"
  | "running"
  | "finishing"
  | "paused"
  /** The page was closed in the meantime: the file has to be selected again. */
  | "interrupted"
  | "failed"
  | "done"
  | "cancelled";

const active: State[] = ["waiting", "starting", "running", "finishing"];

/** The state of one upload, without the code that moves it (queue.ts) or shows it (rows.ts). */
export class Upload {
  state: State = "waiting";
  /** Why it failed, or what the user has to do. */
  problem = "";
  /** The reservation, once there is one. */
  id: string | undefined;
  reserving: Promise<UploadStatus> | undefined;
  /** Identifies repeated reservation requests. */
  readonly key = crypto.randomUUID();
  /** The stored name; a different one if both files were kept. */
  storedAs: string;
  partSize = 0;
  /** Numbers of the parts that no one is sending yet, in order. */
  missing: number[] = [];
  /** Bytes sent of each part in progress. */
  readonly sending = new Map<number, number>();
  readonly urls = new Map<number, { url: string; until: number }>();
  /** The last request for URLs; they run one after the other. */
  asking: Promise<unknown> = Promise.resolve();
  /** Bytes of the parts that have arrived. */
  kept = 0;
  /** Bytes per second, smoothed. */
  speed = 0;
  stop = new AbortController();

  constructor(
    readonly name: string,
    readonly size: number,
    readonly lastModified: number,
    readonly folder: string,
    readonly clash: NameConflict,
    public file: File | undefined,
    readonly handle: FileSystemFileHandle | undefined,
    /** Called when the state changes; the progress can be read at any time. */
    readonly changed: (upload: Upload) => void,
  ) {
    this.storedAs = name;
  }

  get sent(): number {
    return this.kept + [...this.sending.values()].reduce((sum, loaded) => sum + loaded, 0);
  }

  /** Whether the service has not said yet what has arrived of it. */
  get isUnknown(): boolean {
    return this.state === "interrupted" && this.partSize === 0;
  }

  get isActive(): boolean {
    return active.includes(this.state);
  }

  become(state: State, problem = ""): void {
    this.state = state;
    this.problem = problem;
    this.changed(this);
  }

  /** Whether this is the file the upload started with: mixing two files would corrupt both. */
  isOf({ name, size, lastModified }: File): boolean {
    return name === this.name && size === this.size && lastModified === this.lastModified;
  }

  /** Stops everything in progress, to be sent again; parts that have arrived are kept. */
  halt(): void {
    this.stop.abort();
    this.stop = new AbortController();
  }

  /** Returns the bytes of the part with this number, from 1. An empty file has one empty part. */
  bytesOf(number: number): number {
    return Math.min(this.partSize, this.size - (number - 1) * this.partSize);
  }

  /** Everything that the service does not have and that is not in progress is to be sent. */
  follow({ id, filename, partSize, received }: UploadStatus): void {
    this.id = id;
    this.storedAs = filename;
    this.partSize = partSize;
    const there = new Set(received);
    const count = Math.max(1, Math.ceil(this.size / partSize));
    this.missing = [];
    this.kept = 0;
    for (let number = 1; number <= count; number++)
      if (there.has(number)) this.kept += this.bytesOf(number);
      else if (!this.sending.has(number)) this.missing.push(number);
  }
}
