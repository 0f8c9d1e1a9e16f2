import { Badge } from "../../components/badge";
import { Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { ActionsHeader, Table } from "../../components/lists/table";
import { exact, Time } from "../../components/time";
import { type RuleView, TwoFactorRule } from "./two-factor-rule";
import { roles } from "./invitation";
import { Head } from "../shell";
import { paths } from "../../paths";

type Role = "owner" | "manager";
type Person = {
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
type Invitation = { email: string; role: Role; createdAt: Date; expiresAt: Date };
type View = { frame: Frame; people: Person[]; invitations: Invitation[]; rule: RuleView };

const path = paths.managers;
export const ManagersPage = ({ frame, people, invitations, rule }: View) => (
  <div class="stack wide">
    <Head title="Managers" lead="Everybody here may do everything; owners also decide who is here.">
      <a class="btn primary" id="invite" href={`${path}/invite`} hx-get={`${path}/invite`} hx-target="#dialog">
        <Icon name="plus" />
        Invite
      </a>
    </Head>
    <section class="list" id="list" aria-label="Managers">
      <Table
        caption="Managers"
        head={
          <>
            <th scope="col">Manager</th>
            <th scope="col">Role</th>
            <th scope="col">Sign-in</th>
            <th scope="col">Last seen</th>
            <ActionsHeader />
          </>
        }
      >
        {people.map((person) => (
          <PersonRow person={person} frame={frame} />
        ))}
      </Table>
    </section>
    {invitations.length > 0 && <Invitations frame={frame} invitations={invitations} />}
    <TwoFactorRule frame={frame} rule={rule} />
  </div>
);

const PersonRow = ({ person, frame }: { person: Person; frame: Frame }) => (
  <tr id={`manager-${person.id}`} role="row">
    <td class="main" role="cell">
      <span class="who">{person.name || person.email}</span>
      <span class="sub">{person.email}</span>
    </td>
    <td class="state" role="cell">
      {person.id === frame.manager.id ? <Role role={person.role} /> : <RoleForm person={person} frame={frame} />}
    </td>
    <td class="extra" role="cell">
      {person.hasSecondStep ? <Badge tone="good">Two steps</Badge> : <Badge tone="off">One step</Badge>}
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

const Role = ({ role }: { role: Role }) => <>{role === "owner" ? "Owner" : "Manager"}</>;

const RoleForm = ({ person, frame }: { person: Person; frame: Frame }) => (
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

const Actions = ({ person, frame }: { person: Person; frame: Frame }) => (
  <>
    {person.sessions > 0 && (
      <Form action={`${path}/${person.id}/sign-out`} token={frame.token} plain>
        <button type="submit" class="btn quiet sm" aria-label={`Sign out ${person.email} everywhere`}>
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

const Invitations = ({ frame, invitations }: Pick<View, "frame" | "invitations">) => (
  <section class="card" aria-labelledby="invitations">
    <header>
      <h2 id="invitations">Invited, not here yet</h2>
    </header>
    <ul class="body lines">
      {invitations.map(({ email, role, expiresAt }) => (
        <li class="row">
          <span>
            <strong>{email}</strong>
            <span class="sub">
              as {role}, the link works until {exact(expiresAt, frame.preferences.timeZone)}
            </span>
          </span>
          <Form action={`${path}/invitations/withdraw`} token={frame.token} plain>
            <input type="hidden" name="email" value={email} />
            <button type="submit" class="btn quiet sm" aria-label={`Withdraw the invitation of ${email}`}>
              Withdraw
            </button>
          </Form>
        </li>
      ))}
    </ul>
  </section>
);
