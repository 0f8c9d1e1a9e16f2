import type { ListedUpload } from "../../../../db/storage/uploads-list";
import { Badge } from "../../../components/badge";
import { bytes } from "../../../components/bytes";
import type { Frame } from "../../../components/frame";
import { listUrl } from "../../../components/list";
import { Pick } from "../../../components/lists/table";
import { Time } from "../../../components/time";
import { paths } from "../../../paths";
import { Expiry, Progress } from "./progress";

/** One upload: its progress, and the button to cancel it. */
export function UploadRow({ row, frame, isEnded }: { row: ListedUpload; frame: Frame; isEnded: boolean }) {
  const { upload, node, folder, key, manager } = row;
  const { id, filename, size, state } = upload;
  const mayAbort = state === "open" || state === "pending";
  const abort = listUrl({ path: `${paths.openUploads}/abort`, query: {} }, { ids: id });
  return (
    <tr id={`upload-${id}`} role="row">
      {!isEnded && (mayAbort ? <Pick id={id} label={filename} /> : <td class="pick" role="cell" />)}
      <td class="main" role="cell">
        <span class="who">{filename}</span>
        <span class="sub">
          {folder || "All files"} · {bytes(size)}
        </span>
      </td>
      <td class="progress" role="cell">
        {isEnded ? <Badge tone="off">{outcomeOf(upload.outcome)}</Badge> : <Progress upload={upload} />}
      </td>
      <td class="extra" role="cell">
        {node}
      </td>
      <td class="extra" role="cell">
        <span class="who-by">{manager ?? key ?? "Removed manager"}</span>
        {key && <span class="sub">API key</span>}
      </td>
      <td class="when" role="cell">
        {isEnded ? <Time at={upload.createdAt} clock={frame} /> : <Expiry upload={upload} frame={frame} />}
      </td>
      {!isEnded && (
        <td class="acts" role="cell">
          {mayAbort && (
            <a
              class="btn quiet sm"
              href={abort}
              hx-get={abort}
              hx-target="#dialog"
              id={`abort-${id}`}
              aria-label={`Cancel the upload of ${filename}`}
            >
              Cancel
            </a>
          )}
        </td>
      )}
    </tr>
  );
}

const outcomes: Record<string, string> = {
  expired: "Expired",
  vanished: "Lost by the node",
  refused: "Rejected by the node",
  failed: "Not accepted by the node",
  "no answer": "Node did not respond",
  "never opened": "Not started",
  "larger than reserved": "Too large",
  "another size": "Wrong size",
  damaged: "Did not arrive completely",
};
const outcomeOf = (outcome: string | null) => (outcome && outcomes[outcome]) || capital(outcome ?? "Not completed");
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
