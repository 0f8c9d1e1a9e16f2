CREATE TABLE `daily_counts` (
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`kind`, `subject_id`, `day`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `daily_counts_recent` ON `daily_counts` (`kind`,`day`,`subject_id`,`count`);--> statement-breakpoint
CREATE TABLE `subscriber_days` (
	`day` integer NOT NULL,
	`source` text NOT NULL,
	`joined` integer DEFAULT 0 NOT NULL,
	`imported` integer DEFAULT 0 NOT NULL,
	`unsubscribed` integer DEFAULT 0 NOT NULL,
	`deleted` integer DEFAULT 0 NOT NULL,
	`added` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`day`, `source`)
) STRICT;
--> statement-breakpoint
-- By hand from here. The days of active subscribers, whatever program writes: who joins counts on the day of joining, who
-- comes back or leaves on the day of the change. A deletion has the time of its event, which is written before.
CREATE TRIGGER `subscriber_days_insert` AFTER INSERT ON `subscribers` WHEN new.state = 'active' BEGIN
	INSERT INTO subscriber_days (day, source, joined, imported)
		VALUES (new.created_at / 86400000, coalesce(new.source, ''), 1, new.consent_note IS NOT NULL)
		ON CONFLICT (day, source) DO UPDATE SET joined = joined + 1, imported = imported + excluded.imported;
	INSERT INTO subscriber_days (day, source, added)
		SELECT new.updated_at / 86400000, coalesce(new.source, ''), 1 WHERE new.consent_note IS NOT NULL
		ON CONFLICT (day, source) DO UPDATE SET added = added + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_days_update` AFTER UPDATE OF `state` ON `subscribers` WHEN new.state <> old.state BEGIN
	INSERT INTO subscriber_days (day, source, joined, unsubscribed)
		VALUES (new.updated_at / 86400000, coalesce(new.source, ''), new.state = 'active', new.state <> 'active')
		ON CONFLICT (day, source) DO UPDATE SET joined = joined + excluded.joined, unsubscribed = unsubscribed + excluded.unsubscribed;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_days_delete` AFTER DELETE ON `subscribers` WHEN old.state = 'active' BEGIN
	INSERT INTO subscriber_days (day, source, deleted)
		VALUES (coalesce((SELECT max(created_at) FROM subscriber_events WHERE subscriber_id = old.id), unixepoch() * 1000) / 86400000, coalesce(old.source, ''), 1)
		ON CONFLICT (day, source) DO UPDATE SET deleted = deleted + 1;
END;
--> statement-breakpoint
-- What is known of the days before: each subscriber joined once more often than they came back, and is active or has left
INSERT INTO `subscriber_days` (`day`, `source`, `joined`, `imported`, `unsubscribed`, `deleted`, `added`)
	WITH changes AS (
		SELECT subscriber_id AS id, sum(kind = 'unsubscribed') - sum(kind IN ('reactivated', 'restored')) AS left, max(kind = 'imported') AS imported
			FROM subscriber_events WHERE kind IN ('unsubscribed', 'reactivated', 'restored', 'imported') GROUP BY subscriber_id
	), gone AS (
		SELECT subscriber_id AS id, max(created_at) AS deleted_at,
			(SELECT min(created_at) FROM subscriber_events e WHERE e.subscriber_id = d.subscriber_id AND e.kind IN ('subscribed', 'imported')) AS joined_at,
			(SELECT kind FROM subscriber_events e WHERE e.subscriber_id = d.subscriber_id AND e.kind IN ('subscribed', 'imported', 'unsubscribed', 'reactivated', 'restored')
				ORDER BY created_at DESC, id DESC LIMIT 1) AS last
			FROM subscriber_events d WHERE kind IN ('deleted', 'expired', 'erased') GROUP BY subscriber_id
	)
	SELECT day, source, sum(joined), sum(imported), sum(unsubscribed), sum(deleted), sum(added) FROM (
		SELECT s.created_at / 86400000 AS day, coalesce(s.source, '') AS source, 1 AS joined, coalesce(c.imported, 0) AS imported, 0 AS unsubscribed, 0 AS deleted, 0 AS added
			FROM subscribers s LEFT JOIN changes c ON c.id = s.id WHERE (s.state = 'active') + coalesce(c.left, 0) > 0
		UNION ALL SELECT e.created_at / 86400000, coalesce(s.source, ''), e.kind IN ('reactivated', 'restored'), 0, e.kind = 'unsubscribed', 0, e.kind = 'imported' AND coalesce(s.state, '') = 'active'
			FROM subscriber_events e LEFT JOIN subscribers s ON s.id = e.subscriber_id
			WHERE e.kind IN ('reactivated', 'restored', 'unsubscribed', 'imported')
		UNION ALL SELECT joined_at / 86400000, '', 1, 0, 0, 0, 0 FROM gone WHERE joined_at IS NOT NULL
		UNION ALL SELECT deleted_at / 86400000, '', 0, 0, 0, 1, 0 FROM gone WHERE joined_at IS NOT NULL AND last <> 'unsubscribed'
	) GROUP BY day, source HAVING sum(joined) + sum(unsubscribed) + sum(deleted) + sum(added) > 0;
--> statement-breakpoint
CREATE TRIGGER `daily_counts_post` AFTER DELETE ON `posts` BEGIN DELETE FROM daily_counts WHERE kind = 'view' AND subject_id = old.id; END;
--> statement-breakpoint
CREATE TRIGGER `daily_counts_project` AFTER DELETE ON `projects` BEGIN DELETE FROM daily_counts WHERE kind = 'click' AND subject_id = old.id; END;
--> statement-breakpoint
CREATE TRIGGER `daily_counts_broadcast` AFTER DELETE ON `broadcasts` BEGIN DELETE FROM daily_counts WHERE kind IN ('page', 'unsubscribe') AND subject_id = old.id; END;
--> statement-breakpoint
CREATE TRIGGER `broadcast_recipients_unsubscribed` AFTER UPDATE OF `unsubscribed_at` ON `broadcast_recipients`
WHEN new.unsubscribed_at IS NOT NULL AND old.unsubscribed_at IS NULL BEGIN
	INSERT INTO daily_counts (kind, subject_id, day, count)
		SELECT 'unsubscribe', id, new.unsubscribed_at / 86400000, 1 FROM broadcasts WHERE row = new.broadcast_row
		ON CONFLICT (kind, subject_id, day) DO UPDATE SET count = count + 1;
END;
--> statement-breakpoint
INSERT INTO `daily_counts` (`kind`, `subject_id`, `day`, `count`)
	SELECT 'unsubscribe', b.id, r.unsubscribed_at / 86400000 AS day, count(*) FROM broadcast_recipients r JOIN broadcasts b ON b.row = r.broadcast_row
		WHERE r.unsubscribed_at IS NOT NULL GROUP BY b.id, day;
