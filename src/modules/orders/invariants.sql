-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check: an order's total is subtotal + tax + shipping − discount, none of them below zero
select business_id, id, subtotal, tax, shipping, discount, total
  from orders.orders
 where total <> subtotal + tax + shipping - discount or least(subtotal, tax, shipping, discount, total) < 0

-- check: an order's subtotal is the sum of its lines
select orders.business_id, orders.id, orders.subtotal, coalesce(sum((line ->> 'totalPrice')::numeric), 0) as lines
  from orders.orders
  left join lateral json_array_elements(orders.lines) as line on true
 group by orders.business_id, orders.id
having orders.subtotal <> coalesce(sum((line ->> 'totalPrice')::numeric), 0)

-- check: a line's total is its unit price × its quantity
select orders.business_id, orders.id, line ->> 'productId' as product_id, line ->> 'variantId' as variant_id
  from orders.orders
 cross join lateral json_array_elements(orders.lines) as line
 where (line ->> 'totalPrice')::numeric <> (line ->> 'unitPrice')::numeric * (line ->> 'quantity')::numeric

-- check: the shares of lines and shipping add up to an order's discount and tax
select business_id, id, orders.discount, shared.discount as shared_discount, orders.tax + tax_included as tax,
       shared.tax + shipping_tax as shared_tax
  from orders.orders
 cross join lateral (
   select sum((line ->> 'discount')::numeric) as discount, sum((line ->> 'tax')::numeric) as tax
     from json_array_elements(orders.lines) as line) as shared
 where shipping_tax is not null
   and (shared.discount <> least(orders.discount, subtotal) or shared.tax + shipping_tax <> orders.tax + tax_included)

-- check: an order's taxes add up to its tax
select business_id, id, tax, tax_included, taxes
  from orders.orders
 cross join lateral (
   select coalesce(sum((part ->> 'amount')::numeric) filter (where (part ->> 'included')::boolean), 0) as included,
          coalesce(sum((part ->> 'amount')::numeric) filter (where not (part ->> 'included')::boolean), 0) as added
     from unnest(taxes) as part) as summed
 where cardinality(taxes) > 0 and (summed.included <> tax_included or summed.added <> tax)

-- check: an order's statuses are the last of their histories
select business_id, id, status, payment_status
  from orders.orders
 where status is distinct from statuses -> -1 ->> 'status'
    or payment_status is distinct from payment_statuses -> -1 ->> 'status'

-- check: an order holds the stock that its lines took, and once it is given back, only what they kept
with held as (
  select orders.business_id, orders.id, line ->> 'productId' as product_id, line ->> 'variantId' as variant_id,
         sum(case when orders.released_at is null then (line ->> 'taken')::integer else coalesce((line ->> 'kept')::integer, 0) end)
           as taken
    from orders.orders
   cross join lateral json_array_elements(orders.lines) as line
   group by orders.business_id, orders.id, line ->> 'productId', line ->> 'variantId'
), moved as (
  select business_id, reference as id, product_id, variant_id, -sum(delta) as taken
    from catalog.stock_movements
   where kind in ('ORDER', 'CANCEL', 'RETURN')
   group by business_id, reference, product_id, variant_id
)
select business_id, id, product_id, variant_id, coalesce(held.taken, 0) as order_says, coalesce(moved.taken, 0) as ledger_says
  from held
  full join moved using (business_id, id, product_id, variant_id)
 where coalesce(held.taken, 0) <> coalesce(moved.taken, 0)

-- check: no more of a line comes back than was ordered
select orders.business_id, orders.id, line ->> 'id' as line_id, line ->> 'quantity' as ordered, line ->> 'returned' as returned
  from orders.orders
 cross join lateral json_array_elements(orders.lines) as line
 where (line ->> 'returned')::integer not between coalesce((line ->> 'returnedUnshipped')::integer, 0)
                                               and (line ->> 'quantity')::integer

-- check: no more of a line is refunded than was ordered
select refunded.business_id, refunded.order_id, refunded.line_id, refunded.pieces, ordered.pieces as ordered
  from (select business_id, order_id, line_id, sum(quantity) as pieces
          from orders.refund_lines
         where line_id <> '' and freed_at is null
         group by business_id, order_id, line_id) as refunded
  left join orders.orders on orders.business_id = refunded.business_id and orders.id = refunded.order_id
  left join lateral (
    -- lines of older orders have no id: it is their position
    select (line ->> 'quantity')::integer as pieces
      from json_array_elements(orders.lines) with ordinality as each (line, position)
     where coalesce(line ->> 'id', position::text) = refunded.line_id) as ordered on true
 where ordered.pieces is null or refunded.pieces > ordered.pieces

-- check: what is cancelled has given its stock back, what is not has not
select business_id, id, status, released_at
  from orders.orders
 where (status = 'CANCELLED' and released_at is null)
    or (status not in ('CANCELLED', 'REFUNDED') and released_at is not null)

