-- no transaction
-- Who asked for a refund is an id. Their email address stood beside it; it goes, 1,000 in a transaction. Begun again after a failure,
-- this one passes over what is done.
do $$
declare
  first record;
  last record;
begin
  select '' as business_id, '' as id into first;
  loop
    select business_id, id into last
      from (select business_id, id from payments.refunds where (business_id, id) > (first.business_id, first.id)
             order by business_id, id limit 1000) as slice
     order by business_id desc, id desc limit 1;
    exit when not found;
    update payments.refunds
       set actor = (actor::jsonb - 'email')::json
     where (business_id, id) > (first.business_id, first.id) and (business_id, id) <= (last.business_id, last.id)
       and actor::jsonb ? 'email';
    commit;
    first := last;
  end loop;
end
$$;
