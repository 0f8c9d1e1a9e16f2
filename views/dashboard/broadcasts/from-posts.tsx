import type { PostRule } from "../../../db/broadcasts/from-posts/rules";
import { Badge } from "../../components/badge";
import { Fields, type FormState } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { EmptyList, plural } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/table";
import { Menu, MenuButton, MenuLink } from "../../components/lists/row-actions";
import { exact } from "../../components/time";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { CreateLink, Crumb, Head } from "../shell";

export const path = paths.fromPosts;

/** A rule with the names of its tag and topic. A tag that is gone is undefined. */
export type NamedRule = PostRule & {
  tag: string | undefined;
  topic: string | undefined;
  /** The hour of its digest. */
  time: string;
  /** The titles of posts that wait for its digest, the earliest first. */
  waiting: string[];
};

/** The days of the week, as digests count them from 1. */
export const weekdays = ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"];

export const FromPostsHead = () => (
  <>
    <Crumb href={paths.broadcasts}>Broadcasts</Crumb>
    <Head
      title="From posts"
      lead="What a post becomes when it is published for the first time. The first rule that fits decides; without one, nothing is sent."
    >
      <CreateLink id="add" href={`${path}/new`} isDialog>
        Add rule
      </CreateLink>
    </Head>
  </>
);

const postsOf = ({ tagSlug, tag }: NamedRule): string =>
  tagSlug === null ? "All posts" : `Posts with the tag ${tag ?? tagSlug}`;

const outcomes: Record<Exclude<PostRule["becomes"], "digest">, string> = {
  none: "Nothing is sent",
  draft: "A draft newsletter",
  send: "Sent 10 minutes later",
};

function outcomeOf({ becomes, weekday, time, zone }: NamedRule): string {
  if (becomes !== "digest") return outcomes[becomes];
  const day = weekdays[(weekday ?? 1) - 1];
  return `A weekly digest, ${day} at ${time} (${zone?.replaceAll("_", " ")})`;
}

/** What is gathered for a digest, and when it goes out. */
const DigestLine = ({ rule, frame, most }: { rule: NamedRule; frame: Frame; most: number }) => {
  const { waiting, nextAt, offReason } = rule;
  const [titles, more] = [waiting.slice(0, most), waiting.length - most];
  const when = offReason === null && nextAt ? exact(nextAt, frame.preferences) : undefined;
  if (!waiting.length) return <span class="sub">No post waits for it.{when && ` Next time: ${when}.`}</span>;
  return (
    <span class="sub">
      {when ? `Goes out at ${when} with ` : "Waiting until it is on: "}
      {titles.map((title) => `“${title}”`).join(", ")}.
      {more > 0 && ` ${plural(more, "more post waits", "more posts wait")}.`}
    </span>
  );
};

const offReasons: Record<string, string> = {
  creator: "Off: who made it is no longer a manager",
  restored: "Off: it comes from a backup",
};

const columnsOf = (frame: Frame, most: number): Column<NamedRule>[] => [
  {
    title: "Posts",
    kind: "main",
    cell: (rule) => (
      <>
        <span class="who">{postsOf(rule)}</span>
        <span class="sub">
          {outcomeOf(rule)}
          {rule.becomes !== "none" && `, for ${rule.topic ? `who chose ${rule.topic}` : "everyone"}`}
        </span>
        {rule.becomes === "digest" && <DigestLine rule={rule} frame={frame} most={most} />}
        {rule.tagSlug !== null && rule.tag === undefined && <span class="sub">No post has this tag now.</span>}
      </>
    ),
  },
  {
    title: "Status",
    kind: "state",
    cell: ({ offReason }) =>
      offReason === null ? <Badge tone="good">On</Badge> : <Badge tone="off">{offReasons[offReason] ?? "Off"}</Badge>,
  },
];

/** @param most how many posts a digest has */
export const RuleList = ({ frame, rules, most }: { frame: Frame; rules: NamedRule[]; most: number }) =>
  rules.length === 0 ? (
    <EmptyList label="Rules" drawing="typewriter" title="No rules yet">
      <p>
        With a rule, a published post becomes a draft newsletter, is sent automatically, or waits for a weekly digest.
      </p>
    </EmptyList>
  ) : (
    <section class="list" id="list" aria-label="Rules">
      <Form action={path} token={frame.token}>
        <ColumnTable
          caption="Rules"
          columns={columnsOf(frame, most)}
          rows={rules}
          actions={(rule) => <Actions rule={rule} />}
        />
      </Form>
    </section>
  );

const Actions = ({ rule }: { rule: NamedRule }) => {
  const { id, offReason, waiting } = rule;
  const name = postsOf(rule);
  return (
    <Menu id={id} label={`Actions for ${name}`}>
      <MenuLink id={`edit-${id}`} href={`${path}/${id}/edit`} icon="pencil">
        Edit…
      </MenuLink>
      <MenuButton id={`up-${id}`} action={`${path}/${id}/up`} icon="chevron-up" isPlain>
        Move up
      </MenuButton>
      {offReason === null ? (
        <MenuButton id={`off-${id}`} action={`${path}/${id}/off`} icon="pause" isPlain>
          Turn off
        </MenuButton>
      ) : (
        <MenuButton id={`on-${id}`} action={`${path}/${id}/on`} icon="play" isPlain>
          Turn on
        </MenuButton>
      )}
      {waiting.length > 0 && (
        <MenuButton id={`skip-${id}`} action={`${path}/${id}/skip`} icon="x" isPlain>
          Leave out what waits
        </MenuButton>
      )}
      <MenuButton id={`delete-${id}`} action={`${path}/${id}/delete`} icon="trash-2" isPlain hotkey="#">
        Delete
      </MenuButton>
    </Menu>
  );
};

type FormProps = { frame: Frame; form: FormState; action: string; verb: string };

export const RuleForm = ({ frame, form, action, verb }: FormProps) => (
  <Form action={action} token={frame.token} class="stack">
    <Fields scope="rule" {...form} />
    <p class="hint">
      It applies to posts that are published for the first time from now on: not to imported ones, nor to those dated
      more than 7 days ago. A post that has a newsletter already, or is sent in its publish dialog, is left alone. A
      digest without posts is not sent; one with posts can be stopped under Broadcasts in the 10 minutes before.
    </p>
    <DialogFooter cancel={path}>{verb}</DialogFooter>
  </Form>
);
