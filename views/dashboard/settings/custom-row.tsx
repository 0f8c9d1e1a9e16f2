import type { Setting } from "../../../db/settings/settings";
import { Badge } from "../../components/badge";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Time } from "../../components/time";
import { By } from "../../components/who";
import { changeMail } from "./section-facts";
import { path } from "./section";

export type CustomSetting = Setting & { isForOwners: boolean };

export function CustomRow({ setting, frame }: { setting: CustomSetting; frame: Frame }) {
  const { key, value, isPublic, isForOwners, updatedAt, updatedBy } = setting;
  return (
    <tr role="row">
      <td class="main" role="cell">
        <span class="who mono">{key}</span>
        <span class="sub">{value}</span>
        {!isPublic && <Badge tone="off">Not public</Badge>}
      </td>
      <td class="when" role="cell">
        <Time at={updatedAt} clock={frame} />
        {updatedBy && (
          <span class="muted">
            {" "}
            <By actor={updatedBy} names={frame.names} />
          </span>
        )}
      </td>
      <td class="acts" role="cell">
        {isForOwners && frame.manager.role !== "owner" ? (
          <span class="none" title={`Only owners can ${changeMail}.`}>
            Owners only
          </span>
        ) : (
          <Actions name={key} />
        )}
      </td>
    </tr>
  );
}

const Actions = ({ name }: { name: string }) => (
  <>
    <a
      class="btn quiet sm"
      id={`edit-${name}`}
      href={`${path}/custom/${name}/edit`}
      hx-get={`${path}/custom/${name}/edit`}
      hx-target="#dialog"
      aria-label={`Edit ${name}`}
    >
      Edit
    </a>
    <a
      class="btn quiet sm icon-only"
      id={`remove-${name}`}
      href={`${path}/custom/${name}/remove`}
      hx-get={`${path}/custom/${name}/remove`}
      hx-target="#dialog"
      aria-label={`Remove ${name}`}
      title="Remove"
    >
      <Icon name="trash-2" />
    </a>
  </>
);
