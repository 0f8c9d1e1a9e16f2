import { Form } from "../../components/forms/form";
import type { FieldError } from "../../components/forms/field-errors";
import { Field, type Input } from "../../components/forms/fields";
import type { Frame } from "../../components/frame";
import { number } from "../../components/list";
import { paths } from "../../paths";

/** What is known of a picture beside its file. */
export type PictureFacts = {
  width: number | null;
  height: number | null;
  /** Whether it has been read, and whether that could be done. Null: not yet. */
  picture: "opaque" | "transparent" | "as-is" | "unreadable" | null;
  alt: string | null;
  focalX: number | null;
  focalY: number | null;
};

/** "3,000 × 2,000", or why that is not known. */
export const dimensionsOf = ({ width, height, picture }: Omit<PictureFacts, "alt" | "focalX" | "focalY">) =>
  width && height ? `${number(width)} × ${number(height)}` : picture ? "Unknown" : "Not read yet";

export type FocalPoint = Pick<PictureFacts, "focalX" | "focalY">;

const middle = 50; // percent

/** Steps of the focal point, in percent. public/storage/focal.css has a class for each. */
const step = 5;
const stepped = (percent: number | null) => Math.round((percent ?? middle) / step) * step;

/** The classes that keep the focal point of a picture in view where it is cropped. */
export const focalClass = ({ focalX, focalY }: FocalPoint) => `focal fx-${stepped(focalX)} fy-${stepped(focalY)}`;

type Described = { file: PictureFacts & { id: string }; alt?: string | undefined; errors?: FieldError[] };

/** The alternative text of a picture, and the point of it that stays in view. */
export const DescribePicture = ({
  frame,
  src,
  input,
  file,
  alt = file.alt ?? "",
  errors,
}: Described & DescribeView) => (
  <section class="card" id="describe-picture" aria-labelledby="describe-title">
    <Form action={`${paths.file(file.id)}/describe`} token={frame.token} id="describe" class="body stack" guard>
      <h2 id="describe-title">Description</h2>
      <Field
        {...input}
        label="Alternative text"
        value={alt}
        lines={2}
        errors={errors ?? []}
        hint="What the picture shows, for people who cannot see it. Covers use it immediately. It is offered wherever you choose the picture; texts that show it already keep theirs."
      />
      <fieldset class="stack focal-point">
        <legend>Focal point</legend>
        <div class="crops" aria-hidden="true">
          {["wide", "square", "tall"].map((shape) => (
            <span class={shape}>
              <img src={src} alt="" class={focalClass(file)} />
            </span>
          ))}
        </div>
        <p class="hint">
          This point stays in view where the picture is cropped.
          <span class="with-script"> Click on the picture to set it.</span>
        </p>
        <Position name="focalX" label="From the left" value={stepped(file.focalX)} />
        <Position name="focalY" label="From the top" value={stepped(file.focalY)} />
      </fieldset>
      <div class="row">
        <button type="submit" class="btn primary" id="save-description">
          Save description
        </button>
      </div>
    </Form>
  </section>
);

type DescribeView = {
  frame: Frame;
  /** Of a small size of the picture. */
  src: string;
  /** The field of the alternative text. */
  input: Input;
};

const Position = ({ name, label, value }: { name: "focalX" | "focalY"; label: string; value: number }) => (
  <div class="position">
    <label for={`f-${name}`}>{label}</label>
    <input type="range" id={`f-${name}`} name={name} min="0" max="100" step={String(step)} value={String(value)} />
  </div>
);
