-- What must be true of files.

-- check: the room that a business has used is the size of its files that are not rejected
select coalesce(used.business_id, sums.business_id) as business_id, used.bytes as counted, sums.bytes as files_say
  from media.used
  full join (select business_id, sum(size)::bigint as bytes from media.files where status <> 'REJECTED' group by business_id) as sums
       on sums.business_id = used.business_id
 where coalesce(used.bytes, 0) <> coalesce(sums.bytes, 0)

-- check: a picture that is READY has a width, a height and a placeholder, and nothing else has
select business_id, id, status, mime_type, width, height
  from media.files
 where (status = 'READY' and mime_type in ('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'))
       <> (width is not null and height is not null and placeholder is not null)
