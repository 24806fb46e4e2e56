-- no transaction
-- The words of the refunds that are there, 1,000 in a transaction: one that is not done yet is held for a moment only. The next file
-- finds nothing left to rename. Begun again after a failure, this one passes over what is done.
do $$
declare
  first payments.refunds;
  last payments.refunds;
begin
  first.business_id := '';
  first.id := '';
  loop
    select * into last
      from (select * from payments.refunds where (business_id, id) > (first.business_id, first.id)
             order by business_id, id limit 1000) as slice
     order by business_id desc, id desc limit 1;
    exit when not found;
    update payments.refunds
       set status = case status when 'ASKED' then 'PENDING' else 'SUCCEEDED' end
     where (business_id, id) > (first.business_id, first.id) and (business_id, id) <= (last.business_id, last.id)
       and status in ('ASKED', 'DONE');
    commit;
    first := last;
  end loop;
end
$$;
