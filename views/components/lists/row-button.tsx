import { Icon } from "../icon";

/** `label` says what it does to which row, `title` what it does. */
type RowButtonProps = { id: string; action: string; label: string; title: string; icon: string };

/** A button in a row, as an icon, that leads on to another page. */
export const RowButton = ({ id, action, label, title, icon }: RowButtonProps) => (
  <button
    type="submit"
    class="btn quiet sm icon-only"
    id={id}
    formaction={action}
    data-plain
    aria-label={label}
    title={title}
  >
    <Icon name={icon} />
  </button>
);
