-- What must be true of a cell at any moment, between any two transactions. Each part selects what breaks its rule; run by
-- `cli verify` one after another, each on a snapshot of its own.

-- check: stock is the sum of its ledger
select stock.business_id, stock.product_id, stock.variant_id, stock.quantity, coalesce(ledger.total, 0) as ledger
  from catalog.stock
  left join (select business_id, product_id, variant_id, sum(delta) as total
               from catalog.stock_movements
              group by business_id, product_id, variant_id) as ledger using (business_id, product_id, variant_id)
 where stock.quantity <> coalesce(ledger.total, 0)

-- check: no stock is below zero
select business_id, product_id, variant_id, quantity
  from catalog.stock
 where quantity < 0

-- check: movements are numbered from 1 without a gap, the last is the stock's version
select stock.business_id, stock.product_id, stock.variant_id, stock.version, ledger.movements, ledger.lowest, ledger.highest
  from catalog.stock
  full join (select business_id, product_id, variant_id, count(*) as movements, min(number) as lowest, max(number) as highest
               from catalog.stock_movements
              group by business_id, product_id, variant_id) as ledger using (business_id, product_id, variant_id)
 where stock.version is distinct from coalesce(ledger.highest, 0)
    or coalesce(ledger.lowest, 1) <> 1
    or ledger.movements <> ledger.highest

-- check: each movement notes what was there after it
select business_id, product_id, variant_id, number, delta, quantity, running
  from (select *, sum(delta) over (partition by business_id, product_id, variant_id order by number) as running
          from catalog.stock_movements) as walked
 where quantity <> running or quantity < 0

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

-- check: an order's statuses are the last of their histories
select business_id, id, status, payment_status
  from orders.orders
 where status is distinct from statuses -> -1 ->> 'status'
    or payment_status is distinct from payment_statuses -> -1 ->> 'status'

-- check: an order holds the stock that its lines took, and none once it is given back
with held as (
  select orders.business_id, orders.id, line ->> 'productId' as product_id, line ->> 'variantId' as variant_id,
         sum(case when orders.released_at is null then (line ->> 'taken')::integer else 0 end) as taken
    from orders.orders
   cross join lateral json_array_elements(orders.lines) as line
   group by orders.business_id, orders.id, line ->> 'productId', line ->> 'variantId'
), moved as (
  select business_id, reference as id, product_id, variant_id, -sum(delta) as taken
    from catalog.stock_movements
   where kind in ('ORDER', 'CANCEL')
   group by business_id, reference, product_id, variant_id
)
select business_id, id, product_id, variant_id, coalesce(held.taken, 0) as order_says, coalesce(moved.taken, 0) as ledger_says
  from held
  full join moved using (business_id, id, product_id, variant_id)
 where coalesce(held.taken, 0) <> coalesce(moved.taken, 0)

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

-- check: no more is refunded, or asked to be, than was paid
select business_id, id, paid, refunded, refunding
  from payments.payments
 where refunded + refunding > paid or least(paid, refunded, refunding) < 0

-- check: a payment that is paid is paid in full, and no other has money
select business_id, id, status, amount, paid
  from payments.payments
 where paid <> case when status = 'PAID' then amount else 0 end

-- check: what is set apart for refunds is asked for
select payment.business_id, payment.id, payment.refunding, coalesce(sum(refund.amount), 0) as asked
  from payments.payments as payment
  left join payments.refunds as refund
       on refund.business_id = payment.business_id and refund.payment_id = payment.id and refund.status = 'ASKED'
 group by payment.business_id, payment.id
having payment.refunding > coalesce(sum(refund.amount), 0)

-- check: an order that is to be paid has a payment of its total
select orders.business_id, orders.id, orders.total, payment.amount, payment.currency
  from orders.orders
  left join payments.payments as payment
       on payment.business_id = orders.business_id and payment.subject = 'order:' || orders.id
 where orders.request_hash is not null and orders.total > 0 and orders.trace is not null
   and (payment.id is null or payment.amount <> orders.total or payment.currency <> orders.currency)

