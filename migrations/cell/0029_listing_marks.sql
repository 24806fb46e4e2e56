-- One key for a mark in a market of a business. An index on the three side by side reads the long lists of the business and of
-- the market for each mark that is looked for, and its statistics know nothing of a mark's share in this business.
create function catalog.mark_keys(business_id text, market_id text, marks text[]) returns bigint[]
  language sql immutable parallel safe
  return array(
    select hashtextextended(mark, hashtextextended(market_id, hashtextextended(business_id, 0)))
      from unnest(marks) as mark);

-- Where an index finds a lot, the planner would rather read the table from its start until enough has turned up, which may be
-- never. These find by the index and stop after `most`. A key may stand for two marks: callers look at the marks as well.
create function catalog.listing_with_all(keys bigint[], most integer) returns setof catalog.listing
  language sql stable set enable_seqscan = off as $$
  select * from catalog.listing where catalog.mark_keys(business_id, market_id, marks) @> keys limit most
$$;
create function catalog.listing_with_any(keys bigint[], most integer) returns setof catalog.listing
  language sql stable set enable_seqscan = off as $$
  select * from catalog.listing where catalog.mark_keys(business_id, market_id, marks) && keys limit most
$$;
