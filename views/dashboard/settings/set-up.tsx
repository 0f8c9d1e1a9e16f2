import { Badge } from "../../components/badge";
import { CopyButton } from "../../components/buttons";
import { Field } from "../../components/forms/fields";
import type { FieldError } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Time } from "../../components/time";
import { By } from "../../components/who";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import { SettingsFrame, type SettingsTab } from "./settings";

const path = paths.installation;

/** A variable as it is now. Of one with a password, `value` is only its host. */
export type VariableView = {
  name: string;
  source: "environment" | "dashboard" | "default";
  value: string;
  /** Set here, even if the environment wins. */
  isStored: boolean;
  change: { by: string; at: Date } | undefined;
  errors: FieldError[];
};

type Words = { label: string; hint: Child; isSecret?: boolean };

const words: Record<string, Words> = {
  MAILER_API_KEY: {
    label: "Email provider",
    hint: (
      <>
        An API key of Resend (<code>re_…</code>), or the URL of a mail server, such as{" "}
        <code class="wrap">smtp://user:password@smtp.example.com:587</code>. It is stored encrypted and never shown
        again.
      </>
    ),
    isSecret: true,
  },
  MAIL_FROM: {
    label: "Sender",
    hint: "Such as Ada <ada@example.com>. With Resend, its domain must be verified there.",
  },
  OWNER_EMAIL: {
    label: "Notification address",
    hint: "Gets contact messages and alerts. Without it, the address under Settings, Site, Owner is used.",
  },
  BLOG_URL: {
    label: "Address of your site",
    hint: "Links to posts in emails and feeds lead there, and its pages may send the public forms.",
  },
  CORS_ORIGINS: {
    label: "More sites with forms",
    hint: "Origins whose pages may send the public forms, too, separated by commas, such as https://example.com, http://localhost:8080.",
  },
  BACKUP_URL: {
    label: "Backup target",
    hint: (
      <>
        An S3 server, <code class="wrap">s3://KEY:SECRET@host/bucket/folder?region=…</code>, or <code>node:NAME</code>{" "}
        for a storage node that is not embedded. It is stored encrypted and never shown again.
      </>
    ),
    isSecret: true,
  },
  BACKUP_EVERY: { label: "Time between two copies", hint: "From 15m to 31d, such as 6h." },
};

type RecordsView = {
  domain: string;
  isSent: boolean;
  records: { kind: string; name: string; value: string | undefined; exists: boolean | undefined }[];
};

type PageProps = {
  tabs: SettingsTab[];
  frame: Frame;
  variables: ReadonlyMap<string, VariableView>;
  /** Undefined while emails are only logged. */
  provider: string | undefined;
  records: RecordsView;
  nodes: string[];
  backups: "by-operator" | "with-key" | "without-key";
};

/** What the environment can say as well. Each value is a form of its own, saved with a page load. */
export const SetUpPage = ({ frame, tabs, variables, provider, records, nodes, backups }: PageProps) => {
  const forms = (...names: string[]) => names.map((name) => <Variable view={variables.get(name)} frame={frame} />);
  return (
    <SettingsFrame
      tabs={tabs}
      here={path}
      title="Set up"
      lead="For owners. What is set in the environment of the service cannot be changed here. Changes are effective immediately."
    >
      <Part id="email" title="Email" about="Who sends emails, and from which address.">
        {forms("MAILER_API_KEY", "MAIL_FROM", "OWNER_EMAIL")}
        {provider && <TestEmail frame={frame} />}
        <SenderRecords {...records} />
      </Part>
      <Part id="site" title="Site" about="Where your posts are read, and whose forms are accepted.">
        {forms("BLOG_URL", "CORS_ORIGINS")}
      </Part>
      <Part id="storage" title="Storage" about="Where uploaded files are.">
        <Storage nodes={nodes} />
      </Part>
      <Part id="backups" title="Backups" about="Encrypted copies of the database, each read back before it counts.">
        {backups === "by-operator" ? (
          <Card>
            <p>Backups of the PostgreSQL database are made by its operator.</p>
          </Card>
        ) : (
          <>
            {forms("BACKUP_URL", "BACKUP_EVERY")}
            <BackupKey frame={frame} hasKey={backups === "with-key"} />
          </>
        )}
      </Part>
    </SettingsFrame>
  );
};

const Card = ({ children }: { children?: Child }) => (
  <div class="card">
    <div class="body">{children}</div>
  </div>
);

const Part = ({ id, title, about, children }: { id: string; title: string; about: string; children?: Child }) => (
  <section class="setting" id={id} aria-labelledby={`${id}-title`}>
    <div>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="hint">{about}</p>
    </div>
    <div class="stack">{children}</div>
  </section>
);

function Variable({ view, frame }: { view: VariableView | undefined; frame: Frame }) {
  const own = view && words[view.name];
  if (!own) return null;
  return view.source === "environment" ? (
    <Locked view={view} words={own} />
  ) : (
    <Own view={view} words={own} frame={frame} />
  );
}

const Locked = ({ view, words: { label } }: { view: VariableView; words: Words }) => (
  <div class="card" id={view.name}>
    <div class="body">
      <dl class="facts">
        <dt>{label}</dt>
        <dd class="wrap">{view.value}</dd>
      </dl>
      <p class="hint">
        Set by <code>{view.name}</code> in the environment.
        {view.isStored && " A value that was saved here has no effect."}
      </p>
    </div>
  </div>
);

