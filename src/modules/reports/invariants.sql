-- What must be true of reports, as of the last event that the worker has processed. Skips orders and subscriptions with a pending
-- event, and businesses whose reports are being rebuilt.

-- check report-order: what reports count of an order is what the order says
-- pieces: order_id of orders.orders (id)
with waiting as (
  select business_id, subject as id from cell.event_outbox where starts_with(type, 'order.')
  union
  select business_id, subject from cell.followed where topic = 'reports-orders'
)
select orders.business_id, orders.id as order_id, orders.version, counted.version as counted_version, orders.payment_status, counted.is_counted,
       orders.total, counted.total as counted_total, orders.refunded_amount, counted.refunded as counted_refunded
  from orders.orders
  left join reports.orders as counted on counted.business_id = orders.business_id and counted.order_id = orders.id
  left join waiting on waiting.business_id = orders.business_id and waiting.id = orders.id
 cross join lateral (
   select orders.payment_status in ('PAID', 'PARTIALLY_REFUNDED', 'REFUNDED') as counts,
          (select sum((line ->> 'quantity')::bigint) from json_array_elements(orders.lines) as line) as units) as said
 where case
         when counted.version = orders.version then
           (counted.customer_id, counted.market, counted.currency, counted.promo_code, counted.created_at, counted.is_counted,
            counted.quarter) is distinct from
           (orders.customer_id, orders.market, orders.currency, orders.promo_code, date_trunc('milliseconds', orders.created_at), said.counts,
            floor(extract(epoch from orders.created_at) / 900)::integer)
           or (counted.units, counted.subtotal, counted.discount, counted.shipping, counted.tax, counted.total, counted.refunded)
              is distinct from
              case when said.counts
                   then (coalesce(said.units, 0)::bigint, orders.subtotal, orders.discount, orders.shipping,
                         orders.tax + orders.tax_included, orders.total,
                         case when orders.payment_status = 'REFUNDED' and orders.refunded_amount = 0 then orders.total
                              else orders.refunded_amount end)
                   else (0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint) end
         -- One that changed this long ago and of which no event waits was forgotten.
         else waiting.id is null and orders.updated_at < now() - interval '10 minutes'
              and not exists (select from reports.rebuilding where rebuilding.business_id = orders.business_id)
       end

-- check report-sums: the sums of reports are those of the orders that are counted
with parts as not materialized (
  select business_id, 'SALES' collate "C" as kind, quarter as at, subject, market, currency, units, subtotal, discount, shipping, tax,
         total, refunded
    from reports.orders
   cross join (values (0::bigint), (1)) as sales (subject)
   where is_counted and (subject = 0 or is_first)
  union all
  select orders.business_id, 'PROMO', orders.quarter, subjects.number, orders.market, orders.currency, orders.units, orders.subtotal,
         orders.discount, orders.shipping, orders.tax, orders.total, orders.refunded
    from reports.orders
    left join reports.subjects
      on subjects.business_id = orders.business_id and subjects.kind = 'PROMO' and subjects.key = orders.promo_code
         and subjects.variant_id = ''
   where orders.is_counted and orders.promo_code is not null
  union all
  select orders.business_id, 'PRODUCT', orders.quarter, subjects.number, orders.market, orders.currency, (line ->> 'units')::bigint,
         (line ->> 'subtotal')::bigint, (line ->> 'discount')::bigint, 0, (line ->> 'tax')::bigint, (line ->> 'total')::bigint,
         (line ->> 'refunded')::bigint
    from reports.orders
   cross join lateral json_array_elements(orders.lines) as line
    left join reports.subjects
      on subjects.business_id = orders.business_id and subjects.kind = 'PRODUCT' and subjects.key = line ->> 'productId'
         and subjects.variant_id = line ->> 'variantId'
   where orders.is_counted
), said as (
  select business_id, kind, at, subject, market, currency, count(*) as orders, sum(units) as units, sum(subtotal) as subtotal,
         sum(discount) as discount, sum(shipping) as shipping, sum(tax) as tax, sum(total) as total, sum(refunded) as refunded
    from parts
   group by business_id, kind, at, subject, market, currency
)
select business_id, kind, at, subject, market, currency, said.orders as orders_say, kept.orders as kept_orders, said.total as total_says,
       kept.total as kept_total
  from said
  full join (select * from reports.sums where grain = 1) as kept using (business_id, kind, at, subject, market, currency)
 where (said.orders, said.units, said.subtotal, said.discount, said.shipping, said.tax, said.total, said.refunded)
       is distinct from
       (kept.orders, kept.units, kept.subtotal, kept.discount, kept.shipping, kept.tax, kept.total, kept.refunded)
   and not exists (select from reports.rebuilding where rebuilding.business_id = coalesce(said.business_id, kept.business_id))

