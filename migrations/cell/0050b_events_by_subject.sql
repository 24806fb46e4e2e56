-- no transaction
create index concurrently events_by_payment on payments.events (business_id, subject) where subject is not null;
