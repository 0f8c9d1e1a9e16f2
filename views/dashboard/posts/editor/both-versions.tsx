import { labels } from "../post-diff";

type Text = { fields: Record<string, string>; content: string };

/** Two versions of a post side by side, each to its last character: to be read, and to be copied from. */
export const BothVersions = ({ theirs, yours }: { theirs: Text; yours: Text }) => (
  <div class="both">
    <Version id="theirs" name="Their version" text={theirs} />
    <Version id="yours" name="Your version" text={yours} />
  </div>
);

const Version = ({ id, name, text: { fields, content } }: { id: string; name: string; text: Text }) => (
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
