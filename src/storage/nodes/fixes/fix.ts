import type { NodeKind } from "../kinds";

/** What of a node its fixes name. Never a key. */
export type Place = {
  name: string;
  kind: NodeKind;
  endpoint: string;
  publicEndpoint: string;
  bucket: string;
  /** Of its files. */
  usedBytes?: number;
};

export type Fix = {
  /** What is wrong, in a sentence. */
  problem: string;
  /** What to do about it, in a sentence. */
  action: string;
  /** To copy: commands, or parts of a configuration; where there are several, any one of them. */
  commands?: readonly string[];
};
