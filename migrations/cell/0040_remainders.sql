-- A send to those whom an earlier one did not reach: of `remainder_of`, the recipients in `remainder_states`. Its mail is the earlier
-- one's.
alter table newsletter.sends
  add column remainder_of text collate "C",
  add column remainder_states text[] collate "C";
create index sends_by_remainder on newsletter.sends (business_id, remainder_of) where remainder_of is not null;
