import type { Snippet } from "../../../db/contact/snippets";
import { Empty } from "../../components/empty";
import { ErrorSummary } from "../../components/forms/field-errors";
import { Field, type FormState, labelsOf } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { CreateLink, Crumb, Head } from "../shell";

export const snippetsPath = `${paths.contact}/snippets`;

/** All snippets, with their texts as written. */
export const SnippetList = ({ frame, rows }: { frame: Frame; rows: Snippet[] }) => (
  <>
    <Crumb href={paths.contact}>Inbox</Crumb>
    <Head title="Snippets" lead="Texts that you and other managers insert into replies.">
      <New />
    </Head>
    {rows.length === 0 ? (
      <section class="card">
        <Empty drawing="typewriter" title="No snippets yet">
          <p>Save what you write often: a thank you, a price, the way to your office.</p>
        </Empty>
      </section>
    ) : (
      <ul class="card snippets">
        {rows.map((snippet) => (
          <Row frame={frame} snippet={snippet} />
        ))}
      </ul>
    )}
  </>
);

const New = () => (
  <CreateLink id="new-snippet" href={`${snippetsPath}/new`} isDialog>
    New snippet
  </CreateLink>
);

const Row = ({ frame, snippet: { id, name, text } }: { frame: Frame; snippet: Snippet }) => (
  <li>
    <div>
      <a href={`${snippetsPath}/${id}`} hx-get={`${snippetsPath}/${id}`} hx-target="#dialog" id={`edit-${id}`}>
        <strong>{name}</strong>
      </a>
      <p class="words" dir="auto">
        {text}
      </p>
    </div>
    <Form action={`${snippetsPath}/${id}/delete`} token={frame.token} plain>
      <button
        type="submit"
        class="btn quiet sm icon-only"
        id={`delete-${id}`}
        aria-label={`Delete ${name}`}
        title="Delete"
      >
        <Icon name="trash-2" />
      </button>
    </Form>
  </li>
);

type FormProps = { frame: Frame; id: string | undefined; form: FormState };

export const SnippetForm = ({ frame, id, form: { inputs, values = {}, errors = [] } }: FormProps) => (
  <Form action={id ? `${snippetsPath}/${id}` : snippetsPath} token={frame.token} class="stack">
    <ErrorSummary errors={errors} labels={labelsOf(inputs)} scope="snippet" />
    {Object.values(inputs).map((input, at) => (
      <Field
        scope="snippet"
        {...input}
        value={values[input.name]}
        errors={errors}
        autocomplete="off"
        autofocus={at === 0}
        {...(input.name === "text" && { lines: 8 })}
      />
    ))}
    <DialogFooter cancel={snippetsPath}>Save snippet</DialogFooter>
  </Form>
);