-- check: a payment is for an order
-- (What is no order's is for a newsletter: of it, only the rules of money above are asked.)
select payment.business_id, payment.id, payment.subject
  from payments.payments as payment
  left join orders.orders on orders.business_id = payment.business_id and 'order:' || orders.id = payment.subject
 where payment.subject like 'order:%' and orders.id is null

-- check: an order's payment status is what its payment says
-- (Unless a person has set it by hand since: they may.)
select orders.business_id, orders.id, orders.payment_status, payment.status, payment.paid, payment.refunded
  from payments.payments as payment
  join orders.orders on orders.business_id = payment.business_id and payment.subject = 'order:' || orders.id
 where orders.payment_statuses -> -1 ->> 'changedBy' = 'SYSTEM'
   and case
         when payment.status = 'PAID' and payment.refunded >= payment.paid then orders.payment_status <> 'REFUNDED'
         when payment.status = 'PAID' and payment.refunded > 0 then orders.payment_status <> 'PARTIALLY_REFUNDED'
         when payment.status = 'PAID' then orders.payment_status <> 'PAID'
         else orders.payment_status not in ('PENDING', 'FAILED')
       end

-- check: no order waits for money that has come
select orders.business_id, orders.id, orders.status, payment.status as payment
  from payments.payments as payment
  join orders.orders on orders.business_id = payment.business_id and payment.subject = 'order:' || orders.id
 where payment.status = 'PAID' and orders.status = 'PENDING' and orders.statuses -> -1 ->> 'changedBy' = 'SYSTEM'

-- check: money for a cancelled order is on its way back, unless a person cancelled it
select orders.business_id, orders.id, payment.paid, payment.refunded, payment.refunding
  from payments.payments as payment
  join orders.orders on orders.business_id = payment.business_id and payment.subject = 'order:' || orders.id
 where payment.status = 'PAID' and orders.status = 'CANCELLED' and orders.statuses -> -1 ->> 'changedBy' = 'SYSTEM'
   and not exists (select from payments.refunds as refund
                    where refund.business_id = payment.business_id and refund.payment_id = payment.id)
   and payment.refunded < payment.paid

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

-- check: a document has a gap for the stock of each variant
select product.business_id, product.id, gaps, coalesce(variants, 0) as variants
  from catalog.products as product
 cross join lateral (select length(product.document) - length(replace(product.document, chr(1), '')) as gaps) as counted
  left join (select business_id, product_id as id, count(*) as variants
               from catalog.stock
              where position is not null
              group by business_id, product_id) as stock using (business_id, id)
 where product.status <> 'DELETED' and gaps <> coalesce(variants, 0)

-- check: a send counts what its recipients' states are
select send.business_id, send.id, send.total, send.sent, send.failed, send.suppressed, send.uncertain, counted.*
  from newsletter.sends as send
 cross join lateral (
   select count(*) as recipients,
          count(*) filter (where state = 'SENT') as are_sent,
          count(*) filter (where state = 'FAILED') as are_failed,
          count(*) filter (where state = 'SUPPRESSED') as are_suppressed,
          count(*) filter (where state = 'UNCERTAIN') as are_uncertain
     from newsletter.recipients as recipient
    where recipient.business_id = send.business_id and recipient.send_id = send.id) as counted
 where (send.total, send.sent, send.failed, send.suppressed, send.uncertain)
       is distinct from (recipients, are_sent, are_failed, are_suppressed, are_uncertain)

-- check: a send that is done has nobody left
select business_id, id, total, sent, failed, suppressed, uncertain
  from newsletter.sends
 where status = 'DONE' and (not is_planned or sent + failed + suppressed + uncertain <> total)

-- check: no entry is of a schema that its collection never had
select entry.business_id, entry.id, entry.schema_version, collection.schema_version as current
  from content.entries as entry
  join content.collections as collection
    on collection.business_id = entry.business_id and collection.id = entry.collection_id
 where entry.schema_version > collection.schema_version
