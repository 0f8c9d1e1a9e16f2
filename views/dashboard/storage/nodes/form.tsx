import { Field, type Input } from "../../../components/forms/fields";
import { ErrorSummary, type FieldError } from "../../../components/forms/field-errors";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Crumb, Head } from "../../shell";
import { nodesPath } from "./nodes";

/** A node as its form has it. Keys are never shown again. */
export type NodeDraft = Partial<
  Record<
    "name" | "endpoint" | "publicEndpoint" | "region" | "bucket" | "capacity" | "maxPut" | "staleUploadHours",
    string
  >
>;

/** The fields and their labels. */
const fieldLabels = {
  name: "Name",
  endpoint: "Endpoint",
  publicEndpoint: "Public endpoint",
  bucket: "Bucket",
  region: "Region",
  accessKey: "Access key",
  secretKey: "Secret key",
  capacity: "Capacity",
  maxPut: "Single-upload limit",
  staleUploadHours: "Keep unfinished uploads (hours)",
};

type Inputs = Record<"name" | "bucket" | "region" | "staleUploadHours", Input>;
type Part = { draft: NodeDraft; errors: FieldError[] };

/** Name, endpoint and bucket. */
const PlaceFields = ({ draft, errors, inputs }: Part & { inputs: Inputs }) => (
  <fieldset>
    <legend>Location</legend>
    <Field {...inputs.name} label={fieldLabels.name} value={draft.name} errors={errors} autocomplete="off" />
    <Endpoints draft={draft} errors={errors} />
    <div class="pair">
      <Field
        {...inputs.bucket}
        label={fieldLabels.bucket}
        value={draft.bucket}
        errors={errors}
        hint="Created if it does not exist"
        autocomplete="off"
      />
      <Field
        {...inputs.region}
        label={fieldLabels.region}
        value={draft.region ?? "us-east-1"}
        errors={errors}
        hint="us-east-1 for MinIO and Ceph"
        autocomplete="off"
      />
    </div>
  </fieldset>
);

const Endpoints = ({ draft, errors }: Part) => (
  <>
    <Field
      name="endpoint"
      label={fieldLabels.endpoint}
      type="url"
      value={draft.endpoint}
      errors={errors}
      hint="Scheme, host and port of the S3 API, for example https://s3.example.com"
      required
      autocomplete="off"
    />
    <Field
      name="publicEndpoint"
      label="Public endpoint (optional)"
      type="url"
      value={draft.publicEndpoint}
      errors={errors}
      hint="If browsers and clients reach it at a different URL than Postroom does"
      autocomplete="off"
    />
  </>
);

/** Which keys the form has although their fields are empty: typed before, and encrypted in `kept`. */
export type KeptKeys = { sealed: string; accessKey: boolean; secretKey: boolean };

type KeyProps = { isKnown: boolean; kept: KeptKeys | undefined; errors: FieldError[] };

/** The access keys. */
const KeyFields = ({ isKnown, kept, errors }: KeyProps) => (
  <fieldset>
    <legend>Credentials</legend>
    <p class="hint">
      {isKnown
        ? "Stored encrypted and never shown. Leave a field empty to keep its current value."
        : "Stored encrypted and never shown again."}
    </p>
    {kept && <input type="hidden" name="kept" value={kept.sealed} />}
    <div class="pair">
      <Field
        name="accessKey"
        label={fieldLabels.accessKey}
        errors={errors}
        required={!isKnown && !kept?.accessKey}
        hint={kept?.accessKey && keptHint}
        autocomplete="off"
        data-secret
      />
      <Field
        name="secretKey"
        label={fieldLabels.secretKey}
        type="password"
        errors={errors}
        required={!isKnown && !kept?.secretKey}
        hint={kept?.secretKey && keptHint}
        autocomplete="new-password"
      />
    </div>
  </fieldset>
);

const keptHint = "Kept from before. Leave this empty to use it.";

/** The capacity, and other limits. */
const LimitFields = ({ draft, errors, inputs }: Part & { inputs: Inputs }) => (
  <fieldset>
    <legend>Limits</legend>
    <div class="pair">
      <Field
        name="capacity"
        label={fieldLabels.capacity}
        value={draft.capacity}
        errors={errors}
        hint="Space for uploads, such as 500GB or 2TiB"
        required
        autocomplete="off"
      />
      <Field
        {...inputs.staleUploadHours}
        label={fieldLabels.staleUploadHours}
        value={draft.staleUploadHours ?? "24"}
        errors={errors}
        hint="How long the server keeps them. MinIO: 24, unless you changed it."
        inputmode="numeric"
        autocomplete="off"
      />
    </div>
    <Field
      name="maxPut"
      label={`${fieldLabels.maxPut} (optional)`}
      value={draft.maxPut}
      errors={errors}
      hint="Leave empty for 5.4 GB (5.5 TB on MinIO). Larger files are sent in parts. Enter more only if the server is set up for it."
      autocomplete="off"
    />
  </fieldset>
);

type Props = {
  frame: Frame;
  /** Undefined for a new one. */
  node?: { id: string; name: string; holds: { files: number; uploads: number } } | undefined;
  inputs: Inputs;
  draft: NodeDraft;
  kept?: KeptKeys | undefined;
  /** The node when the form was opened, which reveals what someone else saves before this form is sent. */
  was?: NodeDraft | undefined;
  errors?: FieldError[];
  /** It was tested and does not work, but may be added anyway. */
  mayForce?: boolean;
};

export const NodeFormPage = ({ frame, node, inputs, draft, kept, was = {}, errors = [], mayForce = false }: Props) => (
  <>
    <Crumb href={node ? `${nodesPath}/${node.id}` : nodesPath}>{node ? node.name : "Storage nodes"}</Crumb>
    <Head
      title={node ? `Edit ${node.name}` : "Add storage node"}
      lead={`Any S3-compatible server. It is tested with a small upload ${node ? "when you save" : "before it is added"}.`}
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
        <ErrorSummary errors={errors} labels={fieldLabels} />
        {Object.entries(was).map(([field, value]) => (
          <input type="hidden" name={`was.${field}`} value={value} />
        ))}
        {node && node.holds.files + node.holds.uploads > 0 && <HoldsFiles />}
        <PlaceFields draft={draft} errors={errors} inputs={inputs} />
        <KeyFields isKnown={node !== undefined} kept={kept} errors={errors} />
        <LimitFields draft={draft} errors={errors} inputs={inputs} />
        <footer class="row">
          <button type="submit" class="btn primary">
            {node ? "Save and test" : "Test and add"}
          </button>
          {mayForce && (
            <button type="submit" class="btn" name="force" value="yes">
              Add anyway
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
    <p>This node holds files. If you change the endpoint or bucket, the files must already exist there.</p>
  </div>
);
