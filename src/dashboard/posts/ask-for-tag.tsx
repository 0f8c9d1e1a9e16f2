import { Field } from "../../../views/components/forms/field";
import { Form } from "../../../views/components/forms/form";
import type { Frame } from "../../../views/components/frame";
import { path } from "../../../views/dashboard/posts/state";
import { ask } from "../responses";
import { type PostBulk, tagInput } from "./bulk";

/** Asks which tag to add to the posts, or to remove. */
export function askForTag(request: Request, frame: Frame, bulk: PostBulk, names: string[], isWrong: boolean) {
  const { ids, all, filter = "", tag = "" } = bulk;
  const chosen = all ? { all: [all] } : { ids };
  const errors = isWrong
    ? [{ field: "tag", message: "Enter a tag name of up to 50 characters, with letters or digits." }]
    : [];
  return ask(request, {
    frame,
    title: "Tag the selected posts",
    status: isWrong ? 422 : 200,
    children: (
      <Form action={`${path}/bulk`} token={frame.token} class="stack" label="Tag">
        {Object.entries({ ...chosen, filter: [filter] }).flatMap(([name, values]) =>
          values.map((value) => <input type="hidden" name={name} value={value} />),
        )}
        <Field {...tagInput} label="Tag" scope="move" value={tag} list="move-tags" errors={errors} required autofocus />
        <datalist id="move-tags">
          {names.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <footer>
          <a class="btn" href={`${path}?${filter}`} data-close>
            Cancel
          </a>
          <button type="submit" class="btn" name="do" value="untag">
            Remove tag
          </button>
          <button type="submit" class="btn primary" name="do" value="tag">
            Add tag
          </button>
        </footer>
      </Form>
    ),
  });
}
