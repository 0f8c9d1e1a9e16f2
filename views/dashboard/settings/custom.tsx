import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { ActionsHeader, Table } from "../../components/lists/table";
import { path } from "./section";
import { CustomRow, type CustomSetting } from "./custom-row";

/** The settings without a field of their own. */
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
