-- no transaction
-- Orders of which all has gone out although their status does not say so: cancelled since, or the rest was refunded. Few, and
-- never new ones. All others that have gone out are found by their status.
create index concurrently orders_fulfilled_anyway on orders.orders (business_id, id)
  where fulfillment = 'FULFILLED' and status not in ('SHIPPED', 'DELIVERED');
