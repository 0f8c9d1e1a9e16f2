import { statusOf } from "../../db/newsletter/rules";
import type { Profile } from "../../db/newsletter/by-row";

const time = (at: Date | null) => at?.toISOString() ?? null;

/** A subscriber as programs read it. */
export function subscriberJson({ subscriber, about, suppression }: Profile) {
  const { consentNote: how, consentAt, consentUrl: url } = subscriber;
  return {
    id: subscriber.id,
    email: subscriber.email,
    name: subscriber.name,
    status: statusOf(subscriber),
    source: subscriber.source,
    language: subscriber.language,
    timeZone: subscriber.timeZone,
    tags: about.tags,
    topics: about.topics.flatMap(({ slug, chosen }) => (chosen ? slug : [])),
    fields: Object.fromEntries(about.fields.map(({ field, value }) => [field.key, value])),
    consent: how === null ? null : { how, at: time(consentAt), url },
    joinedAt: time(subscriber.createdAt),
    confirmedAt: time(subscriber.confirmedAt),
    unsubscribedAt: time(subscriber.unsubscribedAt),
    pausedUntil: time(subscriber.pausedUntil),
    suppression: suppression && { reason: suppression.reason, at: time(suppression.at) },
    updatedAt: time(subscriber.updatedAt),
  };
}
