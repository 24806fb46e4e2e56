-- no transaction
create index concurrently business_configs_business on accounts.business_configs (business_id);
