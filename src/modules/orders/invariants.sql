-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check order-total: an order's total is subtotal + tax + shipping − discount, none of them below zero
-- pieces: order_id of orders.orders (id)
select business_id, id as order_id, subtotal, tax, shipping, discount, total
  from orders.orders
 where total <> subtotal + tax + shipping - discount or least(subtotal, tax, shipping, discount, total) < 0

-- check order-subtotal: an order's subtotal is the sum of its lines
-- pieces: order_id of orders.orders (id)
select orders.business_id, orders.id as order_id, orders.subtotal, coalesce(sum((line ->> 'totalPrice')::numeric), 0) as lines
  from orders.orders
  left join lateral json_array_elements(orders.lines) as line on true
 group by orders.business_id, orders.id
having orders.subtotal <> coalesce(sum((line ->> 'totalPrice')::numeric), 0)

-- check order-lines: a line's total is its unit price × its quantity
-- pieces: order_id of orders.orders (id)
select orders.business_id, orders.id as order_id, line ->> 'productId' as product_id, line ->> 'variantId' as variant_id
  from orders.orders
 cross join lateral json_array_elements(orders.lines) as line
 where (line ->> 'totalPrice')::numeric <> (line ->> 'unitPrice')::numeric * (line ->> 'quantity')::numeric

-- check order-shares: the shares of lines and shipping add up to an order's discount and tax
-- pieces: order_id of orders.orders (id)
select business_id, id as order_id, orders.discount, shared.discount as shared_discount, orders.tax + tax_included as tax,
       shared.tax + shipping_tax as shared_tax
  from orders.orders
 cross join lateral (
   select sum((line ->> 'discount')::numeric) as discount, sum((line ->> 'tax')::numeric) as tax
     from json_array_elements(orders.lines) as line) as shared
 where shared.discount <> least(orders.discount, subtotal) or shared.tax + shipping_tax <> orders.tax + tax_included

-- check order-taxes: an order's taxes add up to its tax
-- pieces: order_id of orders.orders (id)
select business_id, id as order_id, tax, tax_included, summed.added, summed.included
  from orders.orders
 cross join lateral (
   select coalesce(sum((part ->> 'amount')::numeric) filter (where (part ->> 'included')::boolean), 0) as included,
          coalesce(sum((part ->> 'amount')::numeric) filter (where not (part ->> 'included')::boolean), 0) as added
     from unnest(taxes) as part) as summed
 where cardinality(taxes) > 0 and (summed.included <> tax_included or summed.added <> tax)

-- check order-statuses: an order's statuses are the last of their histories
-- pieces: order_id of orders.orders (id)
select business_id, id as order_id, status, payment_status
  from orders.orders
 where status is distinct from statuses -> -1 ->> 'status'
    or payment_status is distinct from payment_statuses -> -1 ->> 'status'

-- check order-stock: an order holds the stock that its lines took, and once it is given back, only what they kept
-- pieces: order_id of orders.orders (id), 500000 at a time
select business_id, order_id, product_id, variant_id, sum(held) as order_says, sum(moved) as ledger_says
  from (select orders.business_id, orders.id as order_id, (line ->> 'productId') collate "C" as product_id,
               (line ->> 'variantId') collate "C" as variant_id,
               case when orders.released_at is null then (line ->> 'taken')::integer else coalesce((line ->> 'kept')::integer, 0) end
                 as held,
               0 as moved
          from orders.orders
         cross join lateral json_array_elements(orders.lines) as line
         union all
        select business_id, reference, product_id, variant_id, 0, -delta
          from catalog.stock_movements
         where kind in ('ORDER', 'CANCEL', 'RETURN')) as both_say
 group by business_id, order_id, product_id, variant_id
having coalesce(sum(held), 0) <> sum(moved)

-- check order-returns: no more of a line comes back than was ordered
-- pieces: order_id of orders.orders (id)
select orders.business_id, orders.id as order_id, line ->> 'id' as line_id, line ->> 'quantity' as ordered, line ->> 'returned' as returned
  from orders.orders
 cross join lateral json_array_elements(orders.lines) as line
 where (line ->> 'returned')::integer not between coalesce((line ->> 'returnedUnshipped')::integer, 0)
                                               and (line ->> 'quantity')::integer

-- check order-refunded-pieces: no more of a line is refunded than was ordered
-- pieces: order_id of orders.refund_lines (order_id)
select refunded.business_id, refunded.order_id, refunded.line_id, refunded.pieces, ordered.pieces as ordered
  from (select business_id, order_id, line_id, sum(quantity) as pieces
          from orders.refund_lines
         where line_id <> '' and freed_at is null
         group by business_id, order_id, line_id) as refunded
  left join orders.orders on orders.business_id = refunded.business_id and orders.id = refunded.order_id
  left join lateral (
    select (line ->> 'quantity')::integer as pieces
      from json_array_elements(orders.lines) as line
     where line ->> 'id' = refunded.line_id) as ordered on true
 where ordered.pieces is null or refunded.pieces > ordered.pieces

-- check order-given-back: what is cancelled has given its stock back, what is not has not
-- pieces: order_id of orders.orders (id)
select business_id, id as order_id, status, released_at
  from orders.orders
 where (status = 'CANCELLED' and released_at is null)
    or (status not in ('CANCELLED', 'REFUNDED') and released_at is not null)