type OwnProps = { view: VariableView; words: Words; frame: Frame };

function Own({ view, words: { label, hint, isSecret }, frame }: OwnProps) {
  const isUnset = !isSecret && view.source === "default" && view.errors.length === 0;
  return (
    <Form action={`${path}/${view.name}`} token={frame.token} id={view.name} label={label} class="card" plain guard>
      <div class="body">
        {isSecret && (
          <dl class="facts">
            <dt>Now</dt>
            <dd class="wrap">{view.value || <span class="none">Not set</span>}</dd>
          </dl>
        )}
        <Field
          name="value"
          scope={view.name}
          label={label}
          hint={hint}
          value={isSecret || isUnset ? "" : view.value}
          {...(isUnset && view.value && { placeholder: view.value })}
          errors={view.errors}
          autocomplete="off"
          data-secret={isSecret}
        />
        <div class="save">
          <button type="submit" class="btn" id={`save-${view.name}`}>
            Save
          </button>
          {view.isStored && (
            <button type="submit" class="btn quiet" name="remove" value="yes" id={`remove-${view.name}`}>
              Remove
            </button>
          )}
          {view.change && (
            <p class="hint">
              Last changed <Time at={view.change.at} clock={frame} /> <By actor={view.change.by} names={frame.names} />
            </p>
          )}
        </div>
      </div>
    </Form>
  );
}

const TestEmail = ({ frame }: { frame: Frame }) => (
  <Form action={`${paths.settings}/test-mail`} token={frame.token} label="Test email" class="card" plain>
    <div class="body">
      <p>Sends an email to you, at {frame.manager.email}. Its outcome is under Emails.</p>
      <div class="save">
        <button type="submit" class="btn" id="send-test">
          Send test email
        </button>
      </div>
    </div>
  </Form>
);

/** The page asks for it again every ten seconds, while someone adds the records elsewhere. */
export const SenderRecords = ({ domain, isSent, records }: RecordsView) => (
  <div
    class="card"
    id="records"
    {...(isSent && { "hx-get": `${path}/records`, "hx-trigger": "every 10s", "hx-swap": "outerHTML" })}
  >
    <header>
      <h3>DNS records</h3>
    </header>
    <div class="body">
      {records.length === 0 ? (
        <p>Connect a provider first. Then the records that {domain} needs are looked up here.</p>
      ) : (
        <>
          <p class="hint">
            Records that let others trust emails from {domain}. They are looked up every ten seconds;{" "}
            <a href={`${path}#records`}>check again</a>.
          </p>
          <dl class="facts">
            {records.map(({ kind, name, value, exists }) => (
              <>
                <dt>
                  {kind}{" "}
                  <Badge tone={exists ? "good" : "warn"}>
                    {exists ? "Found" : exists === undefined ? "DNS does not answer" : "Missing"}
                  </Badge>
                </dt>
                <dd class="wrap">
                  <code>{name}</code>
                  {exists === false && value && (
                    <>
                      {" "}
                      with the value <code>{value}</code>
                    </>
                  )}
                  {exists === false && !value && (
                    <span class="hint"> Its value is shown by Resend, under Domains.</span>
                  )}
                </dd>
              </>
            ))}
          </dl>
        </>
      )}
    </div>
  </div>
);

const Storage = ({ nodes }: { nodes: string[] }) => (
  <Card>
    <p>{nodes.length ? `Storage nodes: ${nodes.join(", ")}.` : "There is no storage node, so uploads do not work."}</p>
    <div class="save">
      <a class="btn" href={`${paths.nodes}/new`}>
        Add storage node
      </a>
      {nodes.length > 0 && (
        <a class="btn quiet" href={paths.nodes}>
          View storage nodes
        </a>
      )}
    </div>
  </Card>
);

const BackupKey = ({ frame, hasKey }: { frame: Frame; hasKey: boolean }) =>
  hasKey ? (
    <Card>
      <p>There is a key to encrypt the copies. Only who keeps it can open them.</p>
      <div class="save">
        <a class="btn" href={paths.backups}>
          View the copies
        </a>
      </div>
    </Card>
  ) : (
    <Form action={`${path}/backup-key`} token={frame.token} label="Key of the backups" class="card" plain>
      <div class="body">
        <p>Copies are encrypted for a key that the server does not keep. No copies are made until there is one.</p>
        <div class="save">
          <button type="submit" class="btn" id="make-key">
            Generate key
          </button>
        </div>
      </div>
    </Form>
  );

/** Shown once, as the answer to the form. */
export const NewBackupKey = ({ identity }: { identity: string }) => (
  <>
    <Crumb href={path}>Set up</Crumb>
    <Head title="Key of the backups" lead="Shown only once. Without it, no one can open a copy." />
    <Card>
      <p>
        <code id="backup-key" class="wrap">
          {identity}
        </code>
      </p>
      <div class="save">
        <CopyButton from="backup-key" />
        <a class="btn" href={`${path}#backups`}>
          I have kept it
        </a>
      </div>
      <p class="hint">Keep it away from this server, such as in a password manager.</p>
    </Card>
  </>
);
