import type { Notice } from "../../views/components/frame";

/** Notices for the next page of a session, on the way without JavaScript. In memory: one lost is no harm. */
const waiting = new Map<string, Notice[]>();
const mostSessions = 1_000;

export function leaveNotice(sessionId: string, notice: Notice) {
  if (waiting.size >= mostSessions) waiting.clear();
  waiting.set(sessionId, [...(waiting.get(sessionId) ?? []).slice(-2), notice]);
}

export function takeNotices(sessionId: string): Notice[] {
  const notices = waiting.get(sessionId) ?? [];
  waiting.delete(sessionId);
  return notices;
}
