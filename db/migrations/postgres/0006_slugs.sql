-- Slugs are stored in NFC (P295). Only Korean ones were not: without marks, nothing else has two forms
update posts set slug = normalize(slug, NFC) where slug is not nfc normalized;
update post_slugs set slug = normalize(slug, NFC) where slug is not nfc normalized;
update projects set slug = normalize(slug, NFC) where slug is not nfc normalized;
update broadcasts set slug = normalize(slug, NFC) where slug is not nfc normalized;
insert into tags (slug, name, posts, released) select normalize(slug, NFC), name, posts, released from tags where slug is not nfc normalized on conflict do nothing;
update post_tags set tag_slug = normalize(tag_slug, NFC) where tag_slug is not nfc normalized;
delete from tags where slug is not nfc normalized;
