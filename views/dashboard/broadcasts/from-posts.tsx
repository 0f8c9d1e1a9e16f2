import type { PostRule } from "../../../db/broadcasts/from-posts/rules";
import { Badge } from "../../components/badge";
import { Fields, type FormState } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { EmptyList } from "../../components/list";
import { type Column, ColumnTable } from "../../components/lists/column-table";
import { Menu, RowButton, RowLink } from "../../components/lists/row-actions";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";
import { CreateLink, Crumb, Head } from "../shell";

export const path = paths.fromPosts;

/** A rule with the names of its tag and topic. A tag that is gone is undefined. */
export type NamedRule = PostRule & { tag: string | undefined; topic: string | undefined };

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

const outcome: Record<PostRule["becomes"], string> = {
  none: "Nothing is sent",
  draft: "A draft newsletter",
  send: "Sent 10 minutes later",
};

const offReasons: Record<string, string> = {
  creator: "Off: who made it was removed",
  restored: "Off: it comes from a backup",
};

const columns: Column<NamedRule>[] = [
  {
    title: "Posts",
    kind: "main",
    cell: (rule) => (
      <>
        <span class="who">{postsOf(rule)}</span>
        <span class="sub">
          {outcome[rule.becomes]}
          {rule.becomes !== "none" && `, for ${rule.topic ? `who chose ${rule.topic}` : "everyone"}`}
        </span>
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

export const RuleList = ({ frame, rules }: { frame: Frame; rules: NamedRule[] }) =>
  rules.length === 0 ? (
    <EmptyList label="Rules" icon="megaphone" title="No rules yet">
      <p>With a rule, a published post becomes a draft newsletter, or is sent automatically.</p>
    </EmptyList>
  ) : (
    <section class="list" id="list" aria-label="Rules">
      <Form action={path} token={frame.token}>
        <ColumnTable caption="Rules" columns={columns} rows={rules} actions={(rule) => <Actions rule={rule} />} />
      </Form>
    </section>
  );

const Actions = ({ rule }: { rule: NamedRule }) => {
  const { id, offReason } = rule;
  const name = postsOf(rule);
  return (
    <>
      <RowButton
        id={`up-${id}`}
        action={`${path}/${id}/up`}
        label={`Move ${name} up`}
        title="Move up"
        icon="chevron-up"
      />
      <RowLink id={`edit-${id}`} href={`${path}/${id}/edit`} label="Edit" of={name} />
      <Menu id={id} label={`More actions for ${name}`}>
        <button type="submit" class="btn quiet" formaction={`${path}/${id}/${offReason === null ? "off" : "on"}`}>
          {offReason === null ? "Turn off" : "Turn on"}
        </button>
        <button type="submit" class="btn quiet" formaction={`${path}/${id}/delete`}>
          Delete
        </button>
      </Menu>
    </>
  );
};

type FormProps = { frame: Frame; form: FormState; action: string; verb: string };

export const RuleForm = ({ frame, form, action, verb }: FormProps) => (
  <Form action={action} token={frame.token} class="stack">
    <Fields scope="rule" {...form} />
    <p class="hint">
      It applies to posts that are published for the first time from now on: not to imported ones, nor to those dated
      more than 7 days ago. A post that has a newsletter already, or is sent in its publish dialog, is left alone.
    </p>
    <DialogFooter cancel={path}>{verb}</DialogFooter>
  </Form>
);
