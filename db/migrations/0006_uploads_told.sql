ALTER TABLE `storage_nodes` ADD `server` text;--> statement-breakpoint
ALTER TABLE `uploads` ADD `etag` text;--> statement-breakpoint
ALTER TABLE `uploads` ADD `checksums` text;--> statement-breakpoint
CREATE INDEX `uploads_open_of_key` ON `uploads` (`api_key_id`,`id`) WHERE state not in ('completed', 'aborted');
--> statement-breakpoint
UPDATE `storage_nodes` SET `max_put_bytes` = 5368709120 WHERE `max_put_bytes` > 5368709120 AND `name` <> 'embedded'; -- what every server takes; P86
