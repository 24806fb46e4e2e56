-- no transaction
create index concurrently businesses_delete_at on access.businesses (delete_at) where delete_at is not null;
