-- Under which SECRET_KEY an API key was hashed: a print of it, which opens nothing. Null: not known until the key is used again.
alter table accounts.api_keys add column secret_print text;
