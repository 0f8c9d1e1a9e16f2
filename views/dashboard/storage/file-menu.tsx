import type { StoredFile } from "../../../db/storage/files";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/menu";
import { paths } from "../../paths";

/** Further actions of a row, in a menu that also works without JavaScript. */
export const RowMenu = ({ file: { id, filename } }: { file: Pick<StoredFile, "id" | "filename"> }) => (
  <Menu id={id} label={`More actions for ${filename}`}>
    <Item id={id} action="link" icon="link" label="Copy link" />
    <Item id={id} action="rename" icon="pencil" label="Rename" />
    <Item id={id} action="move" icon="folder-input" label="Move" />
    <button type="submit" class="btn quiet" formaction={`${paths.file(id)}/trash`} data-hotkey="#">
      <Icon name="trash-2" />
      Delete
    </button>
  </Menu>
);

type ItemProps = { id: string; action: string; icon: string; label: string };

const Item = ({ id, action, icon, label }: ItemProps) => (
  <a class="btn quiet" href={`${paths.file(id)}/${action}`} hx-target="#dialog">
    <Icon name={icon} />
    {label}
  </a>
);
