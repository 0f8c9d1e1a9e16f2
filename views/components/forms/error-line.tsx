import { Icon } from "../icon";

/** The error of a control, which refers to it by `aria-describedby`. */
export const ErrorLine = ({ id, error }: { id: string; error: string }) => (
  <p class="error" id={id}>
    <Icon name="circle-alert" />
    {error}
  </p>
);
