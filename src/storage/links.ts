import type { Db } from "../../db/engine/open";
import type { StoredFile } from "../../db/storage/files";
import * as storageNodes from "../../db/storage/nodes/nodes";
import type { Config } from "../config";
import { readPrefix } from "./read-prefix";
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

const windowSeconds = 1_800;
const previewBytes = 64 * 1024; // of a text
const previewTimeoutMs = 3_000;

/**
 * URLs by which browsers get files straight from their nodes. Making one asks nobody, and works while the node is down.
 * They are signed by the clock of this machine, not by an injected one: the storage server checks them by its own.
 */
export function fileLinks({ config, db }: { config: Config; db: Db }) {
  async function link({ nodeId, objectKey: key, filename }: Linked, wanted: Wanted = {}) {
    const node = await storageNodes.find(db, nodeId);
    if (!node) throw new Error("The file’s storage node does not exist");
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
      const windowStart = new Date(Math.floor(Date.now() / (windowSeconds * 1_000)) * windowSeconds * 1_000);
      return link(file, {
        isShown: isShown(file.mimeType),
        expiresIn: urlLifetimeSeconds + windowSeconds,
        at: windowStart,
      });
    },
    /** How long a redirect to `media` may be kept, in seconds: for the rest of its half hour, the URL holds longer. */
    mediaMaxAge: windowSeconds,
    /** The beginning of a text, 64 KiB at most; undefined when the node does not answer in time. */
    async textPreview(file: Linked): Promise<{ text: string; isWhole: boolean } | undefined> {
      const url = await link(file, { isInside: true });
      return readPreview(url).catch(() => undefined);
    },
  };
}

async function readPreview(url: string) {
  const headers = { range: `bytes=0-${previewBytes}` }; // one more, to know whether there is more
  const signal = AbortSignal.timeout(previewTimeoutMs);
  const response = await fetch(url, { headers, signal, redirect: "manual" }); // what lies elsewhere is not our file
  if (!response.ok) return undefined;
  const bytes = await readPrefix(response, previewBytes + 1); // a node that knows no ranges sends it all
  const text = new TextDecoder().decode(bytes.subarray(0, previewBytes));
  return { text, isWhole: bytes.length <= previewBytes };
}
