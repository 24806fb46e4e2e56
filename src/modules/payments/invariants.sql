-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

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
       on refund.business_id = payment.business_id and refund.payment_id = payment.id and refund.status = 'PENDING'
 group by payment.business_id, payment.id
having payment.refunding > coalesce(sum(refund.amount), 0)
