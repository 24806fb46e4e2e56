-- no transaction
-- How many orders a customer has to pay: asked at each checkout. What is paid or has ended leaves it.
create index concurrently orders_unpaid_by_customer on orders.orders (business_id, customer_id, expires_at)
  where status = 'PENDING' and payment_status = 'PENDING' and expires_at is not null;
