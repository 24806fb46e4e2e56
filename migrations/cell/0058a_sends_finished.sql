-- no transaction
-- For operators: letters of all businesses that ended lately. By when they ended, which is written once: an index that names the
-- counters would be written with every batch.
create index concurrently if not exists sends_finished on newsletter.sends (finished_at) where finished_at is not null;
