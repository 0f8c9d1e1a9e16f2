ALTER TABLE `broadcasts` ADD `reviewed_answered` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `broadcasts` ADD `refused_bounces` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriber_days` ADD `suppressed` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- By hand from here. Each accepted email has one reported result, and each subscriber one status, so that figures add up
DROP TRIGGER `broadcast_recipients_count_insert`;
--> statement-breakpoint
DROP TRIGGER `broadcast_recipients_count_update`;
--> statement-breakpoint
CREATE TRIGGER `broadcast_recipients_count_insert` AFTER INSERT ON `broadcast_recipients` BEGIN
	UPDATE broadcasts SET claimed = claimed + 1,
		accepted = accepted + (new.state = 1),
		failed = failed + (new.state = 2),
		uncertain = uncertain + (new.state = 3),
		simulated = simulated + (new.state = 4),
		skipped = skipped + (new.state = 5),
		delivered = delivered + (new.state = 1 AND (new.complained_at IS NOT NULL OR new.bounced_at IS NULL AND new.delivered_at IS NOT NULL)),
		bounced = bounced + (new.state = 1 AND new.bounced_at IS NOT NULL AND new.complained_at IS NULL),
		soft_bounced = soft_bounced + (new.state = 1 AND new.soft_at IS NOT NULL AND new.delivered_at IS NULL AND new.bounced_at IS NULL AND new.complained_at IS NULL),
		refused_bounces = refused_bounces + (new.state = 2 AND new.bounced_at IS NOT NULL),
		complained = complained + (new.complained_at IS NOT NULL),
		unsubscribed = unsubscribed + (new.unsubscribed_at IS NOT NULL)
	WHERE row = new.broadcast_row;
END;
--> statement-breakpoint
CREATE TRIGGER `broadcast_recipients_count_update`
AFTER UPDATE OF `state`, `delivered_at`, `bounced_at`, `soft_at`, `complained_at`, `unsubscribed_at` ON `broadcast_recipients` BEGIN
	UPDATE broadcasts SET
		accepted = accepted + (new.state = 1) - (old.state = 1),
		failed = failed + (new.state = 2) - (old.state = 2),
		uncertain = uncertain + (new.state = 3) - (old.state = 3),
		simulated = simulated + (new.state = 4) - (old.state = 4),
		skipped = skipped + (new.state = 5) - (old.state = 5),
		delivered = delivered + (new.state = 1 AND (new.complained_at IS NOT NULL OR new.bounced_at IS NULL AND new.delivered_at IS NOT NULL)) - (old.state = 1 AND (old.complained_at IS NOT NULL OR old.bounced_at IS NULL AND old.delivered_at IS NOT NULL)),
		bounced = bounced + (new.state = 1 AND new.bounced_at IS NOT NULL AND new.complained_at IS NULL) - (old.state = 1 AND old.bounced_at IS NOT NULL AND old.complained_at IS NULL),
		soft_bounced = soft_bounced + (new.state = 1 AND new.soft_at IS NOT NULL AND new.delivered_at IS NULL AND new.bounced_at IS NULL AND new.complained_at IS NULL) - (old.state = 1 AND old.soft_at IS NOT NULL AND old.delivered_at IS NULL AND old.bounced_at IS NULL AND old.complained_at IS NULL),
		refused_bounces = refused_bounces + (new.state = 2 AND new.bounced_at IS NOT NULL) - (old.state = 2 AND old.bounced_at IS NOT NULL),
		complained = complained + (new.complained_at IS NOT NULL) - (old.complained_at IS NOT NULL),
		unsubscribed = unsubscribed + (new.unsubscribed_at IS NOT NULL) - (old.unsubscribed_at IS NOT NULL)
	WHERE row = new.broadcast_row;
END;
--> statement-breakpoint
UPDATE `broadcasts` SET
	delivered = sums.delivered,
	bounced = sums.bounced,
	soft_bounced = sums.soft_bounced,
	refused_bounces = sums.refused_bounces
FROM (
	SELECT broadcast_row, sum((state = 1 AND (complained_at IS NOT NULL OR bounced_at IS NULL AND delivered_at IS NOT NULL))) AS delivered, sum((state = 1 AND bounced_at IS NOT NULL AND complained_at IS NULL)) AS bounced, sum((state = 1 AND soft_at IS NOT NULL AND delivered_at IS NULL AND bounced_at IS NULL AND complained_at IS NULL)) AS soft_bounced, sum((state = 2 AND bounced_at IS NOT NULL)) AS refused_bounces
	FROM broadcast_recipients GROUP BY broadcast_row
) AS sums
WHERE sums.broadcast_row = broadcasts.row AND broadcasts.detail_gone_at IS NULL;
--> statement-breakpoint
DROP TRIGGER `subscribers_pending_insert`;
--> statement-breakpoint
DROP TRIGGER `subscribers_pending_delete`;
--> statement-breakpoint
DROP TRIGGER `subscribers_pending_update`;
--> statement-breakpoint
DROP TRIGGER `subscribers_suppressed_insert`;
--> statement-breakpoint
DROP TRIGGER `subscribers_suppressed_delete`;
--> statement-breakpoint
DROP TRIGGER `subscribers_suppressed_update`;
--> statement-breakpoint
CREATE TRIGGER `subscribers_pending_insert` AFTER INSERT ON `subscribers` WHEN new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_pending_delete` AFTER DELETE ON `subscribers` WHEN old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_pending_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NOT NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NOT NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NOT NULL) WHERE state = 'pending';
END;
--> statement-breakpoint
UPDATE `subscriber_counts` SET count = (SELECT count(*) FROM subscribers WHERE state = 'active' AND suppressed_at IS NULL AND pending_at IS NOT NULL) WHERE state = 'pending';
--> statement-breakpoint
CREATE TRIGGER `subscribers_suppressed_insert` AFTER INSERT ON `subscribers` WHEN new.state = 'active' AND new.suppressed_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'suppressed';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_suppressed_delete` AFTER DELETE ON `subscribers` WHEN old.state = 'active' AND old.suppressed_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'suppressed';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_suppressed_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NOT NULL) <> (old.state = 'active' AND old.suppressed_at IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NOT NULL) - (old.state = 'active' AND old.suppressed_at IS NOT NULL) WHERE state = 'suppressed';
END;
--> statement-breakpoint
UPDATE `subscriber_counts` SET count = (SELECT count(*) FROM subscribers WHERE state = 'active' AND suppressed_at IS NOT NULL) WHERE state = 'suppressed';
--> statement-breakpoint
-- The days, of people who get the newsletter: a pending one joins by confirming, and a suppressed one left without unsubscribing
DROP TRIGGER `subscriber_days_insert`;
--> statement-breakpoint
DROP TRIGGER `subscriber_days_update`;
--> statement-breakpoint
DROP TRIGGER `subscriber_days_delete`;
--> statement-breakpoint
CREATE TRIGGER `subscriber_days_insert` AFTER INSERT ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) BEGIN
	INSERT INTO subscriber_days (day, source, joined, imported)
		VALUES (new.created_at / 86400000, coalesce(new.source, ''), 1, new.consent_note IS NOT NULL)
		ON CONFLICT (day, source) DO UPDATE SET joined = joined + 1, imported = imported + excluded.imported;
	INSERT INTO subscriber_days (day, source, added)
		SELECT new.updated_at / 86400000, coalesce(new.source, ''), 1 WHERE new.consent_note IS NOT NULL
		ON CONFLICT (day, source) DO UPDATE SET added = added + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_days_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL) BEGIN
	INSERT INTO subscriber_days (day, source, joined, unsubscribed, suppressed) VALUES (
		new.updated_at / 86400000, coalesce(new.source, ''),
		(new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) AND (old.state <> 'active' OR old.pending_at IS NOT NULL),
		NOT (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) AND (new.state <> 'active' OR new.suppressed_at IS NULL),
		(new.state = 'active' AND new.suppressed_at IS NOT NULL) - ((new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) AND old.state = 'active' AND old.pending_at IS NULL)
	) ON CONFLICT (day, source) DO UPDATE SET joined = joined + excluded.joined, unsubscribed = unsubscribed + excluded.unsubscribed, suppressed = suppressed + excluded.suppressed;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_days_delete` AFTER DELETE ON `subscribers` WHEN (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL) BEGIN
	INSERT INTO subscriber_days (day, source, deleted)
		VALUES (coalesce((SELECT max(created_at) FROM subscriber_events WHERE subscriber_id = old.id), unixepoch() * 1000) / 86400000, coalesce(old.source, ''), 1)
		ON CONFLICT (day, source) DO UPDATE SET deleted = deleted + 1;
END;
--> statement-breakpoint
INSERT INTO `subscriber_days` (`day`, `source`, `suppressed`)
	SELECT suppressed_at / 86400000, coalesce(source, ''), count(*) FROM subscribers WHERE state = 'active' AND suppressed_at IS NOT NULL GROUP BY 1, 2
	ON CONFLICT (day, source) DO UPDATE SET suppressed = suppressed + excluded.suppressed;
--> statement-breakpoint
-- They were counted when they became pending
INSERT INTO `subscriber_days` (`day`, `source`, `joined`)
	SELECT CASE WHEN unsubscribed_at IS NULL THEN created_at ELSE pending_at END / 86400000, coalesce(source, ''), -count(*)
	FROM subscribers WHERE state = 'active' AND suppressed_at IS NULL AND pending_at IS NOT NULL GROUP BY 1, 2
	ON CONFLICT (day, source) DO UPDATE SET joined = joined + excluded.joined;
