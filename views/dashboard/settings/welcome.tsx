import { DialogLink } from "../../components/buttons";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { paths } from "../../paths";
import { CopyOffer } from "../posts/editor/tools";
import { Crumb, Head } from "../shell";
import { SectionForm, type SectionView } from "./section";

type WelcomeProps = {
  frame: Frame;
  section: SectionView;
  /** Whether anything differs from the default. */
  isChanged: boolean;
  /** What is worth knowing about the text. */
  checks: { sentence: string; line?: number }[];
  /** The sequence from which it is edited, whose first email it is. */
  sequence?: { id: string; name: string } | undefined;
};

const path = paths.welcome;
const previewName = "welcome-preview";

/** The text of the welcome email. The preview is a frame to which the form is sent, so no script is needed. */
export const WelcomePage = ({ frame, section, isChanged, checks, sequence }: WelcomeProps) => (
  <div id="welcome">
    {sequence ? (
      <Crumb href={`${paths.sequences}/${sequence.id}`}>{sequence.name}</Crumb>
    ) : (
      <Crumb href={paths.newsletterSettings}>Settings</Crumb>
    )}
    <Head
      title="Welcome email"
      lead="What new subscribers receive. With double opt-in, they get it once they have confirmed."
    />
    <CopyOffer />
    <div class="welcome-words">
      <div>
        {checks.map((check) => (
          <div class="note">
            <Icon name="triangle-alert" />
            <p>
              {check.line && `Line ${check.line}: `}
              {check.sentence}
            </p>
          </div>
        ))}
        <SectionForm section={section} frame={frame} isText>
          <button type="submit" class="btn" formaction={`${path}/preview`} formtarget={previewName} data-plain>
            Preview
          </button>
          {isChanged && <Reset />}
        </SectionForm>
      </div>
      <Preview />
    </div>
  </div>
);

const Reset = () => (
  <DialogLink class="btn quiet" id="reset-welcome" href={`${path}/reset`}>
    Reset…
  </DialogLink>
);

const Preview = () => (
  <section class="card preview" aria-labelledby="preview-title">
    <header>
      <h2 id="preview-title">Preview</h2>
      <p class="hint">Shown without a name; the unsubscribe link is a placeholder.</p>
    </header>
    <iframe name={previewName} src={`${path}/preview`} sandbox="" title="Preview of the welcome email" tabindex="0" />
  </section>
);
