-- Slugs are brought into NFC after this by db/ops/refold.ts, because SQLite cannot normalise (P295)
SELECT 1;
