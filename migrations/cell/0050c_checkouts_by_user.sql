-- no transaction
-- Whoever began to pay for a plan.
create index concurrently checkouts_by_user on newsletter.checkouts (business_id, user_id, id) where user_id is not null;
