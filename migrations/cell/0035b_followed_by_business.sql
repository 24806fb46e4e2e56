-- no transaction
-- What of one business waits to be looked at: its committed stock is answered exactly, not as of the last look.
create index concurrently if not exists followed_by_business on cell.followed (topic, business_id);
