import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { ActionsHeader, Table } from "../../../components/lists/table";
import { exact } from "../../../components/time";
import { type RuleView, TwoFactorRule } from "./two-factor-rule";
import { Head } from "../../shell";
import { paths } from "../../../paths";
import type { Person, Role } from "./role-form";
import { PersonRow } from "./row";

type Invitation = { email: string; role: Role; createdAt: Date; expiresAt: Date };
type View = { frame: Frame; people: Person[]; invitations: Invitation[]; rule: RuleView };

const path = paths.managers;

export const ManagersPage = ({ frame, people, invitations, rule }: View) => (
  <div class="stack wide">
    <Head title="Managers" lead="All managers can do everything. Owners also manage access.">
      <a class="btn primary" id="invite" href={`${path}/invite`} hx-get={`${path}/invite`} hx-target="#dialog">
        <Icon name="plus" />
        Invite manager
      </a>
    </Head>
    <section class="list" id="list" aria-label="Managers">
      <Table
        caption="Managers"
        head={
          <>
            <th scope="col">Manager</th>
            <th scope="col">Role</th>
            <th scope="col">Sign-in security</th>
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

const Invitations = ({ frame, invitations }: Pick<View, "frame" | "invitations">) => (
  <section class="card" aria-labelledby="invitations">
    <header>
      <h2 id="invitations">Pending invitations</h2>
    </header>
    <ul class="body lines">
      {invitations.map(({ email, role, expiresAt }) => (
        <li class="row">
          <span>
            <strong>{email}</strong>
            <span class="sub">
              as {role}; link valid until {exact(expiresAt, frame.preferences)}
            </span>
          </span>
          <Form action={`${path}/invitations/withdraw`} token={frame.token} plain>
            <input type="hidden" name="email" value={email} />
            <button type="submit" class="btn quiet sm" aria-label={`Withdraw the invitation for ${email}`}>
              Withdraw
            </button>
          </Form>
        </li>
      ))}
    </ul>
  </section>
);
