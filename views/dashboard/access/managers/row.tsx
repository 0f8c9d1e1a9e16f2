import { Badge } from "../../../components/badge";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { plural } from "../../../components/list";
import { Time } from "../../../components/time";
import { path, type Person, Role, RoleForm } from "./role-form";

/** One manager: role, sign-in methods, and the actions of an owner. */
export const PersonRow = ({ person, frame }: { person: Person; frame: Frame }) => (
  <tr id={`manager-${person.id}`} role="row">
    <td class="main" role="cell">
      <span class="who">{person.name || person.email}</span>
      <span class="sub">{person.email}</span>
    </td>
    <td class="state" role="cell">
      {person.id === frame.manager.id ? <Role role={person.role} /> : <RoleForm person={person} frame={frame} />}
    </td>
    <td class="extra" role="cell">
      {person.hasSecondStep ? <Badge tone="good">Two-step on</Badge> : <Badge tone="off">Two-step off</Badge>}
      <span class="sub">
        {plural(person.passkeys, "passkey")}, {plural(person.sessions, "session")}
      </span>
    </td>
    <td class="when" role="cell">
      {person.lastSeenAt ? <Time at={person.lastSeenAt} clock={frame} /> : <span class="none">Never</span>}
    </td>
    <td class="acts" role="cell">
      {person.id === frame.manager.id ? <span class="none">You</span> : <Actions person={person} frame={frame} />}
    </td>
  </tr>
);

const Actions = ({ person, frame }: { person: Person; frame: Frame }) => (
  <>
    {person.sessions > 0 && (
      <Form action={`${path}/${person.id}/sign-out`} token={frame.token} plain>
        <button type="submit" class="btn quiet sm" aria-label={`Sign out ${person.email} on all devices`}>
          Sign out
        </button>
      </Form>
    )}
    <a
      class="btn quiet sm"
      id={`remove-${person.id}`}
      href={`${path}/${person.id}/remove`}
      hx-get={`${path}/${person.id}/remove`}
      hx-target="#dialog"
      aria-label={`Remove ${person.email}`}
    >
      Remove
    </a>
  </>
);
