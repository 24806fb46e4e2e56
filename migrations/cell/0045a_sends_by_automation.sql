-- no transaction
-- The sends of a letter that goes out by itself, the newest first: how many got it lately.
create index concurrently if not exists sends_by_automation on newsletter.sends (business_id, automation_id, id)
  where automation_id is not null;