-- check: a promo code is counted once for each order that uses it
select business_id, id, promo_codes.redemptions, coalesce(used.orders, 0) as orders
  from catalog.promo_codes
  full join (select business_id, promo_id as id, count(*) as orders
               from orders.orders
              where promo_id is not null and released_at is null
              group by business_id, promo_id) as used using (business_id, id)
 where coalesce(promo_codes.redemptions, 0) <> coalesce(used.orders, 0)

-- check: a promo code is counted for each customer as often as it is used
select business_id, promo_id, customer, promo_customers.redemptions, coalesce(used.orders, 0) as orders
  from catalog.promo_customers
  full join (select business_id, promo_id, promo_customer as customer, count(*) as orders
               from orders.orders
              where promo_id is not null and promo_customer is not null and released_at is null
              group by business_id, promo_id, promo_customer) as used using (business_id, promo_id, customer)
 where coalesce(promo_customers.redemptions, 0) <> coalesce(used.orders, 0)

-- check: a key of a customer makes one order
select business_id, customer_id, request_key, count(*) as orders
  from orders.orders
 where request_key is not null
 group by business_id, customer_id, request_key
having count(*) > 1

-- check: an order's number is its own
select business_id, number, count(*) as orders
  from orders.orders
 group by business_id, number
having count(*) > 1

-- check: no more of a line is shipped than was ordered
with shipped as (
  select business_id, order_id, part.key as line_id, sum(part.value::text::integer) as pieces, min(part.value::text::integer) as least
    from orders.shipments
   cross join lateral json_each(lines) as part
   group by business_id, order_id, part.key
), ordered as (
  select orders.business_id, orders.id as order_id, coalesce(line ->> 'id', position::text) as line_id,
         sum((line ->> 'quantity')::integer) as pieces
    from orders.orders
   cross join lateral json_array_elements(orders.lines) with ordinality as each (line, position)
   where fulfillment is not null
   group by orders.business_id, orders.id, coalesce(line ->> 'id', position::text)
)
select business_id, order_id, line_id, shipped.pieces as shipped, coalesce(ordered.pieces, 0) as ordered
  from shipped
  left join ordered using (business_id, order_id, line_id)
 where shipped.pieces > coalesce(ordered.pieces, 0) or shipped.least < 1

-- check: an order's fulfillment is what its shipments say
with shipped as (
  select business_id, order_id as id, sum(part.value::text::integer) as pieces
    from orders.shipments
   cross join lateral json_each(lines) as part
   group by business_id, order_id
)
select orders.business_id, orders.id, orders.fulfillment, shipped.pieces as shipped, ordered.pieces as ordered,
       refunded.pieces as refunded_unshipped
  from orders.orders
  left join shipped using (business_id, id)
  left join (select business_id, order_id as id, sum(quantity) as pieces
               from orders.refund_lines
              where origin = 'UNSHIPPED' and freed_at is null
              group by business_id, order_id) as refunded using (business_id, id)
 cross join lateral (
   select sum((line ->> 'quantity')::integer) as pieces from json_array_elements(orders.lines) as line) as ordered
 where orders.fulfillment is distinct from
       case when shipped.pieces is null then null
            when shipped.pieces < ordered.pieces - coalesce(refunded.pieces, 0) then 'PARTIALLY_FULFILLED'
            else 'FULFILLED' end

-- check: what orders hold and have not sent is counted as committed
-- As of the last event that the worker has looked at; orders from before the table that are not counted yet are left out.
with waiting as not materialized (
  select business_id, subject as order_id from cell.event_outbox where starts_with(type, 'order.')
  union all
  select business_id, subject from cell.followed where topic = 'committed'
), shipped as (
  select business_id, order_id, part.key as line_id, sum(part.value::text::integer) as pieces
    from orders.shipments
   cross join lateral json_each(lines) as part
   group by business_id, order_id, part.key
), held as (
  select orders.business_id, orders.id as order_id, orders.updated_at, line ->> 'productId' as product_id,
         line ->> 'variantId' as variant_id,
         sum(case when orders.released_at is not null then 0
                  when orders.fulfillment is null and orders.status in ('SHIPPED', 'DELIVERED') then 0
                  else greatest((line ->> 'taken')::integer
                                - greatest(coalesce(shipped.pieces, 0) - coalesce((line ->> 'returned')::integer, 0)
                                           + coalesce((line ->> 'returnedUnshipped')::integer, 0), 0), 0) end) as pieces
    from orders.orders
   cross join lateral json_array_elements(orders.lines) with ordinality as each (line, position)
    left join shipped on shipped.business_id = orders.business_id and shipped.order_id = orders.id
         and shipped.line_id = coalesce(line ->> 'id', position::text)
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
   and not exists (select from orders.committed_filling as filling
                    where filling.business_id < held.business_id
                       or filling.business_id = held.business_id and filling.order_id < held.order_id)
