CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`last_four` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`last_used_at` integer,
	`created_by` text,
	`deactivated_at` integer,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`target_id` text,
	`target` text,
	`details` text DEFAULT '{}' NOT NULL,
	`address` text,
	`folded` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_events_created` ON `audit_events` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_actor` ON `audit_events` (`actor`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_events_target` ON `audit_events` (`target_id`);--> statement-breakpoint
CREATE TABLE `folders` (
	`id` text PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `folders_path_unique` ON `folders` (`path`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`result_id` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `managers` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`role` text NOT NULL,
	`password_hash` text NOT NULL,
	`totp_secret` text,
	`totp_last_step` integer,
	`preferences` text DEFAULT '{}' NOT NULL,
	`last_seen_at` integer,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `managers_emailKey_unique` ON `managers` (`email_key`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`message` text NOT NULL,
	`source` text NOT NULL,
	`fingerprint` text NOT NULL,
	`folded` text NOT NULL,
	`read_at` integer,
	`archived_at` integer,
	`spam_reason` text,
	`deleted_at` integer,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `messages_created` ON `messages` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `messages_box` ON `messages` (`deleted_at`,`spam_reason`,`archived_at`,`created_at`,`id`,`read_at`);--> statement-breakpoint
CREATE INDEX `messages_source` ON `messages` (`source`,`created_at`);--> statement-breakpoint
CREATE INDEX `messages_fingerprint` ON `messages` (`fingerprint`,`created_at`);--> statement-breakpoint
CREATE TABLE `one_time_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`subject` text,
	`payload` text DEFAULT '{}' NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `one_time_tokens_expiry` ON `one_time_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`recipient_key` text NOT NULL,
	`subject_id` text,
	`payload` text NOT NULL,
	`state` text DEFAULT 'queued' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`last_error` text,
	`provider_id` text,
	`sent_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "outbox_known_state" CHECK(state in ('queued', 'sent', 'simulated', 'dead', 'cancelled'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`next_attempt_at`) WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX `outbox_recipient` ON `outbox` (`recipient_key`,`kind`,`created_at`);--> statement-breakpoint
CREATE INDEX `outbox_created` ON `outbox` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `outbox_state` ON `outbox` (`state`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `outbox_subject` ON `outbox` (`subject_id`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`manager_id` text NOT NULL,
	`public_key` blob NOT NULL,
	`counter` integer NOT NULL,
	`transports` text DEFAULT '[]' NOT NULL,
	`name` text NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`manager_id`) REFERENCES `managers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `post_tags` (
	`post_id` text NOT NULL,
	`tag_slug` text NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`post_id`, `tag_slug`),
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag_slug`) REFERENCES `tags`(`slug`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `post_tags_tag` ON `post_tags` (`tag_slug`,`post_id`);--> statement-breakpoint
CREATE TABLE `posts` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`slug` text NOT NULL,
	`title` text NOT NULL,
	`excerpt` text DEFAULT '' NOT NULL,
	`cover_image` text DEFAULT '' NOT NULL,
	`author` text DEFAULT '' NOT NULL,
	`reading_time` integer DEFAULT 1 NOT NULL,
	`published` integer DEFAULT false NOT NULL,
	`published_at` integer,
	`views` integer DEFAULT 0 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`folded` text NOT NULL,
	`content` text DEFAULT '' NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `posts_id_unique` ON `posts` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `posts_slug_unique` ON `posts` (`slug`);--> statement-breakpoint
CREATE INDEX `posts_published` ON `posts` (`published_at`,`id`) WHERE published = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_hidden` ON `posts` (`published_at`) WHERE published = 0 or deleted_at is not null or published_at is null;--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`title` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`image_url` text DEFAULT '' NOT NULL,
	`live_url` text DEFAULT '' NOT NULL,
	`github_url` text DEFAULT '' NOT NULL,
	`featured` integer DEFAULT false NOT NULL,
	`status` text DEFAULT 'DRAFT' NOT NULL,
	`display_order` integer DEFAULT 0 NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`tech` text DEFAULT '[]' NOT NULL,
	`author` text DEFAULT '' NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_slug_unique` ON `projects` (`slug`);--> statement-breakpoint
CREATE INDEX `projects_order` ON `projects` (`status`,`featured`,`display_order`,`created_at`);--> statement-breakpoint
CREATE TABLE `rate_limit_hits` (
	`limit` text NOT NULL,
	`client` text NOT NULL,
	`at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `rate_limit_hits_at` ON `rate_limit_hits` (`at`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`manager_id` text NOT NULL,
	`hash` text NOT NULL,
	`used_at` integer,
	PRIMARY KEY(`manager_id`, `hash`),
	FOREIGN KEY (`manager_id`) REFERENCES `managers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`manager_id` text NOT NULL,
	`address` text,
	`user_agent` text,
	`confirmed_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`manager_id`) REFERENCES `managers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_id_unique` ON `sessions` (`id`);--> statement-breakpoint
CREATE INDEX `sessions_manager` ON `sessions` (`manager_id`);--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`is_public` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`updated_by` text,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `storage_nodes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`endpoint` text NOT NULL,
	`public_endpoint` text NOT NULL,
	`region` text NOT NULL,
	`bucket` text NOT NULL,
	`access_key` text NOT NULL,
	`secret` text NOT NULL,
	`state` text DEFAULT 'active' NOT NULL,
	`down_until` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`capacity_bytes` integer NOT NULL,
	`used_bytes` integer DEFAULT 0 NOT NULL,
	`reserved_bytes` integer DEFAULT 0 NOT NULL,
	`max_put_bytes` integer NOT NULL,
	`stale_upload_hours` integer DEFAULT 24 NOT NULL,
	`signed_length` integer,
	`checked_at` integer,
	`check_error` text,
	`created_at` integer NOT NULL,
	CONSTRAINT "storage_nodes_fits" CHECK(used_bytes >= 0 and reserved_bytes >= 0 and used_bytes + reserved_bytes <= capacity_bytes)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `storage_nodes_name_unique` ON `storage_nodes` (`name`);--> statement-breakpoint
CREATE TABLE `subscriber_counts` (
	`state` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `subscriber_events` (
	`id` text PRIMARY KEY NOT NULL,
	`subscriber_id` text NOT NULL,
	`kind` text NOT NULL,
	`via` text NOT NULL,
	`source` text,
	`network` text,
	`user_agent` text,
	`probable_scanner` integer DEFAULT false NOT NULL,
	`actor` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `subscriber_events_subscriber` ON `subscriber_events` (`subscriber_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `subscriber_events_network` ON `subscriber_events` (`network`,`created_at`);--> statement-breakpoint
CREATE INDEX `subscriber_events_created` ON `subscriber_events` (`created_at`,`kind`);--> statement-breakpoint
CREATE INDEX `subscriber_events_scanner` ON `subscriber_events` (`created_at`) WHERE probable_scanner = 1;--> statement-breakpoint
CREATE TABLE `subscribers` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text,
	`source` text,
	`state` text DEFAULT 'active' NOT NULL,
	`suppressed_at` integer,
	`pending_at` integer,
	`unsubscribed_at` integer,
	`folded` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "subscribers_known_state" CHECK(state in ('active', 'unsubscribed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_id_unique` ON `subscribers` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_emailKey_unique` ON `subscribers` (`email_key`);--> statement-breakpoint
CREATE INDEX `subscribers_created` ON `subscribers` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `subscribers_state_created` ON `subscribers` (`state`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `subscribers_source` ON `subscribers` (`source`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `tags` (
	`slug` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`folder_id` text NOT NULL,
	`api_key_id` text,
	`object_key` text NOT NULL,
	`provider_upload_id` text,
	`filename` text NOT NULL,
	`mime_type` text NOT NULL,
	`size` integer NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`outcome` text,
	`next_check_at` integer NOT NULL,
	`checks` integer DEFAULT 0 NOT NULL,
	`hold_until` integer NOT NULL,
	`completed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`node_id`) REFERENCES `storage_nodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "uploads_known_state" CHECK(state in ('pending', 'open', 'completing', 'completed', 'aborting', 'aborted'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `uploads_objectKey_unique` ON `uploads` (`object_key`);--> statement-breakpoint
CREATE INDEX `uploads_due` ON `uploads` (`next_check_at`) WHERE state not in ('completed', 'aborted');--> statement-breakpoint
CREATE INDEX `uploads_node` ON `uploads` (`node_id`,`state`);--> statement-breakpoint
CREATE INDEX `uploads_folder` ON `uploads` (`folder_id`,`filename`);--> statement-breakpoint
CREATE TABLE `versions` (
	`topic` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`changed_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
-- By hand from here: what drizzle-kit cannot say. A migration that rebuilds one of these tables has to make them again.
CREATE VIRTUAL TABLE `posts_search` USING fts5(`folded`, content='posts', content_rowid='row', tokenize='trigram case_sensitive 1');
--> statement-breakpoint
CREATE VIRTUAL TABLE `posts_short` USING fts5(`terms`, content='', contentless_delete=1, detail='none', tokenize='ascii');
--> statement-breakpoint
CREATE TRIGGER `posts_short_delete` AFTER DELETE ON `posts` BEGIN
	DELETE FROM posts_short WHERE rowid = old.row;
END;
--> statement-breakpoint
CREATE TRIGGER `posts_search_insert` AFTER INSERT ON `posts` BEGIN
	INSERT INTO posts_search (rowid, folded) VALUES (new.row, new.folded);
END;
--> statement-breakpoint
CREATE TRIGGER `posts_search_delete` AFTER DELETE ON `posts` BEGIN
	INSERT INTO posts_search (posts_search, rowid, folded) VALUES ('delete', old.row, old.folded);
END;
--> statement-breakpoint
CREATE TRIGGER `posts_search_update` AFTER UPDATE OF `folded` ON `posts` BEGIN
	INSERT INTO posts_search (posts_search, rowid, folded) VALUES ('delete', old.row, old.folded);
	INSERT INTO posts_search (rowid, folded) VALUES (new.row, new.folded);
END;
--> statement-breakpoint
INSERT INTO `versions` (`topic`, `version`, `changed_at`) VALUES
	('posts', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER)),
	('projects', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER)),
	('settings', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
--> statement-breakpoint
CREATE TRIGGER `posts_version_insert` AFTER INSERT ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `posts_version_update` AFTER UPDATE ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `posts_version_delete` AFTER DELETE ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `post_tags_version_insert` AFTER INSERT ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `post_tags_version_update` AFTER UPDATE ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `post_tags_version_delete` AFTER DELETE ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `tags_version_insert` AFTER INSERT ON `tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `tags_version_update` AFTER UPDATE ON `tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `tags_version_delete` AFTER DELETE ON `tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
--> statement-breakpoint
CREATE TRIGGER `projects_version_insert` AFTER INSERT ON `projects` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'projects';
END;
--> statement-breakpoint
CREATE TRIGGER `projects_version_update` AFTER UPDATE ON `projects` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'projects';
END;
--> statement-breakpoint
CREATE TRIGGER `projects_version_delete` AFTER DELETE ON `projects` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'projects';
END;
--> statement-breakpoint
CREATE TRIGGER `settings_version_insert` AFTER INSERT ON `settings` WHEN new.is_public BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'settings';
END;
--> statement-breakpoint
CREATE TRIGGER `settings_version_update` AFTER UPDATE ON `settings` WHEN new.is_public OR old.is_public BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'settings';
END;
--> statement-breakpoint
CREATE TRIGGER `settings_version_delete` AFTER DELETE ON `settings` WHEN old.is_public BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'settings';
END;
--> statement-breakpoint
INSERT INTO `subscriber_counts` (`state`, `count`) VALUES ('active', 0), ('unsubscribed', 0);
--> statement-breakpoint
CREATE TRIGGER `subscribers_count_insert` AFTER INSERT ON `subscribers` BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = new.state;
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_count_delete` AFTER DELETE ON `subscribers` BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = old.state;
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_count_update` AFTER UPDATE OF `state` ON `subscribers` WHEN new.state <> old.state BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = old.state;
	UPDATE subscriber_counts SET count = count + 1 WHERE state = new.state;
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `subscribers_search` USING fts5(`folded`, content='subscribers', content_rowid='row', tokenize='trigram case_sensitive 1', detail=none);
--> statement-breakpoint
CREATE TRIGGER `subscribers_search_insert` AFTER INSERT ON `subscribers` BEGIN
	INSERT INTO subscribers_search (rowid, folded) VALUES (new.row, new.folded);
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_search_delete` AFTER DELETE ON `subscribers` BEGIN
	INSERT INTO subscribers_search (subscribers_search, rowid, folded) VALUES ('delete', old.row, old.folded);
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_search_update` AFTER UPDATE OF `folded` ON `subscribers` BEGIN
	INSERT INTO subscribers_search (subscribers_search, rowid, folded) VALUES ('delete', old.row, old.folded);
	INSERT INTO subscribers_search (rowid, folded) VALUES (new.row, new.folded);
END;
