-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check order-payment: an order that is to be paid has a payment of its total
-- pieces: order_id of orders.orders (id)
select orders.business_id, orders.id as order_id, orders.total, payment.amount, payment.currency
  from orders.orders
  left join payments.payments as payment
       on payment.business_id = orders.business_id and payment.subject = 'order:' || orders.id
 where orders.request_hash is not null and orders.total > 0 and orders.trace is not null
   and (payment.id is null or payment.amount <> orders.total or payment.currency <> orders.currency)

-- check payment-order: a payment is for an order
-- pieces: payment_id of payments.payments (id)
-- (A payment for another subject belongs to a newsletter: only the rules of money apply to it.)
select payment.business_id, payment.id as payment_id, payment.subject
  from payments.payments as payment
  left join orders.orders on orders.business_id = payment.business_id and orders.id = substr(payment.subject, 7)
 where payment.subject like 'order:%' and orders.id is null

-- check order-payment-status: an order's payment status is what its payment says
-- pieces: order_id of orders.orders (id)
-- (Unless a person has set it by hand since.)
select orders.business_id, orders.id as order_id, orders.payment_status, payment.status, payment.paid, payment.refunded
  from payments.payments as payment
  join orders.orders on orders.business_id = payment.business_id and payment.subject = 'order:' || orders.id
 where orders.payment_statuses -> -1 ->> 'changedBy' = 'SYSTEM'
   and case
         when payment.status = 'PAID' and payment.refunded >= payment.paid then orders.payment_status <> 'REFUNDED'
         when payment.status = 'PAID' and payment.refunded > 0 then orders.payment_status <> 'PARTIALLY_REFUNDED'
         when payment.status = 'PAID' then orders.payment_status <> 'PAID'
         else orders.payment_status not in ('PENDING', 'FAILED')
       end

-- check order-money-came: no order waits for money that has come
-- pieces: order_id of orders.orders (id)
select orders.business_id, orders.id as order_id, orders.status, payment.status as payment
  from payments.payments as payment
  join orders.orders on orders.business_id = payment.business_id and payment.subject = 'order:' || orders.id
 where payment.status = 'PAID' and orders.status = 'PENDING' and orders.statuses -> -1 ->> 'changedBy' = 'SYSTEM'

-- check order-money-back: money for a cancelled order is on its way back, unless a person cancelled it
-- pieces: order_id of orders.orders (id)
select orders.business_id, orders.id as order_id, payment.paid, payment.refunded, payment.refunding
  from payments.payments as payment
  join orders.orders on orders.business_id = payment.business_id and payment.subject = 'order:' || orders.id
 where payment.status = 'PAID' and orders.status = 'CANCELLED' and orders.statuses -> -1 ->> 'changedBy' = 'SYSTEM'
   and not exists (select from payments.refunds as refund
                    where refund.business_id = payment.business_id and refund.payment_id = payment.id)
   and payment.refunded < payment.paid

-- check order-refunded-amount: an order's refunded amount is what its payment says
-- pieces: order_id of orders.orders (id)
select orders.business_id, orders.id as order_id, orders.refunded_amount, payment.refunded
  from payments.payments as payment
  join orders.orders on orders.business_id = payment.business_id and payment.subject = 'order:' || orders.id
 where orders.refunded_amount <> payment.refunded

-- check refund-parts: a refund gives at least what its parts say, and they count unless it failed
-- pieces: order_id of orders.refund_lines (order_id)
select part.business_id, part.order_id, part.refund_id, refund.amount, refund.status, part.amount as of_parts
  from (select business_id, order_id, refund_id, sum(amount) as amount, count(freed_at) as freed, count(*) as parts
          from orders.refund_lines
         group by business_id, order_id, refund_id) as part
  left join payments.refunds as refund on refund.business_id = part.business_id and refund.id = part.refund_id
 where refund.id is null or part.amount > refund.amount
    or part.freed <> case when refund.status = 'FAILED' then part.parts else 0 end
