import type { ListedKey } from "../../../../db/access/keys/list";
import { Badge } from "../../../components/badge";
import type { Frame } from "../../../components/frame";
import { plural } from "../../../components/list";
import { Time } from "../../../components/time";
import { By } from "../../../components/who";
import { End, KeyActions, KeyState } from "./end";

const day = 86_400_000;

/** After this many days without use, an active key may be forgotten. */
export const forgottenAfter = 30;

/** One key, and whether it may be forgotten. */
export const KeyRow = ({ apiKey, frame }: { apiKey: ListedKey; frame: Frame }) => (
  <tr id={`key-${apiKey.id}`} role="row">
    <td class="main" role="cell">
      <span class="who">{apiKey.name}</span>
      <span class="sub mono">
        {apiKey.prefix}…{apiKey.lastFour}
      </span>
      {apiKey.expiresAt && (
        <span class="sub on-card">
          {!apiKey.replacedBy && "Expires: "}
          <End apiKey={apiKey} frame={frame} />
        </span>
      )}
    </td>
    <td class="state" role="cell">
      <KeyState apiKey={apiKey} />
    </td>
    <td class="extra" role="cell">
      <End apiKey={apiKey} frame={frame} />
    </td>
    <td class="when" role="cell">
      <LastUse apiKey={apiKey} frame={frame} />
    </td>
    <td class="extra" role="cell">
      <Time at={apiKey.createdAt} clock={frame} />
      {apiKey.createdBy && (
        <span class="sub">
          <By actor={apiKey.createdBy} names={frame.names} />
        </span>
      )}
    </td>
    <td class="acts" role="cell">
      <KeyActions apiKey={apiKey} frame={frame} />
    </td>
  </tr>
);

/** When the key was last used. Idle keys are highlighted, because no one would notice if one were stolen. */
function LastUse({ apiKey, frame }: { apiKey: ListedKey; frame: Frame }) {
  const { lastUsedAt, createdAt } = apiKey;
  const active = apiKey.isAccepted;
  const idle = Math.floor((frame.now.getTime() - (lastUsedAt ?? createdAt).getTime()) / day);
  if (lastUsedAt && active && idle >= forgottenAfter)
    return <Badge tone="warn">Unused for {plural(idle, "day")}</Badge>;
  if (lastUsedAt) return <Time at={lastUsedAt} clock={frame} />;
  if (active && idle >= forgottenAfter) return <Badge tone="warn">Never used</Badge>;
  return <span class="none">{active && idle < 1 ? "Not used yet" : "Never used"}</span>;
}
