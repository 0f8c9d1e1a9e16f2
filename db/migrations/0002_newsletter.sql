DROP INDEX `outbox_recipient`;--> statement-breakpoint
ALTER TABLE `outbox` ADD `subject_gone` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_gone` ON `outbox` (`recipient_key`,`created_at`) WHERE subject_gone = 1;
--> statement-breakpoint
-- By hand from here
CREATE TRIGGER `outbox_subject_gone` AFTER DELETE ON `subscribers` BEGIN
	UPDATE outbox SET subject_gone = 1 WHERE subject_id = old.id;
END;
--> statement-breakpoint
-- Only the mails of the last thirty days count
UPDATE outbox SET subject_gone = 1 WHERE kind = 'welcome' AND created_at > (unixepoch() - 2592000) * 1000
	AND NOT EXISTS (SELECT 1 FROM subscribers WHERE id = outbox.subject_id);
--> statement-breakpoint
-- The search index of subscribers takes new rows a thousand at a time. One by one it would write a segment for
-- each, because every statement with a trigger makes it write down what it has gathered, and merge them for ever. What it
-- does not hold yet comes after all rows that have a size in it; searches look at these rows too (subscriber-search.ts).
DROP TRIGGER `subscribers_search_insert`;
--> statement-breakpoint
DROP TRIGGER `subscribers_search_delete`;
--> statement-breakpoint
DROP TRIGGER `subscribers_search_update`;
--> statement-breakpoint
CREATE TRIGGER `subscribers_search_insert` AFTER INSERT ON `subscribers`
WHEN new.row >= (SELECT coalesce(max(id), 0) FROM subscribers_search_docsize) + 1000 BEGIN
	INSERT INTO subscribers_search (rowid, folded)
		SELECT row, folded FROM subscribers WHERE row > (SELECT coalesce(max(id), 0) FROM subscribers_search_docsize);
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_search_delete` AFTER DELETE ON `subscribers`
WHEN EXISTS (SELECT 1 FROM subscribers_search_docsize WHERE id = old.row) BEGIN
	INSERT INTO subscribers_search (subscribers_search, rowid, folded) VALUES ('delete', old.row, old.folded);
END;
--> statement-breakpoint
CREATE TRIGGER `subscribers_search_update` AFTER UPDATE OF `folded` ON `subscribers`
WHEN EXISTS (SELECT 1 FROM subscribers_search_docsize WHERE id = old.row) BEGIN
	INSERT INTO subscribers_search (subscribers_search, rowid, folded) VALUES ('delete', old.row, old.folded);
	INSERT INTO subscribers_search (rowid, folded) VALUES (new.row, new.folded);
END;
