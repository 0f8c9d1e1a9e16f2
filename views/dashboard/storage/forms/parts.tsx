import { DialogFooter } from "../../../components/dialog";
import type { FieldError } from "../../../components/forms/field-errors";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import type { Child } from "../../../jsx/jsx-runtime";

export type FormProps = { frame: Frame; cancel: string; errors?: FieldError[] };

/** A warning before an action that is still possible. */
export const Warned = ({ children }: { children?: Child }) => (
  <p class="note" role="alert" tabindex="-1" data-focus>
    <Icon name="triangle-alert" />
    <span>{children}</span>
  </p>
);

export const Foot = ({ cancel, verb }: { cancel: string; verb: string }) => (
  <DialogFooter cancel={cancel}>{verb}</DialogFooter>
);
