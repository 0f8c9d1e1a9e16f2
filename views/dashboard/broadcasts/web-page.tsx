import type { LetterNode } from "../../newsletter/letter-tree";
import { LetterProse } from "../../newsletter/letter-prose";
import { PublicLayout } from "../../public-layout";

/** The text as its page on the web will show it, for the frame of the preview. */
export const WebPage = ({ subject, page }: { subject: string; page: LetterNode[] }) => (
  <PublicLayout title={subject}>
    <h1>{subject}</h1>
    <LetterProse nodes={page} />
  </PublicLayout>
);
