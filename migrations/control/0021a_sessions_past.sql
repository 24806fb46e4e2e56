-- no transaction
create index concurrently sessions_past on accounts.sessions (ends_at) where ends_at is not null and revoked_at is null;
