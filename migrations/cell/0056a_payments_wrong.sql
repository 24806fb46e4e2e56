-- no transaction
-- Payments that wait for a person: few.
create index concurrently if not exists payments_wrong on payments.payments (business_id, id) where status = 'WRONG';
