import type { UploadStatus } from "./service";

/** What somebody chose: the file, and where the browser lets us open it again by ourselves. */
export type SelectedFile = { file: File; folder: string; handle?: FileSystemFileHandle | undefined };
export type NameConflict = "keep" | "replace" | undefined;
export type State =
  | "waiting"
  | "starting"
  | "running"
  | "finishing"
  | "paused"
  /** The page was closed meanwhile: the file has to be chosen again. */
  | "interrupted"
  | "failed"
  | "done"
  | "cancelled";

const active: State[] = ["waiting", "starting", "running", "finishing"];

/** One file on its way: what is known of it, without a hand that moves it (queue.ts) or a face (rows.ts). */
export class Upload {
  state: State = "waiting";
  /** Why it failed, or what is asked for. */
  problem = "";
  /** The reservation, once there is one. */
  id: string | undefined;
  reserving: Promise<UploadStatus> | undefined;
  /** Tells the service that it is asked for the same again. */
  readonly key = crypto.randomUUID();
  /** The name it has there: another one when both were kept. */
  storedAs: string;
  partSize = 0;
  /** Numbers of the parts nobody sends yet, in order. */
  missing: number[] = [];
  /** Bytes of each part that is on its way. */
  readonly sending = new Map<number, number>();
  readonly urls = new Map<number, { url: string; until: number }>();
  /** The last request for URLs: one after the other. */
  asking: Promise<unknown> = Promise.resolve();
  /** Bytes of the parts that are there. */
  kept = 0;
  /** Bytes a second, smoothed. */
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
    /** Called when the state changes; how far it is can be read at any time. */
    readonly changed: (upload: Upload) => void,
  ) {
    this.storedAs = name;
  }

  get sent(): number {
    return this.kept + [...this.sending.values()].reduce((sum, loaded) => sum + loaded, 0);
  }

  get isActive(): boolean {
    return active.includes(this.state);
  }

  become(state: State, problem = ""): void {
    this.state = state;
    this.problem = problem;
    this.changed(this);
  }

  /** Whether it is the file that was begun with: another one in its place would make a wreck of both. */
  isOf({ name, size, lastModified }: File): boolean {
    return name === this.name && size === this.size && lastModified === this.lastModified;
  }

  /** Whatever is on its way stops, and is to be sent again; what is there stays. */
  halt(): void {
    this.stop.abort();
    this.stop = new AbortController();
  }

  /** Bytes of the part with this number, counted from 1. An empty file has one empty part. */
  bytesOf(number: number): number {
    return Math.min(this.partSize, this.size - (number - 1) * this.partSize);
  }

  /** Everything but what the service says is there, or is on its way, is to be sent. */
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
