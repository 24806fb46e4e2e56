-- Links in mails prove themselves by SECRET_KEY and the subscription's id. `secret`, which did it before, stays for processes of the
-- version before while they run; a job then empties it, and keeps the hashes of what was mailed in `mailed_proofs`. New ones are ''.
alter table newsletter.subscriptions add column mailed_proofs bytea[];
alter table newsletter.subscriptions alter column secret set default '';
