-- no transaction
-- The feed's rows with old words, which nobody writes any more since the file before this one. It may be large, so each transaction
-- takes at most 10,000 numbers of a business: rows that are read or added meanwhile wait for none of them, and the worker can make
-- and drop partitions in between. Begun again after a failure, it passes over what is done.
do $$
declare
  feed record;
  first bigint;
begin
  for feed in select business_id, last_number from cell.event_counters loop
    for first in select generate_series(1, feed.last_number, 10000) loop
      update cell.events
         set type = cell.renamed_event_type(type)
       where business_id = feed.business_id and number between first and first + 9999 and type like '%-%';
      commit;
    end loop;
  end loop;
end
$$;
