const avoidedForMs = 60_000; // as long as a pause

/** The nodes that have kept an upload waiting, and have not answered one since. */
export class SilentNodes {
  private readonly since = new Map<string, number>();

  constructor(private readonly now: () => Date) {}

  add(id: string): void {
    this.since.delete(id); // the newest is last
    this.since.set(id, this.now().getTime());
  }

  answered(id: string): void {
    this.since.delete(id);
  }

  /**
   * Returns their IDs, the one that was silent first at the beginning. A minute later, they are used like any other.
   */
  list(): string[] {
    const now = this.now().getTime();
    for (const [id, at] of this.since) if (Math.abs(now - at) >= avoidedForMs) this.since.delete(id);
    return [...this.since.keys()];
  }
}
