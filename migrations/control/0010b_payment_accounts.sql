-- no transaction
-- The accounts of the businesses that are there. Each transaction takes 1,000 of them, so that a change of one waits for a moment
-- only. Begun again after a failure, it passes over what is done.
do $$
declare
  first text collate "C" := '';
  last text collate "C";
begin
  loop
    select max(id) into last
      from (select id from access.businesses where id > first order by id limit 1000) as slice;
    exit when last is null;
    update access.businesses
       set payment_account = stripe_account_id
     where id > first and id <= last and payment_account is distinct from stripe_account_id;
    commit;
    first := last;
  end loop;
end
$$;