-- check promo-uses: a promo code is counted once for each order that uses it
select business_id, id as promo_id, promo_codes.redemptions, coalesce(used.orders, 0) as orders
  from catalog.promo_codes
  full join (select business_id, promo_id as id, count(*) as orders
               from orders.orders
              where promo_id is not null and released_at is null
              group by business_id, promo_id) as used using (business_id, id)
 where coalesce(promo_codes.redemptions, 0) <> coalesce(used.orders, 0)

-- check promo-customers: a promo code is counted for each customer as often as it is used
-- The customer may be somebody's address, so it is not shown.
select business_id, promo_id, promo_customers.redemptions, coalesce(used.orders, 0) as orders
  from catalog.promo_customers
  full join (select business_id, promo_id, promo_customer as customer, count(*) as orders
               from orders.orders
              where promo_id is not null and promo_customer is not null and released_at is null
              group by business_id, promo_id, promo_customer) as used using (business_id, promo_id, customer)
 where coalesce(promo_customers.redemptions, 0) <> coalesce(used.orders, 0)

-- check order-once: a key of a customer makes one order
-- pieces: customer_id of orders.orders (customer_id)
select business_id, customer_id, request_key, count(*) as orders
  from orders.orders
 where request_key is not null
 group by business_id, customer_id, request_key
having count(*) > 1

-- check order-number: an order's number is its own
-- pieces: number of orders.orders (number)
select business_id, number, count(*) as orders
  from orders.orders
 group by business_id, number
having count(*) > 1

-- check order-shipped-pieces: no more of a line is shipped than was ordered
-- pieces: order_id of orders.shipments (order_id)
with shipped as (
  select business_id, order_id, part.key as line_id, sum(part.value::text::integer) as pieces, min(part.value::text::integer) as least
    from orders.shipments
   cross join lateral json_each(lines) as part
   group by business_id, order_id, part.key
)
select shipped.business_id, shipped.order_id, shipped.line_id, shipped.pieces as shipped, ordered.pieces as ordered
  from shipped
  left join orders.orders
    on orders.business_id = shipped.business_id and orders.id = shipped.order_id and orders.fulfillment is not null
 cross join lateral (
   select coalesce(sum((line ->> 'quantity')::integer), 0) as pieces
     from json_array_elements(orders.lines) as line
    where line ->> 'id' = shipped.line_id) as ordered
 where shipped.pieces > ordered.pieces or shipped.least < 1

-- check order-fulfillment: an order's fulfillment is what its shipments say
-- pieces: order_id of orders.orders (id)
select orders.business_id, orders.id as order_id, orders.fulfillment, shipped.pieces as shipped, ordered.pieces as ordered,
       refunded.pieces as refunded_unshipped
  from orders.orders
 cross join lateral (
   select sum(part.value::text::integer) as pieces
     from orders.shipments
    cross join lateral json_each(shipments.lines) as part
    where shipments.business_id = orders.business_id and shipments.order_id = orders.id) as shipped
 cross join lateral (
   select sum(quantity) as pieces
     from orders.refund_lines
    where refund_lines.business_id = orders.business_id and refund_lines.order_id = orders.id
      and origin = 'UNSHIPPED' and freed_at is null) as refunded
 cross join lateral (
   select sum((line ->> 'quantity')::integer) as pieces from json_array_elements(orders.lines) as line) as ordered
 where orders.fulfillment is distinct from
       case when shipped.pieces is null then null
            when shipped.pieces < ordered.pieces - coalesce(refunded.pieces, 0) then 'PARTIALLY_FULFILLED'
            else 'FULFILLED' end

-- check order-committed: what orders hold and have not sent is counted as committed
-- pieces: order_id of orders.orders (id)
-- Skips orders with a pending event.
with waiting as not materialized (
  select business_id, subject as order_id from cell.event_outbox where starts_with(type, 'order.')
  union all
  select business_id, subject from cell.followed where topic = 'committed'
), held as (
  select orders.business_id, orders.id as order_id, orders.updated_at, line ->> 'productId' as product_id,
         line ->> 'variantId' as variant_id,
         sum(case when orders.released_at is not null then 0
                  when orders.fulfillment is null and orders.status in ('SHIPPED', 'DELIVERED') then 0
                  when orders.fulfillment is null and orders.status = 'REFUNDED'
                       and exists (select from json_array_elements(orders.statuses) as past
                                    where past ->> 'status' in ('SHIPPED', 'DELIVERED')) then 0
                  else greatest((line ->> 'taken')::integer
                                - greatest(shipped.pieces - coalesce((line ->> 'returned')::integer, 0)
                                           + coalesce((line ->> 'returnedUnshipped')::integer, 0), 0), 0) end) as pieces
    from orders.orders
   cross join lateral json_array_elements(orders.lines) as line
   cross join lateral (
     select coalesce(sum(part.value::text::integer), 0) as pieces
       from orders.shipments
      cross join lateral json_each(shipments.lines) as part
      where shipments.business_id = orders.business_id and shipments.order_id = orders.id
        and part.key = line ->> 'id') as shipped
   group by 1, 2, 3, 4, 5
)
select held.business_id, held.order_id, held.product_id, held.variant_id, held.pieces as order_says, committed.pieces as counted
  from held
  left join orders.committed
    on committed.business_id = held.business_id and committed.product_id = held.product_id
       and committed.variant_id = held.variant_id and committed.order_id = held.order_id
 where held.pieces <> coalesce(committed.pieces, 0) and held.updated_at < now() - interval '10 minutes'
   and not exists (select from waiting
                    where waiting.business_id = held.business_id and waiting.order_id = held.order_id)
