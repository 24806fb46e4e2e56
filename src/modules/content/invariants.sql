-- What must be true between any two transactions. Each part selects what breaks its rule, and says of which business.

-- check entry-schema: no entry is of a schema that its collection never had
-- pieces: entry_id of content.entries (id)
select entry.business_id, entry.id as entry_id, entry.schema_version, collection.schema_version as current
  from content.entries as entry
  join content.collections as collection
    on collection.business_id = entry.business_id and collection.id = entry.collection_id
 where entry.schema_version > collection.schema_version
