CREATE TABLE `post_mailings` (
	`post_id` text PRIMARY KEY NOT NULL,
	`rule_row` integer,
	`becomes` text NOT NULL,
	`state` text NOT NULL,
	`broadcast_row` integer,
	`due_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`rule_row`) REFERENCES `post_rules`(`row`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "post_mailings_known_state" CHECK(state in ('due', 'waiting', 'done'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `post_mailings_due` ON `post_mailings` (`due_at`) WHERE state = 'due';--> statement-breakpoint
CREATE INDEX `post_mailings_broadcast` ON `post_mailings` (`broadcast_row`) WHERE broadcast_row is not null;--> statement-breakpoint
CREATE TABLE `post_rules` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`position` integer NOT NULL,
	`tag_slug` text,
	`becomes` text NOT NULL,
	`topic_row` integer,
	`off_reason` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`topic_row`) REFERENCES `topics`(`row`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "post_rules_known_outcome" CHECK(becomes in ('none', 'draft', 'send', 'digest'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `post_rules_id_unique` ON `post_rules` (`id`);
--> statement-breakpoint
-- By hand from here: whatever has been public before there were rules is never mailed by one
INSERT INTO post_mailings (post_id, becomes, state, created_at)
	SELECT id, 'none', 'done', CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM posts
	WHERE published_at IS NOT NULL AND published_at <= unixepoch('subsec') * 1000;
