import { labels } from "../post-diff";

type Text = { fields: Record<string, string>; content: string };

/** `fields`: labels by name, if it is not a post. */
type VersionsProps = { theirs: Text; yours: Text; fields?: Record<string, string> };

/** Two versions side by side, complete, to be read and copied from. */
export const BothVersions = ({ theirs, yours, fields = labels }: VersionsProps) => (
  <div class="both">
    <Version id="theirs" name="Their version" text={theirs} labels={fields} />
    <Version id="yours" name="Your version" text={yours} labels={fields} />
  </div>
);

type VersionProps = { id: string; name: string; text: Text; labels: Record<string, string> };

const Version = ({ id, name, text: { fields, content }, labels }: VersionProps) => (
  <section class="card" aria-labelledby={`${id}-name`}>
    <div class="body">
      <h2 id={`${id}-name`}>{name}</h2>
      <dl class="facts">
        {Object.entries(labels)
          .filter(([field]) => fields[field])
          .map(([field, label]) => (
            <>
              <dt>{label}</dt>
              <dd>{fields[field]}</dd>
            </>
          ))}
      </dl>
      <div class="field">
        <label for={`${id}-text`}>Text</label>
        <textarea class="input mono" id={`${id}-text`} rows="16" readonly>
          {content}
        </textarea>
      </div>
    </div>
  </section>
);
