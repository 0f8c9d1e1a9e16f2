import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Field } from "../../components/forms/field";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";

type FindProps = { value?: string; errors?: FieldError[] };

const label = "Email address";

/** Asks for an address, and leads to the page with everything under it. */
export const FindPerson = ({ value, errors = [] }: FindProps) => (
  <>
    <Crumb href={paths.newsletter}>Newsletter</Crumb>
    <Head
      title="Find a person"
      lead="Everything that is stored under an email address, to show, export or erase it. Also for people who never subscribed."
    />
    <section class="card narrow" aria-label="Find a person">
      <form method="get" action={paths.people} class="body stack">
        <ErrorSummary errors={errors} labels={{ address: label }} scope="find" />
        <Field
          scope="find"
          name="address"
          label={label}
          type="email"
          value={value}
          errors={errors}
          required
          maxlength={200}
          autocomplete="off"
          autofocus
        />
        <div class="row">
          <button type="submit" class="btn primary">
            Show
          </button>
        </div>
      </form>
    </section>
  </>
);
