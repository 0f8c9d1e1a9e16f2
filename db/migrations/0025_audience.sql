CREATE TABLE `audience_counts` (
	`kind` text NOT NULL,
	`ref` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`kind`, `ref`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `field_values` (
	`subscriber_row` integer NOT NULL,
	`field_row` integer NOT NULL,
	`text` text,
	`number` real,
	PRIMARY KEY(`subscriber_row`, `field_row`),
	FOREIGN KEY (`subscriber_row`) REFERENCES `subscribers`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`field_row`) REFERENCES `subscriber_fields`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `subscriber_fields` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`options` text,
	`last_option` integer DEFAULT 0 NOT NULL,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriber_fields_id_unique` ON `subscriber_fields` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriber_fields_key_unique` ON `subscriber_fields` (`key`);--> statement-breakpoint
CREATE TABLE `subscriber_topics` (
	`topic_row` integer NOT NULL,
	`subscriber_row` integer NOT NULL,
	`chosen` integer NOT NULL,
	PRIMARY KEY(`topic_row`, `subscriber_row`),
	FOREIGN KEY (`topic_row`) REFERENCES `topics`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`subscriber_row`) REFERENCES `subscribers`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `subscriber_topics_subscriber` ON `subscriber_topics` (`subscriber_row`,`topic_row`,`chosen`);--> statement-breakpoint
CREATE TABLE `topics` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`sentence` text DEFAULT '' NOT NULL,
	`position` integer NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`archived_at` integer,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `topics_id_unique` ON `topics` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `topics_slug_unique` ON `topics` (`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `topics_folded_unique` ON `topics` (`folded`);--> statement-breakpoint
ALTER TABLE `broadcasts` ADD `topic_row` integer REFERENCES topics(row);--> statement-breakpoint
ALTER TABLE `subscriber_days` ADD `paused` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `time_zone` text;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `paused_until` integer;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `consent_at` integer;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `consent_url` text;--> statement-breakpoint
CREATE INDEX `subscribers_paused` ON `subscribers` (`paused_until`) WHERE paused_until is not null;
--> statement-breakpoint
-- By hand from here
-- Who pauses is not mailable: a third flag beside pending and suppressed
DROP TRIGGER `subscribers_mailable_insert`;
--> statement-breakpoint
DROP TRIGGER `subscribers_mailable_delete`;
--> statement-breakpoint
DROP TRIGGER `subscribers_mailable_update`;
--> statement-breakpoint
CREATE TRIGGER `subscribers_mailable_insert` AFTER INSERT ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NULL) BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'mailable';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_mailable_delete` AFTER DELETE ON `subscribers` WHEN (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NULL) BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'mailable';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_mailable_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at`, `paused_until` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NULL) WHERE state = 'mailable';
END;
--> statement-breakpoint
INSERT INTO `subscriber_counts` (`state`, `count`) VALUES ('paused', 0);
--> statement-breakpoint
CREATE TRIGGER `subscribers_paused_insert` AFTER INSERT ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'paused';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_paused_delete` AFTER DELETE ON `subscribers` WHEN (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'paused';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_paused_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at`, `paused_until` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) WHERE state = 'paused';
END;
--> statement-breakpoint
-- The days: the triggers of 0018 count who is on the list, paused or not
CREATE TRIGGER `subscriber_days_paused_insert` AFTER INSERT ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) BEGIN
	INSERT INTO subscriber_days (day, source, paused) VALUES (new.updated_at / 86400000, coalesce(new.source, ''), 1)
		ON CONFLICT (day, source) DO UPDATE SET paused = paused + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_days_paused_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at`, `paused_until` ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) BEGIN
	INSERT INTO subscriber_days (day, source, paused) VALUES (new.updated_at / 86400000, coalesce(new.source, ''), (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL))
		ON CONFLICT (day, source) DO UPDATE SET paused = paused + excluded.paused;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_days_paused_delete` AFTER DELETE ON `subscribers` WHEN (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) BEGIN
	INSERT INTO subscriber_days (day, source, paused)
		VALUES (coalesce((SELECT max(created_at) FROM subscriber_events WHERE subscriber_id = old.id), unixepoch() * 1000) / 86400000, coalesce(old.source, ''), -1)
		ON CONFLICT (day, source) DO UPDATE SET paused = paused - 1;
END;
--> statement-breakpoint
-- How many people have what, whatever program writes
CREATE TRIGGER `subscriber_tags_count_insert` AFTER INSERT ON `subscriber_tags` BEGIN
	INSERT INTO audience_counts (kind, ref, count) VALUES ('tag', new.tag_row, 1) ON CONFLICT (kind, ref) DO UPDATE SET count = count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_tags_count_delete` AFTER DELETE ON `subscriber_tags` BEGIN
	UPDATE audience_counts SET count = count - 1 WHERE kind = 'tag' AND ref = old.tag_row;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_topics_count_insert` AFTER INSERT ON `subscriber_topics` WHEN new.chosen = 1 BEGIN
	INSERT INTO audience_counts (kind, ref, count) VALUES ('topic', new.topic_row, 1) ON CONFLICT (kind, ref) DO UPDATE SET count = count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_topics_count_delete` AFTER DELETE ON `subscriber_topics` WHEN old.chosen = 1 BEGIN
	UPDATE audience_counts SET count = count - 1 WHERE kind = 'topic' AND ref = old.topic_row;
END;
--> statement-breakpoint
CREATE TRIGGER `field_values_count_insert` AFTER INSERT ON `field_values` BEGIN
	INSERT INTO audience_counts (kind, ref, count) VALUES ('field', new.field_row, 1) ON CONFLICT (kind, ref) DO UPDATE SET count = count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `field_values_count_delete` AFTER DELETE ON `field_values` BEGIN
	UPDATE audience_counts SET count = count - 1 WHERE kind = 'field' AND ref = old.field_row;
END;
--> statement-breakpoint
CREATE TRIGGER `subscriber_topics_count_update` AFTER UPDATE OF `chosen` ON `subscriber_topics` WHEN new.chosen <> old.chosen BEGIN
	INSERT INTO audience_counts (kind, ref, count) VALUES ('topic', new.topic_row, new.chosen - old.chosen) ON CONFLICT (kind, ref) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
INSERT INTO `audience_counts` (`kind`, `ref`, `count`) SELECT 'tag', tag_row, count(*) FROM subscriber_tags GROUP BY tag_row;
