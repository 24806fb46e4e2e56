-- no transaction
-- The payment statuses that few orders have. New orders have none of them.
create index concurrently orders_by_rare_payment on orders.orders (business_id, payment_status, id)
  where payment_status in ('FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED');
