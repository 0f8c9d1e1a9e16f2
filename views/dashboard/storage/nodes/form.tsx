import { ErrorSummary, type FieldError } from "../../../components/forms/field-errors";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { Crumb, Head } from "../../shell";
import { fieldLabels, type NodeDraft, PlaceFields } from "./fields";
import { KeyFields } from "./key-fields";
import { nodesPath } from "./last-check";
import { LimitFields } from "./limit-fields";

type Props = {
  frame: Frame;
  /** Undefined for a new one. */
  node?: { id: string; name: string; holds: { files: number; uploads: number } } | undefined;
  draft: NodeDraft;
  /** The node when the form was opened, which reveals what someone else saves before this form is sent. */
  was?: NodeDraft | undefined;
  errors?: FieldError[];
  /** It was tested and does not work, but may be added anyway. */
  mayForce?: boolean;
};

export const NodeFormPage = ({ frame, node, draft, was = {}, errors = [], mayForce = false }: Props) => (
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
        <PlaceFields draft={draft} errors={errors} />
        <KeyFields isKnown={node !== undefined} errors={errors} />
        <LimitFields draft={draft} errors={errors} />
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
