import type { Notice } from "../../views/components/frame";

/** Notices for the page that a session opens next, after a redirect. In memory: losing one does no harm. */
const waiting = new Map<string, Notice[]>();
const maxSessions = 1_000;

export function leaveNotice(sessionId: string, notice: Notice) {
  if (waiting.size >= maxSessions) waiting.clear();
  waiting.set(sessionId, [...(waiting.get(sessionId) ?? []).slice(-2), notice]);
}

export function takeNotices(sessionId: string): Notice[] {
  const notices = waiting.get(sessionId) ?? [];
  waiting.delete(sessionId);
  return notices;
}
