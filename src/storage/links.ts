import type { Db } from "../../db/engine/open";
import type { StoredFile } from "../../db/storage/files";
import * as storageNodes from "../../db/storage/nodes";
import type { Config } from "../config";
import { beginning } from "./read-prefix";
import { attachment, inline, isShown } from "./s3/disposition";
import { secretKeyOf } from "./nodes/access";
import { presignGet } from "./s3/presign";
import { urlLifetimeSeconds } from "../../db/storage/rules";

type Linked = Pick<StoredFile, "nodeId" | "objectKey" | "filename" | "mimeType">;
type Wanted = {
  /** When it was signed. */
  at?: Date;
  /** The service itself is to follow it. */
  isInside?: boolean;
  /** It is to be shown, not saved. */
  isShown?: boolean;
  /** In seconds. */
  expiresIn?: number;
};

const window = 1_800; // seconds
const beginningSize = 64 * 1024; // bytes of a text that a preview shows
const patience = 3_000; // milliseconds that a preview waits for the node

/** URLs by which browsers get files straight from their nodes. Making one asks nobody, and works while the node is down. */
export function fileLinks({ config, db }: { config: Config; db: Db }) {
  async function link({ nodeId, objectKey: key, filename }: Linked, wanted: Wanted = {}) {
    const node = await storageNodes.find(db, nodeId);
    if (!node) throw new Error("The file lies on a node that is not there");
    const target = { ...node, secretKey: secretKeyOf(config, node) };
    const { at = new Date(), isInside, isShown, expiresIn = urlLifetimeSeconds } = wanted;
    const disposition = (isShown ? inline : attachment)(filename, node.server);
    return presignGet(target, { key, disposition, expiresIn, ...(isInside && { origin: node.endpoint }) }, at);
  }

  return {
    /** Saves the file under its name, whatever it is; good for an hour. */
    download: (file: Linked): Promise<string> => link(file),
    /**
     * Shows what is safe to show and saves everything else. The same for half an hour, so that browsers and caches know
     * the file again, and good for an hour from any moment of it.
     */
    media(file: Linked): Promise<string> {
      const began = new Date(Math.floor(Date.now() / (window * 1_000)) * window * 1_000);
      return link(file, { isShown: isShown(file.mimeType), expiresIn: urlLifetimeSeconds + window, at: began });
    },
    /** How long a redirect to `media` may be kept, in seconds: for the rest of its half hour, the URL holds longer. */
    mediaMaxAge: window,
    /** The beginning of a text, 64 KiB at most; undefined when the node does not answer in time. */
    async beginning(file: Linked): Promise<{ text: string; isWhole: boolean } | undefined> {
      const url = await link(file, { isInside: true });
      return read(url).catch(() => undefined);
    },
  };
}

async function read(url: string) {
  const headers = { range: `bytes=0-${beginningSize}` }; // one more, to know whether there is more
  const signal = AbortSignal.timeout(patience);
  const answer = await fetch(url, { headers, signal, redirect: "manual" }); // what lies elsewhere is not our file
  if (!answer.ok) return undefined;
  const bytes = await beginning(answer, beginningSize + 1); // a node that knows no ranges sends it all
  const text = new TextDecoder().decode(bytes.subarray(0, beginningSize));
  return { text, isWhole: bytes.length <= beginningSize };
}
