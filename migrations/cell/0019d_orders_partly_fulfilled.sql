-- no transaction
-- Orders of which a part has gone out: few at a time, and never new ones.
create index concurrently orders_partly_fulfilled on orders.orders (business_id, id) where fulfillment = 'PARTIALLY_FULFILLED';
