import type { Frame } from "../../components/frame";
import { exact } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { Section } from "./settings";

type AccessProps = {
  frame: Frame;
  /** When two-step verification became required for everyone; undefined if it is not. */
  since: Date | undefined;
};

/** What decides who gets in, and where each of it is changed. */
export const Access = ({ frame, since }: AccessProps) => (
  <Section id="access" title="Access" about="Each has a page of its own.">
    <ul class="card lines">
      <Line title="Two-step verification" href={`${paths.managers}#two-step`} link="Change" frame={frame}>
        {since
          ? `Required from everyone since ${exact(since, frame.preferences)}.`
          : "Each manager’s choice. Owners can require it from everyone."}
      </Line>
      <Line title="Managers and roles" href={paths.managers} link="Open" frame={frame}>
        Who has access, and what each of them can see and do. Owners invite and remove.
      </Line>
      <Line title="API keys" href={paths.apiKeys} link="Open" frame={frame}>
        What your sites and programs may read and write.
      </Line>
      <Line title="Audit log" href={paths.audit} link="Open" frame={frame}>
        Who signed in, and what was changed.
      </Line>
      <Line title="Your account" href={paths.account} link="Open" frame={frame}>
        Password, passkeys, two-step verification and your devices.
      </Line>
    </ul>
  </Section>
);

type LineProps = { title: string; href: string; link: string; frame: Frame; children?: Child };

const Line = ({ title, href, link, frame, children }: LineProps) => (
  <li class="row spread">
    <span>
      <strong>{title}</strong>
      <span class="sub">{children}</span>
    </span>
    {frame.may(href) && (
      <a class="btn sm" href={href} aria-label={`${link}: ${title}`}>
        {link}
      </a>
    )}
  </li>
);
