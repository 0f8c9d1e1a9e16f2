CREATE TABLE `post_counts` (
	`state` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `post_files` (
	`file_id` text NOT NULL,
	`post_id` text NOT NULL,
	PRIMARY KEY(`file_id`, `post_id`),
	FOREIGN KEY (`file_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `post_files_post` ON `post_files` (`post_id`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `post_revisions_post` ON `post_revisions` (`post_id`,`saved_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `post_revisions_draft` ON `post_revisions` (`post_id`,`saved_by`) WHERE kind = 'draft';--> statement-breakpoint
CREATE TABLE `post_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`post_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `post_slugs_post` ON `post_slugs` (`post_id`);--> statement-breakpoint
CREATE TABLE `project_files` (
	`file_id` text NOT NULL,
	`project_id` text NOT NULL,
	PRIMARY KEY(`file_id`, `project_id`),
	FOREIGN KEY (`file_id`) REFERENCES `uploads`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `project_files_project` ON `project_files` (`project_id`);--> statement-breakpoint
DROP INDEX `subscriber_events_network`;--> statement-breakpoint
CREATE INDEX `subscriber_events_network` ON `subscriber_events` (`network`,`created_at`) WHERE kind = 'unsubscribed';--> statement-breakpoint
ALTER TABLE `posts` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `posts_desk` ON `posts` (case when published_at is null then 9e15 else published_at end,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_drafts` ON `posts` (case when published_at is null then 9e15 else published_at end,`id`) WHERE published = 0 and deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_titles` ON `posts` (title collate nocase,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_views` ON `posts` (`views`,`id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_drafts_titles` ON `posts` (title collate nocase,`id`) WHERE published = 0 and deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_drafts_views` ON `posts` (`views`,`id`) WHERE published = 0 and deleted_at is null;--> statement-breakpoint
CREATE INDEX `posts_trash` ON `posts` (`deleted_at`,`id`) WHERE deleted_at is not null;--> statement-breakpoint
ALTER TABLE `projects` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `storage_nodes` ADD `probe` text;--> statement-breakpoint
ALTER TABLE `tags` ADD `posts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tags` ADD `released` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `uploads` ADD `manager_id` text;--> statement-breakpoint
ALTER TABLE `uploads` ADD `part_size` integer;--> statement-breakpoint
ALTER TABLE `uploads` ADD `received` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `uploads` ADD `url_expires_at` integer;--> statement-breakpoint
ALTER TABLE `uploads` ADD `folded` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `uploads` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `uploads` ADD `purge_at` integer;--> statement-breakpoint
CREATE INDEX `uploads_files` ON `uploads` (`folder_id`,`folded`,`id`) WHERE state = 'completed' and deleted_at is null;--> statement-breakpoint
CREATE INDEX `uploads_purge` ON `uploads` (`purge_at`) WHERE purge_at is not null;
--> statement-breakpoint
-- By hand from here
-- Nearly the fold of db/fold.ts; a file that is renamed gets the real one
UPDATE uploads SET folded = lower(filename);
--> statement-breakpoint
-- By the folder above, with its slash: lists what lies in a folder without a look at what lies deeper
CREATE INDEX `folders_above` ON `folders` (rtrim(path, replace(path, '/', '')), path);
--> statement-breakpoint
-- Which files a text uses: it is cut at every "/media/" into a JSON list, and what follows is looked up as an id
CREATE TRIGGER `posts_files_insert` AFTER INSERT ON `posts` BEGIN
	INSERT OR IGNORE INTO post_files (file_id, post_id)
		SELECT uploads.id, new.id
		FROM json_each('[' || replace(json_quote(new.cover_image || ' ' || new.content), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.cover_image || ' ' || new.content, '/media/');
END;
--> statement-breakpoint
CREATE TRIGGER `posts_files_update` AFTER UPDATE OF `cover_image`, `content` ON `posts` BEGIN
	DELETE FROM post_files WHERE post_id = old.id;
	INSERT OR IGNORE INTO post_files (file_id, post_id)
		SELECT uploads.id, new.id
		FROM json_each('[' || replace(json_quote(new.cover_image || ' ' || new.content), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.cover_image || ' ' || new.content, '/media/');
END;
--> statement-breakpoint
CREATE TRIGGER `projects_files_insert` AFTER INSERT ON `projects` BEGIN
	INSERT OR IGNORE INTO project_files (file_id, project_id)
		SELECT uploads.id, new.id
		FROM json_each('[' || replace(json_quote(new.image_url || ' ' || new.description), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.image_url || ' ' || new.description, '/media/');
END;
--> statement-breakpoint
CREATE TRIGGER `projects_files_update` AFTER UPDATE OF `image_url`, `description` ON `projects` BEGIN
	DELETE FROM project_files WHERE project_id = old.id;
	INSERT OR IGNORE INTO project_files (file_id, project_id)
		SELECT uploads.id, new.id
		FROM json_each('[' || replace(json_quote(new.image_url || ' ' || new.description), '/media/', '","') || ']') AS piece
		JOIN uploads ON uploads.id = substr(piece.value, 1, 36)
		WHERE instr(new.image_url || ' ' || new.description, '/media/');
END;
--> statement-breakpoint
INSERT INTO `post_counts` (`state`, `count`) VALUES
	('draft', (SELECT count(*) FROM posts WHERE deleted_at IS NULL AND published = 0)),
	('released', (SELECT count(*) FROM posts WHERE deleted_at IS NULL AND published = 1)),
	('trash', (SELECT count(*) FROM posts WHERE deleted_at IS NOT NULL));
--> statement-breakpoint
CREATE TRIGGER `post_counts_insert` AFTER INSERT ON `posts` BEGIN
	UPDATE post_counts SET count = count + 1 WHERE state = CASE WHEN new.deleted_at IS NOT NULL THEN 'trash' WHEN new.published THEN 'released' ELSE 'draft' END;
END;
--> statement-breakpoint
CREATE TRIGGER `post_counts_delete` AFTER DELETE ON `posts` BEGIN
	UPDATE post_counts SET count = count - 1 WHERE state = CASE WHEN old.deleted_at IS NOT NULL THEN 'trash' WHEN old.published THEN 'released' ELSE 'draft' END;
END;
--> statement-breakpoint
CREATE TRIGGER `post_counts_update` AFTER UPDATE OF `published`, `deleted_at` ON `posts` BEGIN
	UPDATE post_counts SET count = count - 1 WHERE state = CASE WHEN old.deleted_at IS NOT NULL THEN 'trash' WHEN old.published THEN 'released' ELSE 'draft' END;
	UPDATE post_counts SET count = count + 1 WHERE state = CASE WHEN new.deleted_at IS NOT NULL THEN 'trash' WHEN new.published THEN 'released' ELSE 'draft' END;
END;
--> statement-breakpoint
UPDATE tags SET (posts, released) = (SELECT count(*), coalesce(sum(posts.published), 0) FROM post_tags JOIN posts ON posts.id = post_tags.post_id WHERE post_tags.tag_slug = tags.slug AND posts.deleted_at IS NULL);
--> statement-breakpoint
CREATE TRIGGER `tags_posts_insert` AFTER INSERT ON `post_tags` BEGIN
	UPDATE tags SET posts = posts + 1, released = released + (SELECT published FROM posts WHERE id = new.post_id) WHERE slug = new.tag_slug AND EXISTS (SELECT 1 FROM posts WHERE id = new.post_id AND deleted_at IS NULL);
END;
--> statement-breakpoint
CREATE TRIGGER `tags_posts_delete` AFTER DELETE ON `post_tags` BEGIN
	UPDATE tags SET posts = posts - 1, released = released - (SELECT published FROM posts WHERE id = old.post_id) WHERE slug = old.tag_slug AND EXISTS (SELECT 1 FROM posts WHERE id = old.post_id AND deleted_at IS NULL);
END;
--> statement-breakpoint
CREATE TRIGGER `tags_posts_trash` AFTER UPDATE OF `deleted_at` ON `posts` WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
	UPDATE tags SET posts = posts + CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END WHERE slug IN (SELECT tag_slug FROM post_tags WHERE post_id = new.id);
END;
--> statement-breakpoint
CREATE TRIGGER `tags_released` AFTER UPDATE OF `published`, `deleted_at` ON `posts` WHEN (old.published AND old.deleted_at IS NULL) <> (new.published AND new.deleted_at IS NULL) BEGIN
	UPDATE tags SET released = released + CASE WHEN new.published AND new.deleted_at IS NULL THEN 1 ELSE -1 END WHERE slug IN (SELECT tag_slug FROM post_tags WHERE post_id = new.id);
END;
--> statement-breakpoint
-- While the post is still there its tags can see whether they counted it
CREATE TRIGGER `tags_posts_gone` BEFORE DELETE ON `posts` BEGIN
	DELETE FROM post_tags WHERE post_id = old.id;
END;
--> statement-breakpoint
-- What feeds show of posts: everything but the views, which would make them new every few seconds
INSERT INTO `versions` (`topic`, `version`, `changed_at`) VALUES ('feeds', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
--> statement-breakpoint
CREATE TRIGGER `posts_feeds_insert` AFTER INSERT ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
--> statement-breakpoint
CREATE TRIGGER `posts_feeds_update` AFTER UPDATE OF `slug`, `title`, `excerpt`, `author`, `content`, `published`, `published_at`, `deleted_at`, `updated_at` ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
--> statement-breakpoint
CREATE TRIGGER `posts_feeds_delete` AFTER DELETE ON `posts` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
--> statement-breakpoint
CREATE TRIGGER `post_tags_feeds_insert` AFTER INSERT ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
--> statement-breakpoint
CREATE TRIGGER `post_tags_feeds_delete` AFTER DELETE ON `post_tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
--> statement-breakpoint
CREATE TRIGGER `tags_feeds_update` AFTER UPDATE ON `tags` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'feeds';
END;
--> statement-breakpoint
INSERT INTO `versions` (`topic`, `version`, `changed_at`) VALUES ('keys', 1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
--> statement-breakpoint
CREATE TRIGGER `api_keys_version_insert` AFTER INSERT ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
--> statement-breakpoint
CREATE TRIGGER `api_keys_version_update` AFTER UPDATE OF `hash`, `active` ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
--> statement-breakpoint
CREATE TRIGGER `api_keys_version_delete` AFTER DELETE ON `api_keys` BEGIN
	UPDATE versions SET version = version + 1, changed_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE topic = 'keys';
END;
