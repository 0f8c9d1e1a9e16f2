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
--> statement-breakpoint
CREATE INDEX `provider_events_address` ON `provider_events` (`hash`,`at`);--> statement-breakpoint
CREATE INDEX `provider_events_received` ON `provider_events` (`received_at`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `suppressions_list` ON `suppressions` (`created_at`,`hash`) WHERE lifted_at is null;