import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { paths } from "../../../paths";
import { roles } from "./invitation";

export const path = paths.managers;

export type Role = "owner" | "manager";
export type Person = {
  id: string;
  email: string;
  name: string;
  role: Role;
  lastSeenAt: Date | null;
  createdAt: Date;
  hasSecondStep: boolean;
  passkeys: number;
  sessions: number;
};

export const Role = ({ role }: { role: Role }) => <>{role === "owner" ? "Owner" : "Manager"}</>;

export const RoleForm = ({ person, frame }: { person: Person; frame: Frame }) => (
  <Form action={`${path}/${person.id}/role`} token={frame.token} class="row" plain>
    <label class="sr" for={`role-${person.id}`}>
      Role of {person.email}
    </label>
    <select class="input" id={`role-${person.id}`} name="role">
      {roles.map(([value, label]) => (
        <option value={value} selected={value === person.role}>
          {label}
        </option>
      ))}
    </select>
    <button type="submit" class="btn sm" aria-label={`Change the role of ${person.email}`}>
      Change
    </button>
  </Form>
);
