-- Letters show products at the prices of their reader's market: the one that they subscribed from. Null: it is not known.
alter table newsletter.subscriptions add column market text collate "C";
alter table newsletter.checkouts add column market text collate "C";
