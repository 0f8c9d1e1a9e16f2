import type { Frame } from "../../components/frame";
import { exact } from "../../components/time";
import { paths } from "../../paths";
import { Line, Section } from "./settings";

type AccessProps = {
  frame: Frame;
  /** When two-step verification became required for everyone; undefined if it is not. */
  since: Date | undefined;
};

/** What decides who gets in, and where each of it is changed. */
export const Access = ({ frame, since }: AccessProps) => (
  <Section id="access" title="Access" about="Each has a page of its own.">
    <ul class="card lines">
      <Line title="Two-step verification" href={`${paths.account}#second-step`} frame={frame}>
        {since
          ? `Required from everyone since ${exact(since, frame.preferences)}. Set up yours on your account page.`
          : "Set up yours on your account page."}
      </Line>
      <Line title="Managers and roles" href={paths.managers} frame={frame}>
        Who has access, and what each of them can see and do. Owners invite, remove, and can require two-step
        verification.
      </Line>
      <Line title="API keys" href={paths.apiKeys} frame={frame}>
        What your sites and programs may read and write.
      </Line>
      <Line title="Audit log" href={paths.audit} frame={frame}>
        Who signed in, and what was changed.
      </Line>
      <Line title="Your account" href={paths.account} frame={frame}>
        Password, passkeys, two-step verification and your devices.
      </Line>
    </ul>
  </Section>
);
