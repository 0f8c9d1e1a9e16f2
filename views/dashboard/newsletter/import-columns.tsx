import { Check } from "../../components/forms/check";
import { Choice } from "../../components/forms/choices";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";

const fields = [
  ["", "Ignore"],
  ["email", "Email address"],
  ["name", "Name"],
  ["first", "First name"],
  ["last", "Last name"],
  ["source", "Source"],
  ["status", "Status"],
  ["left", "Unsubscribed"],
  ["joined", "Joined"],
] as const;

type Column = { name: string; field: string; values: string[] };
type MatchProps = { frame: Frame; token: string; columns: Column[]; revive: boolean; problem?: string | undefined };

/** Assigns fields to the columns: guessed at first, and editable. */
export const MatchColumnsPage = ({ frame, token, columns, revive, problem }: MatchProps) => (
  <>
    <Crumb href={paths.newsletterImport}>Import subscribers</Crumb>
    <Head title="Match the columns" lead="Check what each column of your file is. Nothing has been imported yet." />
    <Form action={`${paths.newsletterImport}/review`} token={frame.token} class="card stack narrow" plain>
      <div class="body">
        <input type="hidden" name="upload" value={token} />
        {problem && (
          <p class="error" role="alert">
            <Icon name="circle-alert" />
            {problem}
          </p>
        )}
        <fieldset class="matches">
          <legend>Columns, with their first rows</legend>
          {columns.map((column, at) => (
            <Choice
              scope={`column-${at}`}
              name="columns"
              label={column.name.trim() || `Column ${at + 1}`}
              value={column.field}
              options={fields}
              hint={firstValues(column)}
            />
          ))}
        </fieldset>
        <p class="hint">
          <strong>Status</strong> is a word such as “subscribed”, or yes or no. <strong>Unsubscribed</strong> is a date,
          or yes or no. Only people whose columns all say that they are subscribed become active.
        </p>
        <Check
          name="revive"
          label="Also reactivate people who unsubscribed here"
          checked={revive}
          hint="Only if they asked you to. Otherwise people who unsubscribed stay unsubscribed."
        />
        <div class="save">
          <button type="submit" class="btn primary">
            Review import
          </button>
          <a class="btn" href={paths.newsletterImport}>
            Choose another file
          </a>
        </div>
      </div>
    </Form>
  </>
);

const longest = 60; // characters of a value that are shown

const firstValues = ({ values }: Column) =>
  values.some((text) => text.trim())
    ? values.map((text) => (text.length > longest ? `${text.slice(0, longest)}…` : text || "–")).join(" · ")
    : "Empty in the first rows";
