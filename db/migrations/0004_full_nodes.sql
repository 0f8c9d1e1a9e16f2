ALTER TABLE `storage_nodes` ADD `told_free_bytes` integer;--> statement-breakpoint
ALTER TABLE `storage_nodes` ADD `full_since` integer;--> statement-breakpoint
ALTER TABLE `storage_nodes` ADD `refused_bytes` integer;--> statement-breakpoint
ALTER TABLE `storage_nodes` ADD `retry_bytes` integer;--> statement-breakpoint
ALTER TABLE `storage_nodes` ADD `retry_at` integer;--> statement-breakpoint
CREATE INDEX `uploads_refused_or_lost` ON `uploads` (`node_id`,`outcome`,`created_at`) WHERE outcome in ('refused', 'lost', 'vanished');