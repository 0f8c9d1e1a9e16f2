import { Icon } from "../icon";

/** What is wrong with a control, which is described by it. */
export const ErrorLine = ({ id, error }: { id: string; error: string }) => (
  <p class="error" id={id}>
    <Icon name="circle-alert" />
    {error}
  </p>
);
