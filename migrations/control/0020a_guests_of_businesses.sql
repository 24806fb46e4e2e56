-- The business that made this guest, for an order by hand. Name and email are what it wrote, and proven by nobody: email_key, by
-- which people log in, stays empty.
alter table accounts.users add column guest_of text collate "C";
