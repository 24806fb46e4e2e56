-- no transaction
create index concurrently if not exists businesses_by_time on access.businesses (created_at, id);
