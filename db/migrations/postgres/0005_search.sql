-- The runs of a long post are inserted by several statements, each well within the timeout
alter table posts_short drop constraint posts_short_pkey;
create index posts_short_post on posts_short (post);
