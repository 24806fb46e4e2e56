-- no transaction
create index concurrently api_keys_business on accounts.api_keys (business_id) where business_id is not null;
