-- What must be true of customers, as of the last event that the worker has processed. Skips orders with a pending event.

-- check customer-sums: a customer's orders and sums are those of the orders that are counted
with counted as not materialized (
  select counted.business_id, coalesce(aliases.user_id, counted.customer_id) as user_id, counted.currency, counted.spent
    from customers.counted
    left join customers.aliases on aliases.business_id = counted.business_id and aliases.guest_id = counted.customer_id
), numbers as (
  select business_id, user_id, '' as currency, count(*) as orders, 0::numeric as amount from counted group by business_id, user_id
  union all
  select business_id, user_id, currency, count(*), sum(spent) from counted where spent is not null group by business_id, user_id, currency
), said as (
  select business_id, user_id, '' as currency, orders::bigint as orders, 0::numeric as amount from customers.customers where orders <> 0
  union all
  select business_id, user_id, currency, orders, total from customers.spent
)
select business_id, user_id, currency, numbers.orders as orders_say, said.orders as customer_says, numbers.amount as orders_sum,
       said.amount as customer_sum
  from numbers
  full join said using (business_id, user_id, currency)
 where (numbers.orders, numbers.amount) is distinct from (said.orders, said.amount)

-- check customer-order: what is counted of an order is what the order says
-- pieces: order_id of orders.orders (id)
with waiting as (
  select business_id, subject as id from cell.event_outbox where starts_with(type, 'order.')
  union
  select business_id, subject from cell.followed where topic = 'customers-orders'
)
select orders.business_id, orders.id as order_id, orders.version, counted.version as counted_version, orders.customer_id,
       counted.customer_id as counted_for, orders.total - orders.refunded_amount as net, counted.spent
  from orders.orders
  left join customers.counted on counted.business_id = orders.business_id and counted.order_id = orders.id
  left join waiting on waiting.business_id = orders.business_id and waiting.id = orders.id
 where case
         when counted.version = orders.version then
           (counted.customer_id, counted.currency, counted.spent) is distinct from
           (orders.customer_id, orders.currency,
            case when orders.payment_status = 'REFUNDED' and orders.refunded_amount = 0 then 0
                 when orders.payment_status in ('PAID', 'PARTIALLY_REFUNDED', 'REFUNDED') then orders.total - orders.refunded_amount end)
         -- One that changed this long ago and of which no event waits was forgotten.
         else waiting.id is null and orders.updated_at < now() - interval '10 minutes'
       end

-- check customer-bought: what a customer bought last is what their paid orders say
-- pieces: order_id of orders.orders (id)
with waiting as not materialized (
  select business_id, subject as id from cell.event_outbox where starts_with(type, 'order.')
  union
  select business_id, subject from cell.followed where topic = 'customers-orders'
), settled as not materialized (
  select orders.business_id, orders.id as order_id, coalesce(aliases.user_id, orders.customer_id) as user_id, orders.created_at,
         orders.lines, counted.spent is not null as is_paid
    from orders.orders
    join customers.counted on counted.business_id = orders.business_id and counted.order_id = orders.id and counted.version = orders.version
    left join customers.aliases on aliases.business_id = orders.business_id and aliases.guest_id = orders.customer_id
    left join waiting on waiting.business_id = orders.business_id and waiting.id = orders.id
   where waiting.id is null
), sold as (
  select distinct settled.business_id, settled.order_id, settled.user_id, settled.created_at, (line ->> 'productId') collate "C" as product_id
    from settled
   cross join lateral json_array_elements(settled.lines) as line
   where settled.is_paid and line ->> 'productId' is not null
)
select sold.business_id, sold.user_id, sold.product_id, sold.order_id, sold.created_at, bought.order_id as kept_order, bought.last_at
  from sold
  left join customers.bought
    on bought.business_id = sold.business_id and bought.product_id = sold.product_id and bought.user_id = sold.user_id
  left join customers.customers on customers.business_id = sold.business_id and customers.user_id = sold.user_id
 where customers.erased_at is null
   and (bought.order_id is null or (bought.last_at, bought.order_id) < (sold.created_at, sold.order_id))
union all
select bought.business_id, bought.user_id, bought.product_id, settled.order_id, settled.created_at, bought.order_id, bought.last_at
  from customers.bought
  join settled on settled.business_id = bought.business_id and settled.order_id = bought.order_id
 where not (settled.is_paid and settled.user_id = bought.user_id and settled.created_at = bought.last_at
            and exists (select from json_array_elements(settled.lines) as line where line ->> 'productId' = bought.product_id))