-- check report-spans: long spans of reports are the sums of their quarters of an hour
with grains (kind, grain) as (
  values ('SALES' collate "C", 4), ('SALES', 8), ('SALES', 16), ('SALES', 32), ('SALES', 96), ('PRODUCT', 96), ('PRODUCT', 384),
         ('PRODUCT', 1536), ('PRODUCT', 6144), ('PRODUCT', 24576), ('PROMO', 96), ('PROMO', 384), ('PROMO', 1536), ('PROMO', 6144), ('PROMO', 24576)
), said as (
  select sums.business_id, sums.kind, grains.grain, sums.at - sums.at % grains.grain as at, sums.subject, sums.market, sums.currency,
         sum(orders) as orders, sum(units) as units, sum(subtotal) as subtotal, sum(discount) as discount, sum(shipping) as shipping,
         sum(tax) as tax, sum(total) as total, sum(refunded) as refunded
    from reports.sums
    join grains on grains.kind = sums.kind
   where sums.grain = 1
   group by 1, 2, 3, 4, 5, 6, 7
)
select business_id, kind, grain, at, subject, market, currency, said.total as quarters_say, kept.total as kept
  from said
  full join (select * from reports.sums where grain > 1) as kept using (business_id, kind, grain, at, subject, market, currency)
 where (said.orders, said.units, said.subtotal, said.discount, said.shipping, said.tax, said.total, said.refunded)
       is distinct from
       (kept.orders, kept.units, kept.subtotal, kept.discount, kept.shipping, kept.tax, kept.total, kept.refunded)
   and not exists (select from reports.rebuilding where rebuilding.business_id = coalesce(said.business_id, kept.business_id))

-- check report-first-order: the first order of a customer that counts is marked in reports, and no other
-- pieces: person of reports.orders (person) where is_counted
select business_id, order_id, person, is_first, is_the_first
  from (select business_id, order_id, person, is_first,
               row_number() over (partition by business_id, person order by created_at, order_id) = 1 as is_the_first
          from reports.orders
         where is_counted) as marked
 where is_first <> is_the_first
union all
select business_id, order_id, person, is_first, false
  from reports.orders
 where is_first and not is_counted

-- check report-person: reports count an order for the customer whom its guest became
-- pieces: order_id of reports.orders (order_id)
select orders.business_id, orders.order_id, orders.customer_id, orders.person, aliases.user_id
  from reports.orders
  left join customers.aliases on aliases.business_id = orders.business_id and aliases.guest_id = orders.customer_id
 where orders.is_counted and orders.person <> coalesce(aliases.user_id, orders.customer_id)
   and not exists (select from cell.followed
                    where followed.topic = 'customers-merged' and followed.business_id = orders.business_id
                      and followed.subject = orders.person)

-- check report-readers: the readers of a newsletter who came, less those who left, are those who are there
with said as (
  select business_id, collection_id, count(*) filter (where is_active) as active from reports.subscriptions group by 1, 2
), kept as (
  select business_id, collection_id, grain, sum(joined - "left") as active from reports.readers group by 1, 2, 3
)
select business_id, collection_id, kept.grain, said.active as subscriptions_say, kept.active as kept
  from said
  full join kept using (business_id, collection_id)
 where said.active is distinct from kept.active

-- check report-subscription: reports know of every subscription whether it is active
-- pieces: subscription_id of newsletter.subscriptions (id)
with waiting as (
  select business_id, subject as id from cell.event_outbox where starts_with(type, 'subscription.')
  union
  select business_id, subject from cell.followed where topic in ('reports-subscriptions', 'subscriptions-imported')
)
select subscriptions.business_id, subscriptions.id as subscription_id, subscriptions.status, known.is_active
  from newsletter.subscriptions
  left join reports.subscriptions as known
    on known.business_id = subscriptions.business_id and known.subscription_id = subscriptions.id
  left join waiting on waiting.business_id = subscriptions.business_id and waiting.id = subscriptions.id
 where coalesce(known.is_active, false) <> (subscriptions.status = 'ACTIVE')
   and waiting.id is null and subscriptions.updated_at < now() - interval '10 minutes'
