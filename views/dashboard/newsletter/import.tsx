import { Help } from "../../components/help";
import { Check, Choice, Field, FileField, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Fact } from "../../components/fact";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import type { FieldError } from "../../components/forms/field-errors";
import { Icon } from "../../components/icon";
import { plural } from "../../components/list";
import type { Child } from "../../jsx/jsx-runtime";

const steps = ["File", "Columns", "Review"];

/** @param at the current step, from 1 */
export const ImportSteps = ({ at }: { at: number }) => (
  <ol class="walked" aria-label="Steps of the import">
    {steps.map((name, i) => (
      <li aria-current={i + 1 === at ? "step" : undefined}>{name}</li>
    ))}
  </ol>
);

type ImportProps = { frame: Frame; problem?: string | undefined; consent: Input & { value: string } };

export const ImportPage = ({ frame, problem, consent }: ImportProps) => (
  <>
    <Crumb href={paths.newsletter}>Subscribers</Crumb>
    <Head
      title="Import subscribers"
      lead={
        <>
          Upload a list. You can check its columns and review the changes before importing. <Help of="import" />
        </>
      }
    />
    <ImportSteps at={1} />
    <div class="columns">
      <Form action={paths.newsletterImport} token={frame.token} class="card stack" encoding="multipart/form-data" plain>
        <div class="body">
          <FileField id="file" label="File" accept=".csv,.txt,.json,.sql,text/csv,application/json" problem={problem}>
            Up to 32 MB; use the command line for larger files. Keep the name of the file: Mailchimp’s says whom it
            lists.
          </FileField>
          <Field {...consent} lines={2} />
          <div class="save">
            <button type="submit" class="btn primary">
              Continue
            </button>
          </div>
        </div>
      </Form>
      <Readable />
    </div>
  </>
);

const Readable = () => (
  <section class="card" aria-labelledby="readable-title">
    <header>
      <h2 id="readable-title">What can be imported</h2>
    </header>
    <dl class="body facts">
      <Fact name="Exports">
        CSV files of Postroom, Mailchimp, Substack, Ghost, listmonk, Buttondown, beehiiv, Kit, Keila and MailerLite
      </Fact>
      <Fact name="Other lists">Any CSV file whose first line names the columns</Fact>
      <Fact name="With their lists">
        The people of listmonk’s or Ghost’s API as JSON, or a dump of either’s database: these say who is on which list
      </Fact>
    </dl>
  </section>
);

type Column = { name: string; field: string; values: string[] };
type Options = readonly (readonly [value: string, label: string])[];
type Word = { word: string; text: string; count: number; isKnown: boolean; meaning: string };
/** How the file is read: recognised at first, and editable. */
type FileFacts = {
  encoding: string;
  encodings: Options;
  /** Whether the first rows have characters that cannot be read. */
  isDamaged: boolean;
  listed: string;
  dates: { column: number; name: string; format: string; example: string } | undefined;
  dateFormats: Options;
  words: Word[];
};
/** What the file may do besides adding people. `begin`: undefined if no sequence begins with a tag or topic. */
type Choices = { revive: boolean; update: boolean; begin: boolean | undefined };
type MatchProps = {
  frame: Frame;
  token: string;
  columns: Column[];
  /** What a column can be matched with. */
  fields: Options;
  file: FileFacts;
  choices: Choices;
  problem?: string | undefined;
  errors: FieldError[];
};

/** Assigns fields to the columns, and says how the file is read: guessed at first, and editable. */
export const MatchColumnsPage = ({ frame, token, columns, fields, file, choices, problem, errors }: MatchProps) => (
  <>
    <Crumb href={paths.newsletterImport}>Import subscribers</Crumb>
    <Head title="Match the columns" lead="Check how your file is read. Nothing has been imported yet." />
    <ImportSteps at={2} />
    <Form action={`${paths.newsletterImport}/review`} token={frame.token} class="card stack narrow" plain>
      <div class="body">
        <input type="hidden" name="upload" value={token} />
        {problem && <Problem>{problem}</Problem>}
        <fieldset class="matches">
          <legend>Columns, with their first rows</legend>
          <Columns columns={columns} fields={fields} />
        </fieldset>
        <p class="hint">
          <strong>Status</strong> is a word such as “subscribed”, or yes or no. <strong>Unsubscribed</strong> is a date,
          or yes or no; <strong>Unsubscribed (text)</strong> is free text of which only words such as “unsubscribed”
          count. People become active only if every status column says so. <strong>Topics</strong> are names that people
          see, such as the groups of Mailchimp; <strong>tags</strong> only you see. A new field is called after its
          column.
        </p>
        <HowRead file={file} errors={errors} />
        {file.words.length > 0 && <StatusWords words={file.words} />}
        <PeopleHere {...choices} />
        <div class="save">
          <button type="submit" class="btn primary">
            Review import
          </button>
          <button type="submit" class="btn" formaction={`${paths.newsletterImport}/columns`}>
            Read again
          </button>
          <a class="btn" href={paths.newsletterImport}>
            Choose another file
          </a>
        </div>
      </div>
    </Form>
  </>
);

