-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check payment-refunds: no more is refunded, or asked to be, than was paid
-- pieces: payment_id of payments.payments (id)
select business_id, id as payment_id, subject, paid, refunded, refunding
  from payments.payments
 where refunded + refunding > paid or least(paid, refunded, refunding) < 0

-- check payment-full: a payment that is paid is paid in full, and no other has money
-- pieces: payment_id of payments.payments (id)
select business_id, id as payment_id, subject, status, amount, paid
  from payments.payments
 where paid <> case when status = 'PAID' then amount else 0 end

-- check payment-asked: what is set apart for refunds is asked for
-- pieces: payment_id of payments.payments (id)
select payment.business_id, payment.id as payment_id, payment.subject, payment.refunding, coalesce(sum(refund.amount), 0) as asked
  from payments.payments as payment
  left join payments.refunds as refund
       on refund.business_id = payment.business_id and refund.payment_id = payment.id and refund.status = 'PENDING'
 group by payment.business_id, payment.id
having payment.refunding > coalesce(sum(refund.amount), 0)
