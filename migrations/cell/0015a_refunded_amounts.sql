-- no transaction
-- What was refunded before the orders said so, 1,000 payments in a transaction. Begun again after a failure, it passes over what is
-- done.
do $$
declare
  first record;
  last record;
begin
  select '' as business_id, '' as id into first;
  loop
    select business_id, id into last
      from (select business_id, id from payments.payments where (business_id, id) > (first.business_id, first.id)
             order by business_id, id limit 1000) as slice
     order by business_id desc, id desc limit 1;
    exit when not found;
    update orders.orders
       set refunded_amount = payments.refunded
      from payments.payments
     where (payments.business_id, payments.id) > (first.business_id, first.id)
       and (payments.business_id, payments.id) <= (last.business_id, last.id)
       and payments.refunded > 0 and starts_with(payments.subject, 'order:')
       and orders.business_id = payments.business_id and orders.id = substr(payments.subject, 7)
       and orders.refunded_amount = 0;
    commit;
    first := last;
  end loop;
end
$$;
