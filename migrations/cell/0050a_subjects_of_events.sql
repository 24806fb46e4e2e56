-- no transaction
-- The payments that the events which are there are about, as our own metadata in them say, 1,000 in a transaction. One that says
-- nothing goes after 90 days by itself. Begun again after a failure, this one passes over what is done.
do $$
declare
  first record;
  last record;
begin
  select '' as business_id, '' as id into first;
  loop
    select business_id, id into last
      from (select business_id, id from payments.events where (business_id, id) > (first.business_id, first.id)
             order by business_id, id limit 1000) as slice
     order by business_id desc, id desc limit 1;
    exit when not found;
    update payments.events
       set subject = substring(body from '"subject":\s*"((?:order|newsletter):[\w-]{1,64})"')
     where (business_id, id) > (first.business_id, first.id) and (business_id, id) <= (last.business_id, last.id)
       and subject is null;
    commit;
    first := last;
  end loop;
end
$$;
