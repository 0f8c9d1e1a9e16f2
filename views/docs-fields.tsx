export type Field = { name: string; place: string; required: boolean; description?: string | undefined; rule: string };

export function Fields({ title, fields }: { title: string; fields: Field[] }) {
  if (!fields.length) return null;
  return (
    <>
      <h4>{title}</h4>
      <dl class="fields">
        {fields.map(({ name, place, required, description, rule }) => (
          <div>
            <dt>
              <code>{name}</code> {place !== "body" && <span class="place">{place}</span>}{" "}
              {required && <span class="required">required</span>}
            </dt>
            <dd>
              {rule}
              {description && (
                <>
                  . <Prose text={description} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Names in backticks become code: the document's texts are CommonMark. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split("`").map((piece, at) => (at % 2 ? <code>{piece}</code> : piece))}</>
);
