CREATE TABLE `setting_files` (
	`file_id` text NOT NULL,
	`setting_key` text NOT NULL,
	PRIMARY KEY(`file_id`, `setting_key`),
	FOREIGN KEY (`file_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`setting_key`) REFERENCES `settings`(`key`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `setting_files_setting` ON `setting_files` (`setting_key`);--> statement-breakpoint
CREATE INDEX `uploads_pictures` ON `uploads` (`id`) WHERE state = 'completed' and deleted_at is null and lower(substr(mime_type, 1, 6)) = 'image/' and lower(substr(mime_type, 1, 9)) <> 'image/svg';
--> statement-breakpoint
-- Which files a setting uses, as for posts (migration 0001)
CREATE TRIGGER `settings_files_insert` AFTER INSERT ON `settings` BEGIN
	INSERT OR IGNORE INTO setting_files (file_id, setting_key)
		SELECT uploads.id, new.key
		FROM json_each('[' || replace(json_quote(new.value), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.value, '/media/');
END;
--> statement-breakpoint
CREATE TRIGGER `settings_files_update` AFTER UPDATE OF `value` ON `settings` BEGIN
	DELETE FROM setting_files WHERE setting_key = old.key;
	INSERT OR IGNORE INTO setting_files (file_id, setting_key)
		SELECT uploads.id, new.key
		FROM json_each('[' || replace(json_quote(new.value), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.value, '/media/');
END;
--> statement-breakpoint
UPDATE `settings` SET `value` = `value` WHERE instr(`value`, '/media/');
