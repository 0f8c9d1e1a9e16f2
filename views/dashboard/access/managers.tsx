import { Badge } from "../../components/badge";
import { CopyButton } from "../../components/buttons";
import type { FieldError } from "../../components/forms/field-errors";
import { Choice, Field, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import { Menu, MenuButton, MenuLink } from "../../components/lists/row-actions";
import { type Column, ColumnTable } from "../../components/lists/table";
import { allRoles, type Role, roleTexts } from "../../components/roles";
import { type SetUp, WhatTheySetUp } from "./removal";
import { exact, Time } from "../../components/time";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { CreateLink, Head } from "../shell";
import { type RuleView, TwoFactorRule } from "./two-factor-rule";

const path = paths.managers;

type InviteProps = {
  frame: Frame;
  input: Input;
  email?: string | undefined;
  role?: Role | undefined;
  errors?: FieldError[] | undefined;
  /** Whether there is a provider to deliver the invitation. */
  canMail: boolean;
};

export const InviteForm = ({ frame, input, email, role = "manager", errors = [], canMail }: InviteProps) => (
  <Form action={`${path}/invite`} token={frame.token} class="stack">
    <Field {...input} value={email} errors={errors} autocomplete="off" autofocus />
    <RoleChoice role={role} />
    {canMail && (
      <Choice
        name="by"
        label="Invitation"
        value="email"
        options={[
          ["email", "Send the link by email"],
          ["link", "Show me the link"],
        ]}
      />
    )}
    <DialogFooter cancel={path}>{canMail ? "Invite manager" : "Create invitation link"}</DialogFooter>
  </Form>
);

/** What each role may do, in a sentence. */
const RoleList = () => (
  <dl class="facts">
    {allRoles.map((role) => (
      <>
        <dt>{roleTexts[role].name}</dt>
        <dd>Can {roleTexts[role].may}.</dd>
      </>
    ))}
  </dl>
);

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

type PersonProps = { person: Person; frame: Frame };

/** One manager: role, sign-in methods, and the actions of an owner. */
const columnsOf = (frame: Frame): Column<Person>[] => [
  {
    title: "Manager",
    kind: "main",
    cell: ({ name, email }) => (
      <>
        <span class="who">{name || email}</span>
        <span class={name ? "sub" : "sub none"}>{name ? email : "No name"}</span>
      </>
    ),
  },
  { title: "Role", kind: "state", cell: ({ role }) => roleTexts[role].name },
  { title: "Sign-in security", kind: "extra", cell: (person) => <Security person={person} /> },
  {
    title: "Last seen",
    kind: "when",
    cell: ({ lastSeenAt }) =>
      lastSeenAt ? <Time at={lastSeenAt} clock={frame} /> : <span class="none">Never signed in</span>,
  },
];

const Security = ({ person: { hasSecondStep, passkeys, sessions } }: Pick<PersonProps, "person">) => (
  <>
    {hasSecondStep ? <Badge tone="good">Two-step on</Badge> : <Badge tone="off">Two-step off</Badge>}
    <span class="sub">
      {[passkeys && plural(passkeys, "passkey"), sessions && plural(sessions, "device")].filter(Boolean).join(", ")}
    </span>
  </>
);

const Actions = ({ person: { id, email, sessions }, frame }: PersonProps) => (
  <Menu id={id} label={`Actions for ${email}`}>
    <MenuLink id={`role-${id}`} href={`${path}/${id}/role`} icon="user-cog">
      Change role…
    </MenuLink>
    {sessions > 0 && (
      <Form action={`${path}/${id}/sign-out`} token={frame.token} plain>
        <MenuButton id={`sign-out-${id}`} icon="log-out">
          Sign out everywhere
        </MenuButton>
      </Form>
    )}
    <MenuLink id={`remove-${id}`} href={`${path}/${id}/remove`} icon="trash-2" hotkey="#">
      Remove…
    </MenuLink>
  </Menu>
);

type RoleProps = {
  frame: Frame;
  manager: { id: string; email: string; role: Role };
  /** What they set up, if another role may not; undefined if there is nothing. */
  setUp: SetUp | undefined;
};

export const RoleForm = ({ frame, manager: { id, email, role }, setUp }: RoleProps) => (
  <Form action={`${path}/${id}/role`} token={frame.token} class="stack" plain>
    <p>{email} will be signed out on all devices, and must sign in again.</p>
    <RoleChoice role={role} />
    {setUp && (
      <>
        <p>They set up what follows. It counts if they become an editor or an analyst, who see no one’s data.</p>
        <WhatTheySetUp frame={frame} setUp={setUp} />
      </>
    )}
    <DialogFooter cancel={path}>Change role</DialogFooter>
  </Form>
);

/** The choice of a role, and what each may do. */
const RoleChoice = ({ role }: { role: Role }) => (
  <>
    <Choice
      name="role"
      label="Role"
      value={role}
      options={allRoles.map((each) => [each, roleTexts[each].name] as const)}
    />
    <RoleList />
  </>
);

type Invitation = { email: string; role: Role; createdAt: Date; expiresAt: Date };
type View = { frame: Frame; people: Person[]; invitations: Invitation[]; rule: RuleView };

export const ManagersPage = ({ frame, people, invitations, rule }: View) => (
  <div class="stack wide">
    <Head title="Managers" lead="Who has access, and what each of them can see and do.">
      <CreateLink id="invite" href={`${path}/invite`} isDialog>
        Invite manager
      </CreateLink>
    </Head>
    <section class="list" id="list" aria-label="Managers">
      <ColumnTable
        caption="Managers"
        columns={columnsOf(frame)}
        rows={people}
        rowId={({ id }) => `manager-${id}`}
        actions={(person) =>
          person.id === frame.manager.id ? <span class="none">You</span> : <Actions person={person} frame={frame} />
        }
      />
    </section>
    <section class="card" aria-labelledby="roles">
      <header>
        <h2 id="roles">Roles</h2>
      </header>
      <div class="body">
        <RoleList />
      </div>
    </section>
    <Invitations frame={frame} invitations={invitations} />
    <TwoFactorRule frame={frame} rule={rule} />
  </div>
);

const Invitations = ({ frame, invitations }: Pick<View, "frame" | "invitations">) => (
  <section class="card" id="pending-invitations" aria-labelledby="invitations" hidden={invitations.length === 0}>
    <header>
      <h2 id="invitations">Pending invitations</h2>
    </header>
    <ul class="body lines">
      {invitations.map(({ email, role, expiresAt }) => (
        <li class="row">
          <span>
            <strong>{email}</strong>
            <span class="sub">
              as {roleTexts[role].article}; link valid until {exact(expiresAt, frame.preferences)}
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

/** What has changed on the page behind the dialog. */
export const FreshInvitations = (props: Pick<View, "frame" | "invitations">) => (
  <hx-partial hx-target="#pending-invitations" hx-swap="outerHTML">
    <Invitations {...props} />
  </hx-partial>
);

type LinkProps = { email: string; link: { url: string; expiresAt: Date }; frame: Frame; back: string };

/** The link, shown this once: the database has only its hash. */
export const InvitationLink = ({ email, link, frame, back }: LinkProps) => (
  <div class="stack">
    <div class="note">
      <Icon name="triangle-alert" />
      <p>
        The first person to open this link gets access. Send it to <strong>{email}</strong> yourself, through a channel
        you trust. It will not be shown again.
      </p>
    </div>
    <div class="field">
      <label for="invitation">Single-use link, valid until {exact(link.expiresAt, frame.preferences)}</label>
      <div class="secret">
        <input class="input" id="invitation" value={link.url} readonly autocomplete="off" data-secret data-focus />
        <CopyButton from="invitation" class="btn primary" />
      </div>
    </div>
    <footer>
      <a class="btn" href={back} data-close>
        Done
      </a>
    </footer>
  </div>
);
