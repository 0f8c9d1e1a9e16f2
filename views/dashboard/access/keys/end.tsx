import type { ListedKey } from "../../../../db/access/keys/list";
import { Badge } from "../../../components/badge";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { plural } from "../../../components/list";
import { date, exact } from "../../../components/time";
import { paths } from "../../../paths";

type Props = { apiKey: ListedKey; frame: Frame };

const dayMs = 86_400_000;
const soonDays = 30;

/** Whether the key is accepted, and if not, why. */
export function KeyState({ apiKey }: Pick<Props, "apiKey">) {
  if (!apiKey.active) return <Badge tone="off">Inactive</Badge>;
  if (!apiKey.isAccepted) return <Badge tone="off">Expired</Badge>;
  return apiKey.replacedBy ? <Badge tone="warn">Being replaced</Badge> : <Badge tone="good">Active</Badge>;
}

/** When the key stops. */
export function End({ apiKey, frame }: Props) {
  const { active, expiresAt, replacedBy } = apiKey;
  if (!expiresAt || !active) return <span class="none">{active ? "Never" : "–"}</span>;
  const left = Math.ceil((expiresAt.getTime() - frame.now.getTime()) / dayMs);
  const isLeft = left > 0;
  const at = (
    <time datetime={expiresAt.toISOString()} title={`${exact(expiresAt, "UTC")} UTC`}>
      {isLeft && replacedBy ? `Stops ${exact(expiresAt, frame.preferences)}` : date(expiresAt, frame.preferences)}
    </time>
  );
  return isLeft && !replacedBy && left <= soonDays ? <Badge tone="warn">In {plural(left, "day")}</Badge> : at;
}

/** A replaced key can be extended, any other can be replaced, and both can be stopped now. */
export function KeyActions({ apiKey, frame }: Props) {
  const { id, name, replacedBy } = apiKey;
  const url = `${paths.apiKeys}/${id}`;
  if (!apiKey.isAccepted) return null;
  return (
    <>
      {replacedBy ? (
        <Form action={`${url}/extend`} token={frame.token}>
          <button type="submit" class="btn quiet sm" id={`extend-${id}`} aria-label={`7 more days for the old ${name}`}>
            7 more days
          </button>
        </Form>
      ) : (
        <a class="btn quiet sm" id={`replace-${id}`} href={`${url}/replace`} aria-label={`Replace ${name}`}>
          Replace…
        </a>
      )}
      <a
        class="btn quiet sm"
        id={`deactivate-${id}`}
        href={`${url}/deactivate`}
        hx-get={`${url}/deactivate`}
        hx-target="#dialog"
        aria-label={`Deactivate ${name}`}
      >
        Deactivate
      </a>
    </>
  );
}
