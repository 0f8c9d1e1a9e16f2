CREATE TABLE `broadcast_batches` (
	`row` integer PRIMARY KEY NOT NULL,
	`broadcast_row` integer NOT NULL,
	`first_recipient` integer NOT NULL,
	`last_recipient` integer NOT NULL,
	`count` integer NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`lease_until` integer,
	`first_attempt_at` integer,
	`provider` text,
	`frozen` text,
	`last_error` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "broadcast_batches_known_state" CHECK(state in ('open', 'accepted', 'split', 'failed', 'skipped', 'uncertain', 'simulated'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `broadcast_batches_open` ON `broadcast_batches` (`broadcast_row`,`next_attempt_at`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `broadcast_batches_broadcast` ON `broadcast_batches` (`broadcast_row`,`first_recipient`);--> statement-breakpoint
CREATE INDEX `broadcast_batches_created` ON `broadcast_batches` (`created_at`,`count`);--> statement-breakpoint
CREATE TABLE `broadcast_files` (
	`file_id` text NOT NULL,
	`broadcast_row` integer NOT NULL,
	PRIMARY KEY(`file_id`, `broadcast_row`),
	FOREIGN KEY (`file_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `broadcast_files_broadcast` ON `broadcast_files` (`broadcast_row`);--> statement-breakpoint
CREATE TABLE `broadcast_letters` (
	`broadcast_row` integer PRIMARY KEY NOT NULL,
	`bytes` integer,
	`content` text DEFAULT '' NOT NULL,
	`page` text,
	`letter` text,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `broadcast_recipients` (
	`row` integer PRIMARY KEY NOT NULL,
	`broadcast_row` integer NOT NULL,
	`subscriber_row` integer,
	`batch_row` integer NOT NULL,
	`state` integer DEFAULT 0 NOT NULL,
	`accepted_at` integer,
	`delivered_at` integer,
	`bounced_at` integer,
	`soft_at` integer,
	`complained_at` integer,
	`unsubscribed_at` integer,
	`provider_id` blob,
	`error` text,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "broadcast_recipients_known_state" CHECK(state between 0 and 5)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `broadcast_recipients_once` ON `broadcast_recipients` (`broadcast_row`,`subscriber_row`);--> statement-breakpoint
CREATE INDEX `broadcast_recipients_person` ON `broadcast_recipients` (`subscriber_row`) WHERE subscriber_row is not null;--> statement-breakpoint
CREATE INDEX `broadcast_recipients_trouble` ON `broadcast_recipients` (`broadcast_row`,`row`) WHERE bounced_at is not null or complained_at is not null or state in (2, 3);--> statement-breakpoint
CREATE TABLE `broadcasts` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`slug` text NOT NULL,
	`kind` text NOT NULL,
	`post_id` text,
	`post_version` integer,
	`subject` text NOT NULL,
	`preheader` text DEFAULT '' NOT NULL,
	`from_name` text DEFAULT '' NOT NULL,
	`segment` text DEFAULT '{}' NOT NULL,
	`archive` text NOT NULL,
	`state` text DEFAULT 'draft' NOT NULL,
	`state_reason` text,
	`state_detail` text,
	`version` integer DEFAULT 1 NOT NULL,
	`tested_version` integer,
	`scheduled_at` integer,
	`confirmed_at` integer,
	`confirmed_by` text,
	`started_at` integer,
	`finished_at` integer,
	`settled_at` integer,
	`audience` integer,
	`ceiling` integer,
	`cursor` integer DEFAULT 0 NOT NULL,
	`rest_until` integer,
	`rest_reason` text,
	`refusals` integer DEFAULT 0 NOT NULL,
	`reviewed_delivered` integer DEFAULT 0 NOT NULL,
	`reviewed_bounced` integer DEFAULT 0 NOT NULL,
	`reviewed_complained` integer DEFAULT 0 NOT NULL,
	`uncertain_reviewed_at` integer,
	`claimed` integer DEFAULT 0 NOT NULL,
	`accepted` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`uncertain` integer DEFAULT 0 NOT NULL,
	`simulated` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`bounced` integer DEFAULT 0 NOT NULL,
	`soft_bounced` integer DEFAULT 0 NOT NULL,
	`complained` integer DEFAULT 0 NOT NULL,
	`unsubscribed` integer DEFAULT 0 NOT NULL,
	`detail_gone_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	CONSTRAINT "broadcasts_known_state" CHECK(state in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `broadcasts_id_unique` ON `broadcasts` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `broadcasts_slug_unique` ON `broadcasts` (`slug`);--> statement-breakpoint
CREATE INDEX `broadcasts_due` ON `broadcasts` (`scheduled_at`) WHERE state = 'scheduled';--> statement-breakpoint
CREATE INDEX `broadcasts_active` ON `broadcasts` (`row`) WHERE state in ('sending', 'paused');--> statement-breakpoint
CREATE INDEX `broadcasts_list` ON `broadcasts` (`created_at`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `broadcasts_archive` ON `broadcasts` (`finished_at`,`id`) WHERE archive = 'listed' and state = 'sent';--> statement-breakpoint
ALTER TABLE `subscriber_events` ADD `note` text;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `confirmed_at` integer;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `consent_note` text;--> statement-breakpoint
CREATE INDEX `subscribers_suppressed` ON `subscribers` (`suppressed_at`) WHERE suppressed_at is not null;--> statement-breakpoint
CREATE INDEX `subscribers_pending` ON `subscribers` (`pending_at`) WHERE pending_at is not null;
--> statement-breakpoint
-- By hand from here
INSERT INTO `subscriber_counts` (`state`, `count`) SELECT 'mailable', count(*) FROM subscribers WHERE subscribers.state = 'active' AND subscribers.suppressed_at IS NULL AND subscribers.pending_at IS NULL;
--> statement-breakpoint
CREATE TRIGGER `subscribers_mailable_insert` AFTER INSERT ON `subscribers` WHEN new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'mailable';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_mailable_delete` AFTER DELETE ON `subscribers` WHEN old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'mailable';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_mailable_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL) WHERE state = 'mailable';
END;
--> statement-breakpoint
INSERT INTO `subscriber_counts` (`state`, `count`) SELECT 'pending', count(*) FROM subscribers WHERE subscribers.state = 'active' AND subscribers.pending_at IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER `subscribers_pending_insert` AFTER INSERT ON `subscribers` WHEN new.state = 'active' AND new.pending_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_pending_delete` AFTER DELETE ON `subscribers` WHEN old.state = 'active' AND old.pending_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'pending';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_pending_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN (new.state = 'active' AND new.pending_at IS NOT NULL) <> (old.state = 'active' AND old.pending_at IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.pending_at IS NOT NULL) - (old.state = 'active' AND old.pending_at IS NOT NULL) WHERE state = 'pending';
END;
--> statement-breakpoint
INSERT INTO `subscriber_counts` (`state`, `count`) SELECT 'suppressed', count(*) FROM subscribers WHERE subscribers.suppressed_at IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER `subscribers_suppressed_insert` AFTER INSERT ON `subscribers` WHEN new.suppressed_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'suppressed';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_suppressed_delete` AFTER DELETE ON `subscribers` WHEN old.suppressed_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'suppressed';
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_suppressed_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN (new.suppressed_at IS NOT NULL) <> (old.suppressed_at IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.suppressed_at IS NOT NULL) - (old.suppressed_at IS NOT NULL) WHERE state = 'suppressed';
END;
--> statement-breakpoint
-- SQLite reuses the largest row: a recipient must never become another person
CREATE TRIGGER `broadcast_recipients_person_gone` BEFORE DELETE ON `subscribers` BEGIN
	UPDATE broadcast_recipients SET subscriber_row = NULL WHERE subscriber_row = old.row;
END;
--> statement-breakpoint
-- The counters, whatever program writes. Deleted rows stay counted: they are deleted after 13 months
CREATE TRIGGER `broadcast_recipients_count_insert` AFTER INSERT ON `broadcast_recipients` BEGIN
	UPDATE broadcasts SET claimed = claimed + 1,
		accepted = accepted + (new.state = 1),
		failed = failed + (new.state = 2),
		uncertain = uncertain + (new.state = 3),
		simulated = simulated + (new.state = 4),
		skipped = skipped + (new.state = 5),
		delivered = delivered + (new.delivered_at IS NOT NULL),
		bounced = bounced + (new.bounced_at IS NOT NULL),
		soft_bounced = soft_bounced + (new.soft_at IS NOT NULL),
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
		delivered = delivered + (new.delivered_at IS NOT NULL) - (old.delivered_at IS NOT NULL),
		bounced = bounced + (new.bounced_at IS NOT NULL) - (old.bounced_at IS NOT NULL),
		soft_bounced = soft_bounced + (new.soft_at IS NOT NULL) - (old.soft_at IS NOT NULL),
		complained = complained + (new.complained_at IS NOT NULL) - (old.complained_at IS NOT NULL),
		unsubscribed = unsubscribed + (new.unsubscribed_at IS NOT NULL) - (old.unsubscribed_at IS NOT NULL)
	WHERE row = new.broadcast_row;
END;
--> statement-breakpoint
-- Which files a broadcast uses, as for posts (migration 0001)
CREATE TRIGGER `broadcast_letters_files_insert` AFTER INSERT ON `broadcast_letters` BEGIN
	INSERT OR IGNORE INTO broadcast_files (file_id, broadcast_row)
		SELECT uploads.id, new.broadcast_row
		FROM json_each('[' || replace(json_quote(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, '')), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, ''), '/media/');
END;
--> statement-breakpoint
CREATE TRIGGER `broadcast_letters_files_update` AFTER UPDATE OF `content`, `letter`, `page` ON `broadcast_letters` BEGIN
	DELETE FROM broadcast_files WHERE broadcast_row = old.broadcast_row;
	INSERT OR IGNORE INTO broadcast_files (file_id, broadcast_row)
		SELECT uploads.id, new.broadcast_row
		FROM json_each('[' || replace(json_quote(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, '')), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, ''), '/media/');
END;
--> statement-breakpoint
INSERT INTO `versions` (`topic`, `version`, `changed_at`) VALUES ('broadcasts', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
--> statement-breakpoint
-- What the archive shows
CREATE TRIGGER `broadcasts_version_update` AFTER UPDATE OF `state`, `archive`, `slug`, `deleted_at` ON `broadcasts`
WHEN new.started_at IS NOT NULL BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'broadcasts';
END;
--> statement-breakpoint
CREATE TRIGGER `broadcasts_version_delete` AFTER DELETE ON `broadcasts` WHEN old.started_at IS NOT NULL BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'broadcasts';
END;
