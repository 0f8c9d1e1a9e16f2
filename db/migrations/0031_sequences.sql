CREATE TABLE `sequence_people` (
	`row` integer PRIMARY KEY NOT NULL,
	`sequence_row` integer NOT NULL,
	`subscriber_row` integer NOT NULL,
	`step_row` integer,
	`state` integer DEFAULT 0 NOT NULL,
	`reason` text,
	`due_at` integer,
	`entered_at` integer NOT NULL,
	`sent` integer DEFAULT 0 NOT NULL,
	`last_day` integer,
	`ended_at` integer,
	FOREIGN KEY (`sequence_row`) REFERENCES `sequences`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`subscriber_row`) REFERENCES `subscribers`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`step_row`) REFERENCES `sequence_steps`(`row`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sequence_people_known_state" CHECK(state between 0 and 4)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sequence_people_once` ON `sequence_people` (`sequence_row`,`subscriber_row`);--> statement-breakpoint
CREATE INDEX `sequence_people_person` ON `sequence_people` (`subscriber_row`);--> statement-breakpoint
CREATE INDEX `sequence_people_due` ON `sequence_people` (`step_row`,`due_at`) WHERE state = 0;--> statement-breakpoint
CREATE INDEX `sequence_people_claimed` ON `sequence_people` (`row`) WHERE state = 1;--> statement-breakpoint
CREATE TABLE `sequence_steps` (
	`row` integer PRIMARY KEY NOT NULL,
	`sequence_row` integer NOT NULL,
	`edition` integer NOT NULL,
	`position` integer NOT NULL,
	`number` integer NOT NULL,
	`wait_hours` integer NOT NULL,
	`at_minute` integer,
	`broadcast_row` integer NOT NULL,
	FOREIGN KEY (`sequence_row`) REFERENCES `sequences`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sequence_steps_broadcast` ON `sequence_steps` (`broadcast_row`);--> statement-breakpoint
CREATE UNIQUE INDEX `sequence_steps_order` ON `sequence_steps` (`sequence_row`,`edition`,`position`);--> statement-breakpoint
CREATE UNIQUE INDEX `sequence_steps_number` ON `sequence_steps` (`sequence_row`,`edition`,`number`);--> statement-breakpoint
CREATE TABLE `sequences` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`trigger` text NOT NULL,
	`tag_row` integer,
	`topic_row` integer,
	`segment` text DEFAULT '{}' NOT NULL,
	`frozen_segment` text,
	`state` text DEFAULT 'draft' NOT NULL,
	`reason` text,
	`edition` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`reviewed_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`tag_row`) REFERENCES `audience_tags`(`row`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`topic_row`) REFERENCES `topics`(`row`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sequences_known_state" CHECK(state in ('draft', 'on', 'paused', 'off'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sequences_id_unique` ON `sequences` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sequences_folded_unique` ON `sequences` (`folded`);
--> statement-breakpoint
-- By hand from here: who leaves gets nothing more, whatever program writes. Someone whose email is on its way is marked,
-- and stopped once its outcome is recorded
CREATE TRIGGER `sequence_people_left` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN new.state <> 'active' OR new.suppressed_at IS NOT NULL OR new.pending_at IS NOT NULL BEGIN
	UPDATE sequence_people SET
		state = CASE state WHEN 1 THEN 1 ELSE 4 END,
		reason = CASE WHEN new.state = 'active' AND new.suppressed_at IS NOT NULL THEN 'suppressed' ELSE 'left' END,
		due_at = NULL,
		ended_at = CASE state WHEN 1 THEN NULL ELSE new.updated_at END
	WHERE subscriber_row = new.row AND state < 3 AND reason IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `sequence_people_held` AFTER UPDATE OF `paused_until` ON `subscribers` WHEN new.paused_until IS NOT NULL BEGIN
	UPDATE sequence_people SET state = CASE state WHEN 0 THEN 2 ELSE state END WHERE subscriber_row = new.row AND state < 2;
END;
--> statement-breakpoint
CREATE TRIGGER `sequence_people_topic_update` AFTER UPDATE OF `chosen` ON `subscriber_topics` WHEN new.chosen = 0 BEGIN
	UPDATE sequence_people SET state = CASE state WHEN 1 THEN 1 ELSE 4 END, reason = 'topic', due_at = NULL,
		ended_at = CASE state WHEN 1 THEN NULL ELSE CAST(unixepoch('subsec') * 1000 AS INTEGER) END
	WHERE subscriber_row = new.subscriber_row AND state < 3 AND reason IS NULL
		AND sequence_row IN (SELECT row FROM sequences WHERE "trigger" = 'topic' AND topic_row = new.topic_row);
END;
--> statement-breakpoint
CREATE TRIGGER `sequence_people_topic_delete` AFTER DELETE ON `subscriber_topics` WHEN old.chosen = 1 BEGIN
	UPDATE sequence_people SET state = CASE state WHEN 1 THEN 1 ELSE 4 END, reason = 'topic', due_at = NULL,
		ended_at = CASE state WHEN 1 THEN NULL ELSE CAST(unixepoch('subsec') * 1000 AS INTEGER) END
	WHERE subscriber_row = old.subscriber_row AND state < 3 AND reason IS NULL
		AND sequence_row IN (SELECT row FROM sequences WHERE "trigger" = 'topic' AND topic_row = old.topic_row);
END;
