import type { Setting } from "../../../db/settings/settings";
import { Badge } from "../../components/badge";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { ActionsHeader, Table } from "../../components/lists/table";
import { Time } from "../../components/time";
import { By } from "../../components/who";
import { changeMail, path } from "./section";

type CustomSetting = Setting & { isForOwners: boolean };

/** The keys beyond the contract. */
export const CustomSettings = ({ settings, frame }: { settings: CustomSetting[]; frame: Frame }) => (
  <div class="list card" id="list">
    {settings.length > 0 ? (
      <Table
        caption={plural(settings.length, "custom key")}
        isFramed={false}
        head={
          <>
            <th scope="col">Key and value</th>
            <th scope="col">Changed</th>
            <ActionsHeader />
          </>
        }
      >
        {settings.map((setting) => (
          <CustomRow setting={setting} frame={frame} />
        ))}
      </Table>
    ) : (
      <p class="body muted">None yet.</p>
    )}
    <div class="foot">
      <a class="btn" id="add-key" href={`${path}/custom/new`} hx-get={`${path}/custom/new`} hx-target="#dialog">
        <Icon name="plus" />
        Add key{" "}
      </a>
    </div>
  </div>
);

function CustomRow({ setting, frame }: { setting: CustomSetting; frame: Frame }) {
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
