import type { ListedUpload } from "../../../../db/storage/uploads-list";
import { bytes } from "../../../components/bytes";
import type { Frame } from "../../../components/frame";
import { Pick } from "../../../components/lists/table";
import { spoken } from "../../../components/time";

const words: Partial<Record<ListedUpload["upload"]["state"], string>> = {
  pending: "Starting",
  completing: "Finishing",
  aborting: "Cancelling",
};

export function Progress({ upload: { id, filename, size, received, state } }: Pick<ListedUpload, "upload">) {
  const share = size > 0 ? Math.min(100, Math.floor((received / size) * 100)) : 0;
  const word = words[state] ?? (received > 0 ? `${share}% · ${bytes(received)}` : "No data received yet");
  return (
    <>
      <progress max="100" value={String(share)} aria-label={`Progress of ${filename}`} id={`progress-${id}`} />
      <span class="sub">{word}</span>
    </>
  );
}

/** When its space is freed if nothing more arrives. */
export const Expiry = ({ upload: { holdUntil }, frame }: Pick<ListedUpload, "upload"> & { frame: Frame }) =>
  holdUntil <= frame.now ? (
    <span class="none">Expired</span>
  ) : (
    <>
      <span class="kind">expires </span>
      <time datetime={holdUntil.toISOString()}>{spoken(holdUntil, frame)}</time>
    </>
  );
