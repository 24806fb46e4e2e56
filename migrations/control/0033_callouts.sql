-- Services of a business that are asked during quote and checkout, by point: {<point>: {url, timeoutMs, onFailure, isEnabled,
-- sealedSecret, createdAt, updatedAt}}. With the business, because every request has that at hand: a quote of a business without
-- any must not look for them. Null: none.
-- Processes of the version before write it back as they have read it.
alter table access.businesses add column callouts json;
