-- By hand, because drizzle-kit does not know virtual tables. db/post-search.ts fills both indexes again.
DROP TRIGGER `posts_search_insert`;--> statement-breakpoint
DROP TRIGGER `posts_search_delete`;--> statement-breakpoint
DROP TRIGGER `posts_search_update`;--> statement-breakpoint
DROP TABLE `posts_search`;--> statement-breakpoint
CREATE VIRTUAL TABLE `posts_search` USING fts5(`terms`, content='', contentless_delete=1, tokenize='ascii');
--> statement-breakpoint
INSERT INTO `posts_short` (`posts_short`) VALUES ('delete-all');
--> statement-breakpoint
CREATE TRIGGER `posts_search_delete` AFTER DELETE ON `posts` BEGIN
	DELETE FROM posts_search WHERE rowid = old.row;
END;
