import type { FieldError } from "../../../components/forms/field-errors";
import { Field } from "../../../components/forms/field";

/** A node as its form has it. Keys are never shown again. */
export type NodeDraft = Partial<
  Record<
    "name" | "endpoint" | "publicEndpoint" | "region" | "bucket" | "capacity" | "maxPut" | "staleUploadHours",
    string
  >
>;

/** The fields and their labels. */
export const fieldLabels = {
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

export type Part = { draft: NodeDraft; errors: FieldError[] };

/** Name, endpoint and bucket. */
export const PlaceFields = ({ draft, errors }: Part) => (
  <fieldset>
    <legend>Location</legend>
    <Field
      name="name"
      label={fieldLabels.name}
      value={draft.name}
      errors={errors}
      maxlength={50}
      required
      autocomplete="off"
    />
    <Endpoints draft={draft} errors={errors} />
    <div class="pair">
      <Field
        name="bucket"
        label={fieldLabels.bucket}
        value={draft.bucket}
        errors={errors}
        hint="Created if it does not exist"
        maxlength={63}
        required
        autocomplete="off"
      />
      <Field
        name="region"
        label={fieldLabels.region}
        value={draft.region ?? "us-east-1"}
        errors={errors}
        hint="us-east-1 for MinIO and Ceph"
        maxlength={40}
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
