-- no transaction
-- Orders with a promo code. Written by checkouts that use one.
create index concurrently orders_by_promo on orders.orders (business_id, promo_code, id) where promo_code is not null;
