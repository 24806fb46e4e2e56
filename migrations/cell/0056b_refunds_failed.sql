-- no transaction
-- Refunds that failed: few.
create index concurrently if not exists refunds_failed on payments.refunds (business_id, created_at) where status = 'FAILED';
