import { Icon } from "../../../components/icon";
import { CopyButton } from "../../../components/copy-button";

type Fix = { problem: string; action: string; commands?: readonly string[] };
export type CapabilityShown = {
  check: string;
  title: string;
  found: string | undefined;
  state: "fine" | "broken" | "flawed" | "unknown";
  fix?: Fix | undefined;
};

const icons = { fine: "check", broken: "x", flawed: "triangle-alert", unknown: "ellipsis" } as const;
const words = { fine: "Passed", broken: "Failed", flawed: "Warning", unknown: "Not tested" } as const;

export const CapabilityLine = ({ title, state, fix, at }: CapabilityShown & { at: number }) => (
  <li class={state}>
    <Icon name={icons[state]} />
    <div>
      <p>
        <strong>{title}</strong>
        <span class="answer">{words[state]}</span>
      </p>
      {fix && (
        <div class="fix">
          <p>{fix.problem}</p>
          <p>
            <strong>Fix:</strong> {fix.action}
          </p>
          {fix.commands?.map((command, i) => (
            <div class="commands">
              <pre id={`fix-${at}-${i}`} tabindex="0" aria-label={`Command for: ${title}`}>
                {command}
              </pre>
              <CopyButton from={`fix-${at}-${i}`} class="btn sm" />
            </div>
          ))}
        </div>
      )}
    </div>
  </li>
);
