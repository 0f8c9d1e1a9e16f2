import { ErrorSummary, Field, type FieldError, Form } from "../../components/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Crumb, Head } from "../shell";
import { nodesPath } from "./nodes";

/** A node as its form has it. Keys are never shown again. */
export type NodeDraft = Partial<
  Record<
    "name" | "endpoint" | "publicEndpoint" | "region" | "bucket" | "capacity" | "maxPut" | "staleUploadHours",
    string
  >
>;

type Props = {
  frame: Frame;
  /** None yet for a new one. */
  node?: { id: string; name: string; holds: { files: number; uploads: number } } | undefined;
  draft: NodeDraft;
  /** How the node is now: tells what somebody else saves before this form comes back. */
  was?: NodeDraft | undefined;
  errors?: FieldError[];
  /** It was tried out and does not work: it may be added all the same. */
  mayForce?: boolean;
};

/** The fields by the names that the form gives them. */
const names = {
  name: "Name",
  endpoint: "Endpoint",
  publicEndpoint: "Endpoint for clients",
  bucket: "Bucket",
  region: "Region",
  accessKey: "Access key",
  secretKey: "Secret key",
  capacity: "Capacity",
  maxPut: "Single-upload limit",
  staleUploadHours: "Hours an upload may stay open",
};
const labels: Record<string, string> = names;

export const NodeFormPage = ({ frame, node, draft, was = {}, errors = [], mayForce = false }: Props) => (
  <>
    <Crumb href={node ? `${nodesPath}/${node.id}` : nodesPath}>{node ? node.name : "Storage nodes"}</Crumb>
    <Head
      title={node ? `Edit ${node.name}` : "Add a storage node"}
      lead={`Any S3 server. It is tried out with a small upload ${node ? "as soon as you save" : "before it is added"}.`}
    />
    <Form
      action={node ? `${nodesPath}/${node.id}` : nodesPath}
      token={frame.token}
      label="Storage node"
      class="card narrow node-form"
      plain
      guard
    >
      <div class="body">
        <ErrorSummary
          errors={errors.map(({ field, message }) => ({ field: labels[field] ?? field, message }))}
          idOf={(label) => `f-${Object.keys(labels).find((field) => labels[field] === label) ?? label}`}
        />
        {Object.entries(was).map(([field, value]) => (
          <input type="hidden" name={`was.${field}`} value={value} />
        ))}
        {node && node.holds.files + node.holds.uploads > 0 && <HoldsFiles />}
        <Where draft={draft} errors={errors} />
        <Keys isKnown={node !== undefined} errors={errors} />
        <Limits draft={draft} errors={errors} />
        <footer class="row">
          <button type="submit" class="btn primary">
            {node ? "Save and test" : "Test and add"}
          </button>
          {mayForce && (
            <button type="submit" class="btn" name="force" value="yes">
              Add all the same
            </button>
          )}
          <a class="btn" href={node ? `${nodesPath}/${node.id}` : nodesPath}>
            Cancel
          </a>
        </footer>
      </div>
    </Form>
  </>
);

const HoldsFiles = () => (
  <div class="note">
    <Icon name="triangle-alert" />
    <p>This node holds files. At another address or in another bucket they have to be there already.</p>
  </div>
);

type Part = { draft: NodeDraft; errors: FieldError[] };

const Where = ({ draft, errors }: Part) => (
  <fieldset>
    <legend>Where it is</legend>
    <Field
      name="name"
      label={names.name}
      value={draft.name}
      errors={errors}
      maxlength={50}
      required
      autocomplete="off"
    />
    <Field
      name="endpoint"
      label={names.endpoint}
      type="url"
      value={draft.endpoint}
      errors={errors}
      hint="Scheme, host and port of the S3 interface, for example https://s3.example.com"
      required
      autocomplete="off"
    />
    <Field
      name="publicEndpoint"
      label="Endpoint for clients (optional)"
      type="url"
      value={draft.publicEndpoint}
      errors={errors}
      hint="When browsers and clients reach it under another address than this service does"
      autocomplete="off"
    />
    <div class="pair">
      <Field
        name="bucket"
        label={names.bucket}
        value={draft.bucket}
        errors={errors}
        hint="Is made when it is not there"
        maxlength={63}
        required
        autocomplete="off"
      />
      <Field
        name="region"
        label={names.region}
        value={draft.region ?? "us-east-1"}
        errors={errors}
        hint="us-east-1 for MinIO and Ceph"
        maxlength={40}
        autocomplete="off"
      />
    </div>
  </fieldset>
);

const Keys = ({ isKnown, errors }: { isKnown: boolean; errors: FieldError[] }) => (
  <fieldset>
    <legend>Keys</legend>
    <p class="hint">
      {isKnown
        ? "They are stored encrypted and never shown. Leave a field empty to keep what is stored."
        : "They are stored encrypted and never shown again."}
    </p>
    <div class="pair">
      <Field name="accessKey" label={names.accessKey} errors={errors} required={!isKnown} autocomplete="off" />
      <Field
        name="secretKey"
        label={names.secretKey}
        type="password"
        errors={errors}
        required={!isKnown}
        autocomplete="new-password"
      />
    </div>
  </fieldset>
);

const Limits = ({ draft, errors }: Part) => (
  <fieldset>
    <legend>Limits</legend>
    <div class="pair">
      <Field
        name="capacity"
        label={names.capacity}
        value={draft.capacity}
        errors={errors}
        hint="What uploads may fill, such as 500GB or 2TiB"
        required
        autocomplete="off"
      />
      <Field
        name="staleUploadHours"
        label={names.staleUploadHours}
        value={draft.staleUploadHours ?? "24"}
        errors={errors}
        hint="The server drops it then: 24 for MinIO, unless you changed it"
        inputmode="numeric"
        maxlength={4}
        autocomplete="off"
      />
    </div>
    <Field
      name="maxPut"
      label={`${names.maxPut} (optional)`}
      value={draft.maxPut}
      errors={errors}
      hint="Leave empty for 5 GiB (5 TiB on MinIO). Larger files are sent in parts. Enter more only if the server is set up for it."
      autocomplete="off"
    />
  </fieldset>
);
