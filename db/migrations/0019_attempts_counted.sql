ALTER TABLE `broadcast_batches` ADD `admitted_at` integer;--> statement-breakpoint
-- What was attempted in the last hour counts towards its limit
UPDATE broadcast_batches SET admitted_at = created_at WHERE created_at > (unixepoch() - 3600) * 1000 AND attempts > 0;--> statement-breakpoint
DROP INDEX `broadcast_batches_created`;--> statement-breakpoint
CREATE INDEX `broadcast_batches_admitted` ON `broadcast_batches` (`admitted_at`,`count`) WHERE admitted_at is not null;--> statement-breakpoint
ALTER TABLE `outbox` ADD `in_doubt_since` integer;--> statement-breakpoint
-- What became of earlier attempts was not recorded: the provider may have the email since it was created
UPDATE outbox SET in_doubt_since = created_at WHERE state = 'queued' AND attempts > 0;
