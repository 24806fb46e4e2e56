-- no transaction
create index concurrently if not exists businesses_suspended on access.businesses (created_at, id) where suspended_at is not null;
