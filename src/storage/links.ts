import type { Db } from "../../db/engine/open";
import type { StoredFile } from "../../db/storage/files";
import * as storageNodes from "../../db/storage/nodes/nodes";
import type { Config } from "../platform/config";
import { readPrefix } from "./read-prefix";
import { attachment, inline, isShown } from "./s3/disposition";
import { secretKeyOf } from "./nodes/access";
import { presignGet } from "./s3/presign";
import { urlLifetimeSeconds } from "../../db/storage/uploads";

type Linked = Pick<StoredFile, "nodeId" | "objectKey" | "filename" | "mimeType">;
type Wanted = {
  /** When it is signed. */
  at?: Date;
  /** The service itself will request it. */
  isInside?: boolean;
  /** The browser shows the file instead of saving it. */
  isShown?: boolean;
  /** In seconds. */
  expiresIn?: number;
};

const windowSeconds = 1_800;
const previewBytes = 64 * 1024; // of a text
const previewTimeoutMs = 3_000;

/**
 * URLs by which browsers get files directly from their nodes. Creating one calls no node, so it works while the node is
 * down. They are signed with this machine's clock, not an injected one, because the storage server checks them against
 * its own.
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
    /** Saves the file under its name, whatever its type. Valid for an hour. */
    download: (file: Linked): Promise<string> => link(file),
    /** The same for a chosen time, and when it ends. @param wanted `isShown`: shows what is safe to show */
    async share(file: Linked, { expiresIn, isShown: wantsShown }: { expiresIn: number; isShown: boolean }) {
      const at = new Date();
      const url = await link(file, { at, expiresIn, isShown: wantsShown && isShown(file.mimeType) });
      return { url, expiresAt: new Date(at.getTime() + expiresIn * 1_000) };
    },
    /**
     * Shows what is safe to show, and saves everything else. The URL stays the same for half an hour, so that browsers
     * and caches recognise the file, and is valid for at least an hour from any moment of it. @param sized a size of the
     * picture, on the same node
     */
    media(file: Linked, sized?: Pick<Linked, "objectKey" | "filename" | "mimeType">): Promise<string> {
      const windowStart = new Date(Math.floor(Date.now() / (windowSeconds * 1_000)) * windowSeconds * 1_000);
      return link(
        { ...file, ...sized },
        {
          isShown: isShown(sized?.mimeType ?? file.mimeType),
          expiresIn: urlLifetimeSeconds + windowSeconds,
          at: windowStart,
        },
      );
    },
    /** Returns all of a small object; undefined if it is larger, or the node does not respond in time. */
    async read(file: Linked, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
      const url = await link(file, { isInside: true });
      const bytes = await readInside(url, maxBytes).catch(() => undefined);
      return bytes && bytes.length <= maxBytes ? bytes : undefined;
    },
    /** How many seconds a redirect to `media` may be cached: for the rest of its half hour, the URL remains valid. */
    mediaMaxAge: windowSeconds,
    /** Returns the beginning of a text, at most 64 KiB; undefined if the node does not respond in time. */
    async textPreview(file: Linked): Promise<{ text: string; isWhole: boolean } | undefined> {
      const url = await link(file, { isInside: true });
      return readPreview(url).catch(() => undefined);
    },
  };
}

async function readPreview(url: string) {
  const bytes = await readInside(url, previewBytes);
  if (!bytes) return undefined;
  const text = new TextDecoder().decode(bytes.subarray(0, previewBytes));
  return { text, isWhole: bytes.length <= previewBytes };
}

/** Returns the beginning of an object, one byte more than `maxBytes` if it is longer. */
async function readInside(url: string, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const headers = { range: `bytes=0-${maxBytes}` };
  const signal = AbortSignal.timeout(previewTimeoutMs);
  const response = await fetch(url, { headers, signal, redirect: "manual" }); // a redirect would not lead to our file
  if (!response.ok) return undefined;
  return readPrefix(response, maxBytes + 1); // a node that ignores ranges sends everything
}
