import type { NodeKind } from "../kinds";

/** What fixes may name of a node. Never a key. */
export type Place = {
  name: string;
  kind: NodeKind;
  endpoint: string;
  publicEndpoint: string;
  bucket: string;
  /** By its files. */
  usedBytes?: number;
};

export type Fix = {
  /** What is wrong, in a sentence. */
  problem: string;
  /** What to do about it, in a sentence. */
  action: string;
  /** To copy: commands or parts of a configuration. If there are several, any one of them will do. */
  commands?: readonly string[];
};
