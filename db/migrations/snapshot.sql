-- The tables of a new database. Made by npm run db:snapshot from the migrations up to 2f57efedb30b49162b177ee7198bd191a5b7dc9619cff8b1162839424f8ef61e
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
, `expires_at` integer, `replaced_by` text, `scopes` text, `networks` text, `warned_days` integer, `upload_limits` text, `first_used_at` integer, `ends_when_quiet` integer DEFAULT false NOT NULL) STRICT;
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
CREATE TABLE `folders` (
	`id` text PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
CREATE TABLE `idempotency_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`result_id` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
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
, `honeypot` integer DEFAULT false NOT NULL, `quarantined` integer DEFAULT false NOT NULL, `quarantined_at` integer, `email_key` text DEFAULT '' NOT NULL, `snoozed_until` integer, `surfaced_at` integer DEFAULT 0 NOT NULL, `replied_at` integer, `assignee_id` text REFERENCES managers(id) ON DELETE set null, `thread_key` text, `api_key_id` text) STRICT;
CREATE TABLE `one_time_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`subject` text,
	`payload` text DEFAULT '{}' NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`created_at` integer NOT NULL
, `made_by` text) STRICT;
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
	`created_at` integer NOT NULL, `subject_gone` integer DEFAULT false NOT NULL, `mailbox_key` text, `lane` integer DEFAULT 0 NOT NULL, `admitted_at` integer, `in_doubt_since` integer,
	CONSTRAINT "outbox_known_state" CHECK(state in ('queued', 'sent', 'simulated', 'dead', 'cancelled'))
) STRICT;
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
CREATE TABLE `post_tags` (
	`post_id` text NOT NULL,
	`tag_slug` text NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`post_id`, `tag_slug`),
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag_slug`) REFERENCES `tags`(`slug`) ON UPDATE no action ON DELETE cascade
) STRICT;
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
, `version` integer DEFAULT 1 NOT NULL) STRICT;
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
, `version` integer DEFAULT 1 NOT NULL) STRICT;
CREATE TABLE `rate_limit_hits` (
	`limit` text NOT NULL,
	`client` text NOT NULL,
	`at` integer NOT NULL
) STRICT;
CREATE TABLE `recovery_codes` (
	`manager_id` text NOT NULL,
	`hash` text NOT NULL,
	`used_at` integer,
	PRIMARY KEY(`manager_id`, `hash`),
	FOREIGN KEY (`manager_id`) REFERENCES `managers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`manager_id` text NOT NULL,
	`address` text,
	`user_agent` text,
	`confirmed_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`created_at` integer NOT NULL, `notices` text,
	FOREIGN KEY (`manager_id`) REFERENCES `managers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`is_public` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`updated_by` text,
	`updated_at` integer NOT NULL
) STRICT;
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
	`created_at` integer NOT NULL, `probe` text, `told_free_bytes` integer, `full_since` integer, `refused_bytes` integer, `retry_bytes` integer, `retry_at` integer, `server` text,
	CONSTRAINT "storage_nodes_fits" CHECK(used_bytes >= 0 and reserved_bytes >= 0 and used_bytes + reserved_bytes <= capacity_bytes)
) STRICT;
CREATE TABLE `subscriber_counts` (
	`state` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
) STRICT;
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
, `note` text, `api_key_id` text) STRICT;
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
	`updated_at` integer NOT NULL, `confirmed_at` integer, `consent_note` text, `language` text, `time_zone` text, `paused_until` integer, `consent_at` integer, `consent_url` text,
	CONSTRAINT "subscribers_known_state" CHECK(state in ('active', 'unsubscribed'))
) STRICT;
CREATE TABLE `tags` (
	`slug` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL
, `posts` integer DEFAULT 0 NOT NULL, `released` integer DEFAULT 0 NOT NULL) STRICT;
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
	`created_at` integer NOT NULL, `manager_id` text, `part_size` integer, `received` integer DEFAULT 0 NOT NULL, `url_expires_at` integer, `folded` text DEFAULT '' NOT NULL, `deleted_at` integer, `purge_at` integer, `etag` text, `checksums` text, `metadata` text, `verifying_since` integer, `width` integer, `height` integer, `picture` text, `measure_at` integer, `picture_failures` integer DEFAULT 0 NOT NULL, `alt` text, `focal_x` integer, `focal_y` integer,
	FOREIGN KEY (`node_id`) REFERENCES `storage_nodes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "uploads_known_state" CHECK(state in ('pending', 'open', 'completing', 'completed', 'aborting', 'aborted'))
) STRICT;
CREATE TABLE `versions` (
	`topic` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`changed_at` integer NOT NULL
) STRICT;
CREATE VIRTUAL TABLE `posts_short` USING fts5(`terms`, content='', contentless_delete=1, detail='none', tokenize='ascii');
CREATE VIRTUAL TABLE `subscribers_search` USING fts5(`folded`, content='subscribers', content_rowid='row', tokenize='trigram case_sensitive 1', detail=none);
CREATE TABLE `post_counts` (
	`state` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
) STRICT;
CREATE TABLE `post_files` (
	`file_id` text NOT NULL,
	`post_id` text NOT NULL,
	PRIMARY KEY(`file_id`, `post_id`),
	FOREIGN KEY (`file_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `post_revisions` (
	`id` text PRIMARY KEY NOT NULL,
	`post_id` text NOT NULL,
	`kind` text NOT NULL,
	`version` integer NOT NULL,
	`fields` text NOT NULL,
	`saved_by` text NOT NULL,
	`saved_at` integer NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "post_revisions_known_kind" CHECK(kind in ('saved', 'draft'))
) STRICT;
CREATE TABLE `post_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`post_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `project_files` (
	`file_id` text NOT NULL,
	`project_id` text NOT NULL,
	PRIMARY KEY(`file_id`, `project_id`),
	FOREIGN KEY (`file_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE VIRTUAL TABLE `posts_search` USING fts5(`terms`, content='', contentless_delete=1, tokenize='ascii');
CREATE TABLE `access_rules` (
	`name` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL
) STRICT;
CREATE TABLE `limits_reached` (
	`key` text PRIMARY KEY NOT NULL,
	`reached_at` integer NOT NULL
) STRICT;
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
	`created_at` integer NOT NULL, `admitted_at` integer,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "broadcast_batches_known_state" CHECK(state in ('open', 'accepted', 'split', 'failed', 'skipped', 'uncertain', 'simulated'))
) STRICT;
CREATE TABLE `broadcast_files` (
	`file_id` text NOT NULL,
	`broadcast_row` integer NOT NULL,
	PRIMARY KEY(`file_id`, `broadcast_row`),
	FOREIGN KEY (`file_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `broadcast_letters` (
	`broadcast_row` integer PRIMARY KEY NOT NULL,
	`bytes` integer,
	`content` text DEFAULT '' NOT NULL,
	`page` text,
	`letter` text,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT;
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
	`error` text, `run` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "broadcast_recipients_known_state" CHECK(state between 0 and 5)
) STRICT;
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
	`deleted_at` integer, `reviewed_answered` integer DEFAULT 0 NOT NULL, `refused_bounces` integer DEFAULT 0 NOT NULL, `topic_row` integer REFERENCES topics(row), `segment_row` integer REFERENCES segments(row) ON DELETE set null, `frozen_segment` text, `with_post` integer DEFAULT false NOT NULL,
	CONSTRAINT "broadcasts_known_state" CHECK(state in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled'))
) STRICT;
CREATE TABLE `jobs` (
	`name` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`until` integer NOT NULL
) STRICT;
CREATE TABLE `pending_import_files` (
	`hash` text NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`hash`, `position`),
	FOREIGN KEY (`hash`) REFERENCES `pending_imports`(`hash`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `pending_imports` (
	`hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`session_id` text NOT NULL,
	`options` text DEFAULT '{}' NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
CREATE TABLE `visit_salts` (
	`day` integer PRIMARY KEY NOT NULL,
	`salt` text NOT NULL
) STRICT;
CREATE TABLE `visits` (
	`day` integer NOT NULL,
	`visitor` text NOT NULL,
	PRIMARY KEY(`day`, `visitor`)
) STRICT;
CREATE TABLE `installation` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT;
CREATE TABLE `provider_events` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`recipient_row` integer,
	`outbox_id` text,
	`hash` text,
	`bounce_type` text,
	`detail` text,
	`at` integer NOT NULL,
	`received_at` integer NOT NULL
) STRICT;
CREATE TABLE `suppressions` (
	`hash` text PRIMARY KEY NOT NULL,
	`email` text,
	`reason` text NOT NULL,
	`detail` text,
	`event_id` text,
	`by` text NOT NULL,
	`created_at` integer NOT NULL,
	`lifted_at` integer,
	`lifted_by` text,
	`note` text,
	CONSTRAINT "suppressions_known_reason" CHECK(reason in ('bounce', 'complaint', 'provider', 'manual', 'erased', 'import'))
) STRICT;
CREATE TABLE `scheduled_posts` (
	`post_id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`endpoint_id` text NOT NULL,
	`type` text NOT NULL,
	`subject_id` text,
	`body` text NOT NULL,
	`state` text DEFAULT 'queued' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`lease_until` integer,
	`attempted_at` integer,
	`status` integer,
	`ms` integer,
	`error` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`endpoint_id`) REFERENCES `webhook_endpoints`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "webhook_deliveries_known_state" CHECK(state in ('queued', 'delivered', 'dead'))
) STRICT;
CREATE TABLE `webhook_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`with_people` integer DEFAULT false NOT NULL,
	`secret` text NOT NULL,
	`old_secret` text,
	`old_until` integer,
	`state` text DEFAULT 'on' NOT NULL,
	`failing_since` integer,
	`attempted_at` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL, `verify_seconds` integer DEFAULT 30 NOT NULL, `accepts_unanswered` integer DEFAULT false NOT NULL,
	CONSTRAINT "webhook_endpoints_known_state" CHECK(state in ('on', 'off', 'broken'))
) STRICT;
CREATE TABLE `daily_counts` (
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`kind`, `subject_id`, `day`)
) STRICT;
CREATE TABLE `subscriber_days` (
	`day` integer NOT NULL,
	`source` text NOT NULL,
	`joined` integer DEFAULT 0 NOT NULL,
	`imported` integer DEFAULT 0 NOT NULL,
	`unsubscribed` integer DEFAULT 0 NOT NULL,
	`deleted` integer DEFAULT 0 NOT NULL,
	`added` integer DEFAULT 0 NOT NULL, `suppressed` integer DEFAULT 0 NOT NULL, `paused` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`day`, `source`)
) STRICT;
CREATE TABLE `erasures` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`request` text,
	`scope` text NOT NULL,
	`counts` text NOT NULL,
	`finished_at` integer,
	`waits_for` text,
	`checked_at` integer,
	`remnants` integer
) STRICT;
CREATE TABLE `saved_views` (
	`id` text PRIMARY KEY NOT NULL,
	`manager_id` text NOT NULL,
	`path` text NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`manager_id`) REFERENCES `managers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `api_key_callers` (
	`id` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`network` text NOT NULL,
	`agent` text NOT NULL,
	`route` text NOT NULL,
	`outcome` text NOT NULL,
	`calls` integer NOT NULL,
	`last_at` integer NOT NULL
) STRICT;
CREATE TABLE `audience_tags` (
	`row` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`used_at` integer NOT NULL
) STRICT;
CREATE TABLE `subscriber_tags` (
	`tag_row` integer NOT NULL,
	`subscriber_row` integer NOT NULL,
	PRIMARY KEY(`tag_row`, `subscriber_row`),
	FOREIGN KEY (`tag_row`) REFERENCES `audience_tags`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`subscriber_row`) REFERENCES `subscribers`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`subject` text NOT NULL,
	`title` text NOT NULL,
	`detail` text NOT NULL,
	`since` integer NOT NULL,
	`told_at` integer,
	`quiet_since` integer
) STRICT;
CREATE TABLE `audience_counts` (
	`kind` text NOT NULL,
	`ref` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`kind`, `ref`)
) STRICT, WITHOUT ROWID;
CREATE TABLE `field_values` (
	`subscriber_row` integer NOT NULL,
	`field_row` integer NOT NULL,
	`text` text,
	`number` real, `folded` text,
	PRIMARY KEY(`subscriber_row`, `field_row`),
	FOREIGN KEY (`subscriber_row`) REFERENCES `subscribers`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`field_row`) REFERENCES `subscriber_fields`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
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
CREATE TABLE `subscriber_topics` (
	`topic_row` integer NOT NULL,
	`subscriber_row` integer NOT NULL,
	`chosen` integer NOT NULL,
	PRIMARY KEY(`topic_row`, `subscriber_row`),
	FOREIGN KEY (`topic_row`) REFERENCES `topics`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`subscriber_row`) REFERENCES `subscribers`(`row`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
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
CREATE TABLE `segments` (
	`row` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`definition` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
CREATE TABLE `file_variants` (
	`key` text PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`claimed_until` integer NOT NULL,
	`ready_at` integer,
	FOREIGN KEY (`node_id`) REFERENCES `storage_nodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `message_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`kind` text NOT NULL,
	`author` text,
	`name` text,
	`email` text,
	`email_key` text,
	`text` text NOT NULL,
	`mail_id` text,
	`created_at` integer NOT NULL, `folded` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `snippets` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
CREATE TABLE `bounce_mailbox` (
	`name` text PRIMARY KEY NOT NULL,
	`uid_validity` integer,
	`last_uid` integer DEFAULT 0 NOT NULL,
	`searched_at` integer,
	`problem` text,
	`problem_at` integer,
	`reports` integer DEFAULT 0 NOT NULL,
	`answers` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
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
	`ended_at` integer, `is_end_told` integer DEFAULT 0 NOT NULL, `run` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`sequence_row`) REFERENCES `sequences`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`subscriber_row`) REFERENCES `subscribers`(`row`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`step_row`) REFERENCES `sequence_steps`(`row`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sequence_people_known_state" CHECK(state between 0 and 4)
) STRICT;
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
	`updated_at` integer NOT NULL, `carries_to` integer DEFAULT 0 NOT NULL, `again_days` integer,
	FOREIGN KEY (`tag_row`) REFERENCES `audience_tags`(`row`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`topic_row`) REFERENCES `topics`(`row`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sequences_known_state" CHECK(state in ('draft', 'on', 'paused', 'off'))
) STRICT;
CREATE TABLE `setting_files` (
	`file_id` text NOT NULL,
	`setting_key` text NOT NULL,
	PRIMARY KEY(`file_id`, `setting_key`),
	FOREIGN KEY (`file_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`setting_key`) REFERENCES `settings`(`key`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `api_batches` (
	`key` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`results` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
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
	`updated_at` integer NOT NULL, `weekday` integer, `minute` integer, `zone` text, `next_at` integer,
	FOREIGN KEY (`topic_row`) REFERENCES `topics`(`row`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "post_rules_known_outcome" CHECK(becomes in ('none', 'draft', 'send', 'digest'))
) STRICT;
CREATE TABLE `digests` (
	`row` integer PRIMARY KEY NOT NULL,
	`rule_row` integer,
	`week` text NOT NULL,
	`state` text NOT NULL,
	`broadcast_row` integer,
	`version` integer NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`rule_row`) REFERENCES `post_rules`(`row`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`broadcast_row`) REFERENCES `broadcasts`(`row`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "digests_known_state" CHECK(state in ('due', 'done'))
) STRICT;
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);
CREATE INDEX `audit_events_created` ON `audit_events` (`created_at`,`id`);
CREATE INDEX `audit_events_actor` ON `audit_events` (`actor`,`created_at`);
CREATE INDEX `audit_events_target` ON `audit_events` (`target_id`);
CREATE UNIQUE INDEX `folders_path_unique` ON `folders` (`path`);
CREATE UNIQUE INDEX `managers_emailKey_unique` ON `managers` (`email_key`);
CREATE INDEX `messages_created` ON `messages` (`created_at`,`id`);
CREATE INDEX `messages_source` ON `messages` (`source`,`created_at`);
CREATE INDEX `messages_fingerprint` ON `messages` (`fingerprint`,`created_at`);
CREATE INDEX `one_time_tokens_expiry` ON `one_time_tokens` (`expires_at`);
CREATE INDEX `outbox_created` ON `outbox` (`created_at`,`id`);
CREATE INDEX `outbox_state` ON `outbox` (`state`,`created_at`,`id`);
CREATE INDEX `outbox_subject` ON `outbox` (`subject_id`);
CREATE INDEX `post_tags_tag` ON `post_tags` (`tag_slug`,`post_id`);
CREATE UNIQUE INDEX `posts_id_unique` ON `posts` (`id`);
CREATE UNIQUE INDEX `posts_slug_unique` ON `posts` (`slug`);
CREATE INDEX `posts_published` ON `posts` (`published_at`,`id`) WHERE published = 1 and deleted_at is null;
CREATE INDEX `posts_hidden` ON `posts` (`published_at`) WHERE published = 0 or deleted_at is not null or published_at is null;
CREATE UNIQUE INDEX `projects_slug_unique` ON `projects` (`slug`);
CREATE INDEX `projects_order` ON `projects` (`status`,`featured`,`display_order`,`created_at`);
CREATE INDEX `rate_limit_hits_at` ON `rate_limit_hits` (`at`);
CREATE UNIQUE INDEX `sessions_id_unique` ON `sessions` (`id`);
CREATE INDEX `sessions_manager` ON `sessions` (`manager_id`);
CREATE UNIQUE INDEX `storage_nodes_name_unique` ON `storage_nodes` (`name`);
CREATE INDEX `subscriber_events_subscriber` ON `subscriber_events` (`subscriber_id`,`created_at`);
CREATE INDEX `subscriber_events_scanner` ON `subscriber_events` (`created_at`) WHERE probable_scanner = 1;
CREATE UNIQUE INDEX `subscribers_id_unique` ON `subscribers` (`id`);
CREATE UNIQUE INDEX `subscribers_emailKey_unique` ON `subscribers` (`email_key`);
CREATE INDEX `subscribers_created` ON `subscribers` (`created_at`,`id`);
CREATE INDEX `subscribers_state_created` ON `subscribers` (`state`,`created_at`,`id`);
CREATE INDEX `subscribers_source` ON `subscribers` (`source`,`created_at`,`id`);
CREATE UNIQUE INDEX `uploads_objectKey_unique` ON `uploads` (`object_key`);
CREATE INDEX `uploads_due` ON `uploads` (`next_check_at`) WHERE state not in ('completed', 'aborted');
CREATE INDEX `uploads_node` ON `uploads` (`node_id`,`state`);
CREATE INDEX `uploads_folder` ON `uploads` (`folder_id`,`filename`);
CREATE INDEX `post_files_post` ON `post_files` (`post_id`);
CREATE INDEX `post_revisions_post` ON `post_revisions` (`post_id`,`saved_at`);
CREATE UNIQUE INDEX `post_revisions_draft` ON `post_revisions` (`post_id`,`saved_by`) WHERE kind = 'draft';
CREATE INDEX `post_slugs_post` ON `post_slugs` (`post_id`);
CREATE INDEX `project_files_project` ON `project_files` (`project_id`);
CREATE INDEX `subscriber_events_network` ON `subscriber_events` (`network`,`created_at`) WHERE kind = 'unsubscribed';
CREATE INDEX `posts_desk` ON `posts` (case when published_at is null then 9e15 else published_at end,`id`) WHERE deleted_at is null;
CREATE INDEX `posts_drafts` ON `posts` (case when published_at is null then 9e15 else published_at end,`id`) WHERE published = 0 and deleted_at is null;
CREATE INDEX `posts_titles` ON `posts` (title collate nocase,`id`) WHERE deleted_at is null;
CREATE INDEX `posts_views` ON `posts` (`views`,`id`) WHERE deleted_at is null;
CREATE INDEX `posts_drafts_titles` ON `posts` (title collate nocase,`id`) WHERE published = 0 and deleted_at is null;
CREATE INDEX `posts_drafts_views` ON `posts` (`views`,`id`) WHERE published = 0 and deleted_at is null;
CREATE INDEX `posts_trash` ON `posts` (`deleted_at`,`id`) WHERE deleted_at is not null;
CREATE INDEX `uploads_files` ON `uploads` (`folder_id`,`folded`,`id`) WHERE state = 'completed' and deleted_at is null;
CREATE INDEX `uploads_purge` ON `uploads` (`purge_at`) WHERE purge_at is not null;
CREATE INDEX `folders_above` ON `folders` (rtrim(path, replace(path, '/', '')), path);
CREATE INDEX `outbox_gone` ON `outbox` (`recipient_key`,`created_at`) WHERE subject_gone = 1;
CREATE INDEX `uploads_refused_or_lost` ON `uploads` (`node_id`,`outcome`,`created_at`) WHERE outcome in ('refused', 'lost', 'vanished');
CREATE INDEX `uploads_open_of_key` ON `uploads` (`api_key_id`,`id`) WHERE state not in ('completed', 'aborted');
CREATE INDEX `subscriber_events_kind` ON `subscriber_events` (`kind`,`created_at`);
CREATE INDEX `messages_people` ON `messages` (`created_at`) WHERE honeypot = 0;
CREATE INDEX `outbox_admitted` ON `outbox` (`admitted_at`) WHERE admitted_at is not null;
CREATE INDEX `outbox_mailbox` ON `outbox` (`mailbox_key`,`created_at`) WHERE mailbox_key is not null;
CREATE INDEX `outbox_due` ON `outbox` (`lane`,`next_attempt_at`) WHERE state = 'queued';
CREATE INDEX `broadcast_batches_open` ON `broadcast_batches` (`broadcast_row`,`next_attempt_at`) WHERE state = 'open';
CREATE INDEX `broadcast_batches_broadcast` ON `broadcast_batches` (`broadcast_row`,`first_recipient`);
CREATE INDEX `broadcast_files_broadcast` ON `broadcast_files` (`broadcast_row`);
CREATE INDEX `broadcast_recipients_person` ON `broadcast_recipients` (`subscriber_row`) WHERE subscriber_row is not null;
CREATE INDEX `broadcast_recipients_trouble` ON `broadcast_recipients` (`broadcast_row`,`row`) WHERE bounced_at is not null or complained_at is not null or state in (2, 3);
CREATE UNIQUE INDEX `broadcasts_id_unique` ON `broadcasts` (`id`);
CREATE UNIQUE INDEX `broadcasts_slug_unique` ON `broadcasts` (`slug`);
CREATE INDEX `broadcasts_due` ON `broadcasts` (`scheduled_at`) WHERE state = 'scheduled';
CREATE INDEX `broadcasts_active` ON `broadcasts` (`row`) WHERE state in ('sending', 'paused');
CREATE INDEX `broadcasts_list` ON `broadcasts` (`created_at`,`id`) WHERE deleted_at is null;
CREATE INDEX `broadcasts_archive` ON `broadcasts` (`finished_at`,`id`) WHERE archive = 'listed' and state = 'sent';
CREATE INDEX `subscribers_suppressed` ON `subscribers` (`suppressed_at`) WHERE suppressed_at is not null;
CREATE INDEX `subscribers_pending` ON `subscribers` (`pending_at`) WHERE pending_at is not null;
CREATE INDEX `pending_imports_expiry` ON `pending_imports` (`expires_at`);
CREATE INDEX `provider_events_address` ON `provider_events` (`hash`,`at`);
CREATE INDEX `provider_events_received` ON `provider_events` (`received_at`);
CREATE INDEX `suppressions_list` ON `suppressions` (`created_at`,`hash`) WHERE lifted_at is null;
CREATE INDEX `scheduled_posts_due` ON `scheduled_posts` (`at`);
CREATE INDEX `deliveries_due` ON `webhook_deliveries` (`endpoint_id`,`next_attempt_at`,`id`) WHERE state = 'queued';
CREATE INDEX `deliveries_list` ON `webhook_deliveries` (`endpoint_id`,`created_at`,`id`);
CREATE INDEX `deliveries_leased` ON `webhook_deliveries` (`lease_until`) WHERE lease_until is not null;
CREATE INDEX `deliveries_age` ON `webhook_deliveries` (`created_at`);
CREATE INDEX `daily_counts_recent` ON `daily_counts` (`kind`,`day`,`subject_id`,`count`);
CREATE INDEX `erasures_hash` ON `erasures` (`hash`);
CREATE INDEX `messages_sender` ON `messages` (`email_key`,`created_at`);
CREATE UNIQUE INDEX `saved_views_name` ON `saved_views` (`manager_id`,`path`,`name`);
CREATE INDEX `subscribers_unsubscribed` ON `subscribers` (`state`,`unsubscribed_at`,`id`) WHERE state = 'unsubscribed';
CREATE INDEX `broadcast_batches_admitted` ON `broadcast_batches` (`admitted_at`,`count`) WHERE admitted_at is not null;
CREATE INDEX `api_key_callers_key` ON `api_key_callers` (`key_id`,`last_at`);
CREATE INDEX `deliveries_verifying` ON `webhook_deliveries` (`subject_id`) WHERE type = 'upload.verify' and state = 'queued';
CREATE INDEX `subscribers_language` ON `subscribers` (`language`,`created_at`,`id`) WHERE language is not null;
CREATE UNIQUE INDEX `audience_tags_folded_unique` ON `audience_tags` (`folded`);
CREATE INDEX `subscriber_tags_subscriber` ON `subscriber_tags` (`subscriber_row`,`tag_row`);
CREATE UNIQUE INDEX `alerts_subject` ON `alerts` (`name`,`subject`);
CREATE UNIQUE INDEX `subscriber_fields_id_unique` ON `subscriber_fields` (`id`);
CREATE UNIQUE INDEX `subscriber_fields_key_unique` ON `subscriber_fields` (`key`);
CREATE INDEX `subscriber_topics_subscriber` ON `subscriber_topics` (`subscriber_row`,`topic_row`,`chosen`);
CREATE UNIQUE INDEX `topics_id_unique` ON `topics` (`id`);
CREATE UNIQUE INDEX `topics_slug_unique` ON `topics` (`slug`);
CREATE UNIQUE INDEX `topics_folded_unique` ON `topics` (`folded`);
CREATE INDEX `subscribers_paused` ON `subscribers` (`paused_until`) WHERE paused_until is not null;
CREATE UNIQUE INDEX `segments_id_unique` ON `segments` (`id`);
CREATE UNIQUE INDEX `segments_folded_unique` ON `segments` (`folded`);
CREATE INDEX `file_variants_node` ON `file_variants` (`node_id`,`key`);
CREATE INDEX `uploads_measure` ON `uploads` (`measure_at`) WHERE measure_at is not null and state = 'completed';
CREATE INDEX `message_entries_thread` ON `message_entries` (`message_id`,`created_at`,`id`);
CREATE INDEX `message_entries_sender` ON `message_entries` (`email_key`) WHERE email_key is not null;
CREATE UNIQUE INDEX `message_entries_mail` ON `message_entries` (`mail_id`) WHERE mail_id is not null;
CREATE INDEX `messages_snoozed` ON `messages` (`snoozed_until`) WHERE snoozed_until is not null;
CREATE INDEX `messages_assignee` ON `messages` (`assignee_id`) WHERE assignee_id is not null;
CREATE UNIQUE INDEX `messages_thread` ON `messages` (`thread_key`) WHERE thread_key is not null;
CREATE INDEX `messages_box` ON `messages` (`deleted_at`,`spam_reason`,`quarantined`,`archived_at`,`snoozed_until`,`surfaced_at`,`id`,`read_at`);
CREATE UNIQUE INDEX `sequence_people_once` ON `sequence_people` (`sequence_row`,`subscriber_row`);
CREATE INDEX `sequence_people_person` ON `sequence_people` (`subscriber_row`);
CREATE INDEX `sequence_people_due` ON `sequence_people` (`step_row`,`due_at`) WHERE state = 0;
CREATE INDEX `sequence_people_claimed` ON `sequence_people` (`row`) WHERE state = 1;
CREATE UNIQUE INDEX `sequence_steps_broadcast` ON `sequence_steps` (`broadcast_row`);
CREATE UNIQUE INDEX `sequence_steps_order` ON `sequence_steps` (`sequence_row`,`edition`,`position`);
CREATE UNIQUE INDEX `sequence_steps_number` ON `sequence_steps` (`sequence_row`,`edition`,`number`);
CREATE UNIQUE INDEX `sequences_id_unique` ON `sequences` (`id`);
CREATE UNIQUE INDEX `sequences_folded_unique` ON `sequences` (`folded`);
CREATE INDEX `setting_files_setting` ON `setting_files` (`setting_key`);
CREATE INDEX `uploads_pictures` ON `uploads` (`id`) WHERE state = 'completed' and deleted_at is null and lower(substr(mime_type, 1, 6)) = 'image/' and lower(substr(mime_type, 1, 9)) <> 'image/svg';
CREATE INDEX `post_mailings_due` ON `post_mailings` (`due_at`) WHERE state = 'due';
CREATE INDEX `post_mailings_broadcast` ON `post_mailings` (`broadcast_row`) WHERE broadcast_row is not null;
CREATE UNIQUE INDEX `post_rules_id_unique` ON `post_rules` (`id`);
CREATE UNIQUE INDEX `digests_once` ON `digests` (`rule_row`,`week`);
CREATE INDEX `digests_due` ON `digests` (`due_at`) WHERE state = 'due';
CREATE INDEX `digests_broadcast` ON `digests` (`broadcast_row`);
CREATE INDEX `post_mailings_waiting` ON `post_mailings` (`rule_row`) WHERE state = 'waiting';
CREATE INDEX `sequence_people_held` ON `sequence_people` (`step_row`) WHERE state = 2;
CREATE INDEX `messages_api_key` ON `messages` (`api_key_id`,`created_at`) WHERE api_key_id is not null;
CREATE INDEX `sequence_people_ended` ON `sequence_people` (`row`) WHERE state >= 3 and is_end_told = 0;
CREATE UNIQUE INDEX `broadcast_recipients_once` ON `broadcast_recipients` (`broadcast_row`,`subscriber_row`,`run`);
CREATE INDEX `subscriber_events_key` ON `subscriber_events` (`api_key_id`,`subscriber_id`) WHERE api_key_id is not null and kind in ('subscribed', 'reactivated');
CREATE TRIGGER `posts_short_delete` AFTER DELETE ON `posts` BEGIN
	DELETE FROM posts_short WHERE rowid = old.row;
END;
CREATE TRIGGER `posts_version_insert` AFTER INSERT ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `posts_version_update` AFTER UPDATE ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `posts_version_delete` AFTER DELETE ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `post_tags_version_insert` AFTER INSERT ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `post_tags_version_update` AFTER UPDATE ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `post_tags_version_delete` AFTER DELETE ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `tags_version_insert` AFTER INSERT ON `tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `tags_version_update` AFTER UPDATE ON `tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `tags_version_delete` AFTER DELETE ON `tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'posts';
END;
CREATE TRIGGER `projects_version_insert` AFTER INSERT ON `projects` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'projects';
END;
CREATE TRIGGER `projects_version_update` AFTER UPDATE ON `projects` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'projects';
END;
CREATE TRIGGER `projects_version_delete` AFTER DELETE ON `projects` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'projects';
END;
CREATE TRIGGER `settings_version_insert` AFTER INSERT ON `settings` WHEN new.is_public BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'settings';
END;
CREATE TRIGGER `settings_version_update` AFTER UPDATE ON `settings` WHEN new.is_public OR old.is_public BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'settings';
END;
CREATE TRIGGER `settings_version_delete` AFTER DELETE ON `settings` WHEN old.is_public BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'settings';
END;
CREATE TRIGGER `subscribers_count_insert` AFTER INSERT ON `subscribers` BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = new.state;
END;
CREATE TRIGGER `subscribers_count_delete` AFTER DELETE ON `subscribers` BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = old.state;
END;
CREATE TRIGGER `subscribers_count_update` AFTER UPDATE OF `state` ON `subscribers` WHEN new.state <> old.state BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = old.state;
	UPDATE subscriber_counts SET count = count + 1 WHERE state = new.state;
END;
CREATE TRIGGER `posts_files_insert` AFTER INSERT ON `posts` BEGIN
	INSERT OR IGNORE INTO post_files (file_id, post_id)
		SELECT uploads.id, new.id
		FROM json_each('[' || replace(json_quote(new.cover_image || ' ' || new.content), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.cover_image || ' ' || new.content, '/media/');
END;
CREATE TRIGGER `posts_files_update` AFTER UPDATE OF `cover_image`, `content` ON `posts` BEGIN
	DELETE FROM post_files WHERE post_id = old.id;
	INSERT OR IGNORE INTO post_files (file_id, post_id)
		SELECT uploads.id, new.id
		FROM json_each('[' || replace(json_quote(new.cover_image || ' ' || new.content), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.cover_image || ' ' || new.content, '/media/');
END;
CREATE TRIGGER `projects_files_insert` AFTER INSERT ON `projects` BEGIN
	INSERT OR IGNORE INTO project_files (file_id, project_id)
		SELECT uploads.id, new.id
		FROM json_each('[' || replace(json_quote(new.image_url || ' ' || new.description), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.image_url || ' ' || new.description, '/media/');
END;
CREATE TRIGGER `projects_files_update` AFTER UPDATE OF `image_url`, `description` ON `projects` BEGIN
	DELETE FROM project_files WHERE project_id = old.id;
	INSERT OR IGNORE INTO project_files (file_id, project_id)
		SELECT uploads.id, new.id
		FROM json_each('[' || replace(json_quote(new.image_url || ' ' || new.description), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.image_url || ' ' || new.description, '/media/');
END;
CREATE TRIGGER `post_counts_insert` AFTER INSERT ON `posts` BEGIN
	UPDATE post_counts SET count = count + 1 WHERE state = CASE WHEN new.deleted_at IS NOT NULL THEN 'trash' WHEN new.published THEN 'released' ELSE 'draft' END;
END;
CREATE TRIGGER `post_counts_delete` AFTER DELETE ON `posts` BEGIN
	UPDATE post_counts SET count = count - 1 WHERE state = CASE WHEN old.deleted_at IS NOT NULL THEN 'trash' WHEN old.published THEN 'released' ELSE 'draft' END;
END;
CREATE TRIGGER `post_counts_update` AFTER UPDATE OF `published`, `deleted_at` ON `posts` BEGIN
	UPDATE post_counts SET count = count - 1 WHERE state = CASE WHEN old.deleted_at IS NOT NULL THEN 'trash' WHEN old.published THEN 'released' ELSE 'draft' END;
	UPDATE post_counts SET count = count + 1 WHERE state = CASE WHEN new.deleted_at IS NOT NULL THEN 'trash' WHEN new.published THEN 'released' ELSE 'draft' END;
END;
CREATE TRIGGER `tags_posts_insert` AFTER INSERT ON `post_tags` BEGIN
	UPDATE tags SET posts = posts + 1, released = released + (SELECT published FROM posts WHERE id = new.post_id) WHERE slug = new.tag_slug AND EXISTS (SELECT 1 FROM posts WHERE id = new.post_id AND deleted_at IS NULL);
END;
CREATE TRIGGER `tags_posts_delete` AFTER DELETE ON `post_tags` BEGIN
	UPDATE tags SET posts = posts - 1, released = released - (SELECT published FROM posts WHERE id = old.post_id) WHERE slug = old.tag_slug AND EXISTS (SELECT 1 FROM posts WHERE id = old.post_id AND deleted_at IS NULL);
END;
CREATE TRIGGER `tags_posts_trash` AFTER UPDATE OF `deleted_at` ON `posts` WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
	UPDATE tags SET posts = posts + CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END WHERE slug IN (SELECT tag_slug FROM post_tags WHERE post_id = new.id);
END;
CREATE TRIGGER `tags_released` AFTER UPDATE OF `published`, `deleted_at` ON `posts` WHEN (old.published AND old.deleted_at IS NULL) <> (new.published AND new.deleted_at IS NULL) BEGIN
	UPDATE tags SET released = released + CASE WHEN new.published AND new.deleted_at IS NULL THEN 1 ELSE -1 END WHERE slug IN (SELECT tag_slug FROM post_tags WHERE post_id = new.id);
END;
CREATE TRIGGER `tags_posts_gone` BEFORE DELETE ON `posts` BEGIN
	DELETE FROM post_tags WHERE post_id = old.id;
END;
CREATE TRIGGER `posts_feeds_insert` AFTER INSERT ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
CREATE TRIGGER `posts_feeds_update` AFTER UPDATE OF `slug`, `title`, `excerpt`, `author`, `content`, `published`, `published_at`, `deleted_at`, `updated_at` ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
CREATE TRIGGER `posts_feeds_delete` AFTER DELETE ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
CREATE TRIGGER `post_tags_feeds_insert` AFTER INSERT ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
CREATE TRIGGER `post_tags_feeds_delete` AFTER DELETE ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
CREATE TRIGGER `tags_feeds_update` AFTER UPDATE ON `tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
CREATE TRIGGER `api_keys_version_insert` AFTER INSERT ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
CREATE TRIGGER `api_keys_version_delete` AFTER DELETE ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
CREATE TRIGGER `outbox_subject_gone` AFTER DELETE ON `subscribers` BEGIN
	UPDATE outbox SET subject_gone = 1 WHERE subject_id = old.id;
END;
CREATE TRIGGER `subscribers_search_insert` AFTER INSERT ON `subscribers`
WHEN new.row >= (SELECT coalesce(max(id), 0) FROM subscribers_search_docsize) + 1000 BEGIN
	INSERT INTO subscribers_search (rowid, folded)
		SELECT row, folded FROM subscribers WHERE row > (SELECT coalesce(max(id), 0) FROM subscribers_search_docsize);
END;
CREATE TRIGGER `subscribers_search_delete` AFTER DELETE ON `subscribers`
WHEN EXISTS (SELECT 1 FROM subscribers_search_docsize WHERE id = old.row) BEGIN
	INSERT INTO subscribers_search (subscribers_search, rowid, folded) VALUES ('delete', old.row, old.folded);
END;
CREATE TRIGGER `subscribers_search_update` AFTER UPDATE OF `folded` ON `subscribers`
WHEN EXISTS (SELECT 1 FROM subscribers_search_docsize WHERE id = old.row) BEGIN
	INSERT INTO subscribers_search (subscribers_search, rowid, folded) VALUES ('delete', old.row, old.folded);
	INSERT INTO subscribers_search (rowid, folded) VALUES (new.row, new.folded);
END;
CREATE TRIGGER `posts_search_delete` AFTER DELETE ON `posts` BEGIN
	DELETE FROM posts_search WHERE rowid = old.row;
END;
CREATE TRIGGER `broadcast_recipients_person_gone` BEFORE DELETE ON `subscribers` BEGIN
	UPDATE broadcast_recipients SET subscriber_row = NULL WHERE subscriber_row = old.row;
END;
CREATE TRIGGER `broadcast_letters_files_insert` AFTER INSERT ON `broadcast_letters` BEGIN
	INSERT OR IGNORE INTO broadcast_files (file_id, broadcast_row)
		SELECT uploads.id, new.broadcast_row
		FROM json_each('[' || replace(json_quote(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, '')), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, ''), '/media/');
END;
CREATE TRIGGER `broadcast_letters_files_update` AFTER UPDATE OF `content`, `letter`, `page` ON `broadcast_letters` BEGIN
	DELETE FROM broadcast_files WHERE broadcast_row = old.broadcast_row;
	INSERT OR IGNORE INTO broadcast_files (file_id, broadcast_row)
		SELECT uploads.id, new.broadcast_row
		FROM json_each('[' || replace(json_quote(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, '')), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.content || ' ' || coalesce(new.letter, '') || ' ' || coalesce(new.page, ''), '/media/');
END;
CREATE TRIGGER `broadcasts_version_update` AFTER UPDATE OF `state`, `archive`, `slug`, `deleted_at` ON `broadcasts`
WHEN new.started_at IS NOT NULL BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'broadcasts';
END;
CREATE TRIGGER `broadcasts_version_delete` AFTER DELETE ON `broadcasts` WHEN old.started_at IS NOT NULL BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'broadcasts';
END;
CREATE TRIGGER `daily_counts_post` AFTER DELETE ON `posts` BEGIN DELETE FROM daily_counts WHERE kind = 'view' AND subject_id = old.id; END;
CREATE TRIGGER `daily_counts_project` AFTER DELETE ON `projects` BEGIN DELETE FROM daily_counts WHERE kind = 'click' AND subject_id = old.id; END;
CREATE TRIGGER `daily_counts_broadcast` AFTER DELETE ON `broadcasts` BEGIN DELETE FROM daily_counts WHERE kind IN ('page', 'unsubscribe') AND subject_id = old.id; END;
CREATE TRIGGER `broadcast_recipients_unsubscribed` AFTER UPDATE OF `unsubscribed_at` ON `broadcast_recipients`
WHEN new.unsubscribed_at IS NOT NULL AND old.unsubscribed_at IS NULL BEGIN
	INSERT INTO daily_counts (kind, subject_id, day, count)
		SELECT 'unsubscribe', id, new.unsubscribed_at / 86400000, 1 FROM broadcasts WHERE row = new.broadcast_row
		ON CONFLICT (kind, subject_id, day) DO UPDATE SET count = count + 1;
END;
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
CREATE TRIGGER `subscribers_pending_insert` AFTER INSERT ON `subscribers` WHEN new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'pending';
END;
CREATE TRIGGER `subscribers_pending_delete` AFTER DELETE ON `subscribers` WHEN old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'pending';
END;
CREATE TRIGGER `subscribers_pending_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NOT NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NOT NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NOT NULL) WHERE state = 'pending';
END;
CREATE TRIGGER `subscribers_suppressed_insert` AFTER INSERT ON `subscribers` WHEN new.state = 'active' AND new.suppressed_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'suppressed';
END;
CREATE TRIGGER `subscribers_suppressed_delete` AFTER DELETE ON `subscribers` WHEN old.state = 'active' AND old.suppressed_at IS NOT NULL BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'suppressed';
END;
CREATE TRIGGER `subscribers_suppressed_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NOT NULL) <> (old.state = 'active' AND old.suppressed_at IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NOT NULL) - (old.state = 'active' AND old.suppressed_at IS NOT NULL) WHERE state = 'suppressed';
END;
CREATE TRIGGER `subscriber_days_insert` AFTER INSERT ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) BEGIN
	INSERT INTO subscriber_days (day, source, joined, imported)
		VALUES (new.created_at / 86400000, coalesce(new.source, ''), 1, new.consent_note IS NOT NULL)
		ON CONFLICT (day, source) DO UPDATE SET joined = joined + 1, imported = imported + excluded.imported;
	INSERT INTO subscriber_days (day, source, added)
		SELECT new.updated_at / 86400000, coalesce(new.source, ''), 1 WHERE new.consent_note IS NOT NULL
		ON CONFLICT (day, source) DO UPDATE SET added = added + 1;
END;
CREATE TRIGGER `subscriber_days_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL) BEGIN
	INSERT INTO subscriber_days (day, source, joined, unsubscribed, suppressed) VALUES (
		new.updated_at / 86400000, coalesce(new.source, ''),
		(new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) AND (old.state <> 'active' OR old.pending_at IS NOT NULL),
		NOT (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) AND (new.state <> 'active' OR new.suppressed_at IS NULL),
		(new.state = 'active' AND new.suppressed_at IS NOT NULL) - ((new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL) AND old.state = 'active' AND old.pending_at IS NULL)
	) ON CONFLICT (day, source) DO UPDATE SET joined = joined + excluded.joined, unsubscribed = unsubscribed + excluded.unsubscribed, suppressed = suppressed + excluded.suppressed;
END;
CREATE TRIGGER `subscriber_days_delete` AFTER DELETE ON `subscribers` WHEN (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL) BEGIN
	INSERT INTO subscriber_days (day, source, deleted)
		VALUES (coalesce((SELECT max(created_at) FROM subscriber_events WHERE subscriber_id = old.id), unixepoch() * 1000) / 86400000, coalesce(old.source, ''), 1)
		ON CONFLICT (day, source) DO UPDATE SET deleted = deleted + 1;
END;
CREATE TRIGGER `api_keys_version_update` AFTER UPDATE OF `hash`, `active`, `expires_at`, `replaced_by`, `scopes`, `networks`, `upload_limits` ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
CREATE TRIGGER `subscribers_mailable_insert` AFTER INSERT ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NULL) BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'mailable';
END;
CREATE TRIGGER `subscribers_mailable_delete` AFTER DELETE ON `subscribers` WHEN (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NULL) BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'mailable';
END;
CREATE TRIGGER `subscribers_mailable_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at`, `paused_until` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NULL) WHERE state = 'mailable';
END;
CREATE TRIGGER `subscribers_paused_insert` AFTER INSERT ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + 1 WHERE state = 'paused';
END;
CREATE TRIGGER `subscribers_paused_delete` AFTER DELETE ON `subscribers` WHEN (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count - 1 WHERE state = 'paused';
END;
CREATE TRIGGER `subscribers_paused_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at`, `paused_until` ON `subscribers`
WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) BEGIN
	UPDATE subscriber_counts SET count = count + (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) WHERE state = 'paused';
END;
CREATE TRIGGER `subscriber_days_paused_insert` AFTER INSERT ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) BEGIN
	INSERT INTO subscriber_days (day, source, paused) VALUES (new.updated_at / 86400000, coalesce(new.source, ''), 1)
		ON CONFLICT (day, source) DO UPDATE SET paused = paused + 1;
END;
CREATE TRIGGER `subscriber_days_paused_update` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at`, `paused_until` ON `subscribers` WHEN (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) <> (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) BEGIN
	INSERT INTO subscriber_days (day, source, paused) VALUES (new.updated_at / 86400000, coalesce(new.source, ''), (new.state = 'active' AND new.suppressed_at IS NULL AND new.pending_at IS NULL AND new.paused_until IS NOT NULL) - (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL))
		ON CONFLICT (day, source) DO UPDATE SET paused = paused + excluded.paused;
END;
CREATE TRIGGER `subscriber_days_paused_delete` AFTER DELETE ON `subscribers` WHEN (old.state = 'active' AND old.suppressed_at IS NULL AND old.pending_at IS NULL AND old.paused_until IS NOT NULL) BEGIN
	INSERT INTO subscriber_days (day, source, paused)
		VALUES (coalesce((SELECT max(created_at) FROM subscriber_events WHERE subscriber_id = old.id), unixepoch() * 1000) / 86400000, coalesce(old.source, ''), -1)
		ON CONFLICT (day, source) DO UPDATE SET paused = paused - 1;
END;
CREATE TRIGGER `subscriber_tags_count_insert` AFTER INSERT ON `subscriber_tags` BEGIN
	INSERT INTO audience_counts (kind, ref, count) VALUES ('tag', new.tag_row, 1) ON CONFLICT (kind, ref) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER `subscriber_tags_count_delete` AFTER DELETE ON `subscriber_tags` BEGIN
	UPDATE audience_counts SET count = count - 1 WHERE kind = 'tag' AND ref = old.tag_row;
END;
CREATE TRIGGER `subscriber_topics_count_insert` AFTER INSERT ON `subscriber_topics` WHEN new.chosen = 1 BEGIN
	INSERT INTO audience_counts (kind, ref, count) VALUES ('topic', new.topic_row, 1) ON CONFLICT (kind, ref) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER `subscriber_topics_count_delete` AFTER DELETE ON `subscriber_topics` WHEN old.chosen = 1 BEGIN
	UPDATE audience_counts SET count = count - 1 WHERE kind = 'topic' AND ref = old.topic_row;
END;
CREATE TRIGGER `field_values_count_insert` AFTER INSERT ON `field_values` BEGIN
	INSERT INTO audience_counts (kind, ref, count) VALUES ('field', new.field_row, 1) ON CONFLICT (kind, ref) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER `field_values_count_delete` AFTER DELETE ON `field_values` BEGIN
	UPDATE audience_counts SET count = count - 1 WHERE kind = 'field' AND ref = old.field_row;
END;
CREATE TRIGGER `subscriber_topics_count_update` AFTER UPDATE OF `chosen` ON `subscriber_topics` WHEN new.chosen <> old.chosen BEGIN
	INSERT INTO audience_counts (kind, ref, count) VALUES ('topic', new.topic_row, new.chosen - old.chosen) ON CONFLICT (kind, ref) DO UPDATE SET count = count + excluded.count;
END;
CREATE TRIGGER `sequence_people_left` AFTER UPDATE OF `state`, `suppressed_at`, `pending_at` ON `subscribers`
WHEN new.state <> 'active' OR new.suppressed_at IS NOT NULL OR new.pending_at IS NOT NULL BEGIN
	UPDATE sequence_people SET
		state = CASE state WHEN 1 THEN 1 ELSE 4 END,
		reason = CASE WHEN new.state = 'active' AND new.suppressed_at IS NOT NULL THEN 'suppressed' ELSE 'left' END,
		due_at = NULL,
		ended_at = CASE state WHEN 1 THEN NULL ELSE new.updated_at END
	WHERE subscriber_row = new.row AND state < 3 AND reason IS NULL;
END;
CREATE TRIGGER `sequence_people_held` AFTER UPDATE OF `paused_until` ON `subscribers` WHEN new.paused_until IS NOT NULL BEGIN
	UPDATE sequence_people SET state = CASE state WHEN 0 THEN 2 ELSE state END WHERE subscriber_row = new.row AND state < 2;
END;
CREATE TRIGGER `sequence_people_topic_update` AFTER UPDATE OF `chosen` ON `subscriber_topics` WHEN new.chosen = 0 BEGIN
	UPDATE sequence_people SET state = CASE state WHEN 1 THEN 1 ELSE 4 END, reason = 'topic', due_at = NULL,
		ended_at = CASE state WHEN 1 THEN NULL ELSE CAST(unixepoch('subsec') * 1000 AS INTEGER) END
	WHERE subscriber_row = new.subscriber_row AND state < 3 AND reason IS NULL
		AND sequence_row IN (SELECT row FROM sequences WHERE "trigger" = 'topic' AND topic_row = new.topic_row);
END;
CREATE TRIGGER `sequence_people_topic_delete` AFTER DELETE ON `subscriber_topics` WHEN old.chosen = 1 BEGIN
	UPDATE sequence_people SET state = CASE state WHEN 1 THEN 1 ELSE 4 END, reason = 'topic', due_at = NULL,
		ended_at = CASE state WHEN 1 THEN NULL ELSE CAST(unixepoch('subsec') * 1000 AS INTEGER) END
	WHERE subscriber_row = old.subscriber_row AND state < 3 AND reason IS NULL
		AND sequence_row IN (SELECT row FROM sequences WHERE "trigger" = 'topic' AND topic_row = old.topic_row);
END;
CREATE TRIGGER `settings_files_insert` AFTER INSERT ON `settings` BEGIN
	INSERT OR IGNORE INTO setting_files (file_id, setting_key)
		SELECT uploads.id, new.key
		FROM json_each('[' || replace(json_quote(new.value), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.value, '/media/');
END;
CREATE TRIGGER `settings_files_update` AFTER UPDATE OF `value` ON `settings` BEGIN
	DELETE FROM setting_files WHERE setting_key = old.key;
	INSERT OR IGNORE INTO setting_files (file_id, setting_key)
		SELECT uploads.id, new.key
		FROM json_each('[' || replace(json_quote(new.value), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.value, '/media/');
END;
INSERT INTO "subscriber_counts" VALUES ('active', 0);
INSERT INTO "subscriber_counts" VALUES ('unsubscribed', 0);
INSERT INTO "subscriber_counts" VALUES ('mailable', 0);
INSERT INTO "subscriber_counts" VALUES ('pending', 0);
INSERT INTO "subscriber_counts" VALUES ('suppressed', 0);
INSERT INTO "subscriber_counts" VALUES ('paused', 0);
INSERT INTO "versions" VALUES ('posts', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
INSERT INTO "versions" VALUES ('projects', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
INSERT INTO "versions" VALUES ('settings', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
INSERT INTO "versions" VALUES ('feeds', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
INSERT INTO "versions" VALUES ('keys', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
INSERT INTO "versions" VALUES ('broadcasts', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
INSERT INTO "post_counts" VALUES ('draft', 0);
INSERT INTO "post_counts" VALUES ('released', 0);
INSERT INTO "post_counts" VALUES ('trash', 0);
