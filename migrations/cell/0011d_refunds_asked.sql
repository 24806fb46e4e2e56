-- no transaction
-- No refund has this status any more.
drop index concurrently if exists payments.refunds_asked;