const Columns = ({ columns, fields }: Pick<MatchProps, "columns" | "fields">) => (
  <>
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
  </>
);

/** What the file may change about people who are here already, and what it may begin. */
const PeopleHere = ({ revive, update, begin }: Choices) => (
  <>
    <Check
      name="revive"
      label="Also reactivate people who unsubscribed here"
      checked={revive}
      hint="Only if they asked you to. Otherwise people who unsubscribed stay unsubscribed."
    />
    <Check
      name="update"
      label="Also change people who are already here"
      checked={update}
      hint="They get the tags and topics of the file, and its fields, language and time zone instead of theirs; never a topic that they left. Otherwise a file changes nothing about them, unless it says that they left."
    />
    {begin !== undefined && (
      <Check
        name="begin"
        label="Also begin sequences"
        checked={begin}
        hint="People who get a tag or topic with which a sequence begins get its emails. Otherwise no one gets an email of a sequence because of this."
      />
    )}
  </>
);

const Problem = ({ children }: { children: Child }) => (
  <p class="error" role="alert">
    <Icon name="circle-alert" />
    {children}
  </p>
);

const listed = [
  ["stated", "As each row says"],
  ["left", "All of them have unsubscribed"],
  ["never", "None of them ever agreed"],
] as const;

const listedHints: Record<string, string> = {
  stated:
    "Whether they are subscribed. Mailchimp says so in the name of a file: “unsubscribed_”, “cleaned_” or “nonsubscribed_” at its beginning.",
  left: "Recognised by the name of the file. All of them are imported as unsubscribed.",
  never: "Recognised by the name of the file. These people are in it although they never agreed, so none is imported.",
};

/** Encoding, people and dates. */
const HowRead = ({ file, errors }: Pick<MatchProps, "file" | "errors">) => (
  <fieldset class="matches">
    <legend>The file</legend>
    <input type="hidden" name="shown" value={file.encoding} />
    {file.isDamaged && (
      <Problem>Some characters cannot be read (�). Choose another encoding, then “Read again”.</Problem>
    )}
    <Choice
      name="encoding"
      label="Encoding"
      value={file.encoding}
      options={file.encodings}
      errors={errors}
      hint="Recognised. If names look wrong above, choose another one, then “Read again”."
    />
    <Choice name="listed" label="People" value={file.listed} options={listed} hint={listedHints[file.listed]} />
    {file.dates && <Dates dates={file.dates} options={file.dateFormats} errors={errors} />}
  </fieldset>
);

type DatesProps = { dates: NonNullable<FileFacts["dates"]>; options: Options; errors: FieldError[] };

const Dates = ({ dates: { column, name, format, example }, options, errors }: DatesProps) => (
  <>
    <input type="hidden" name="dated" value={String(column)} />
    <Choice
      name="dates"
      label={`Dates in “${name}”`}
      value={format}
      options={format === "ask" ? [["ask", "Choose…"], ...options] : options}
      errors={errors}
      hint={
        format === "ask"
          ? `${example} can be read in two ways.`
          : "Recognised. People whose date cannot be read are imported without it."
      }
    />
  </>
);

const meanings = [
  ["active", "Subscribed"],
  ["unsubscribed", "Unsubscribed"],
  ["refused", "Not imported"],
] as const;

const StatusWords = ({ words }: { words: Word[] }) => (
  <fieldset class="matches">
    <legend>What the words for the status mean</legend>
    {words.map(({ word, text, count, isKnown, meaning }, at) => (
      <>
        <input type="hidden" name="word" value={word} />
        <Choice
          scope={`word-${at}`}
          name="meaning"
          label={text}
          value={meaning}
          options={meanings}
          hint={`${plural(count, "row")}${isKnown ? "" : ". Postroom does not know this word."}`}
        />
      </>
    ))}
  </fieldset>
);

const longest = 60; // characters of a value that are shown

const firstValues = ({ values }: Column) =>
  values.some((text) => text.trim())
    ? values.map((text) => (text.length > longest ? `${text.slice(0, longest)}…` : text || "–")).join(" · ")
    : "Empty in the first rows";
