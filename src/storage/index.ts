export type Storage = { close(): Promise<void> };
