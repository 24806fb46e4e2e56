-- no transaction
-- The subscriptions of a customer. Imported ones have no user.
create index concurrently subscriptions_by_user on newsletter.subscriptions (business_id, user_id, id) where user_id is not null;
