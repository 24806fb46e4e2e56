-- What must be true of files.

-- check media-room: the room that a business has used is the size of its files that are not rejected
select business_id, sum(counted) as counted, sum(files_say) as files_say
  from (select business_id, bytes as counted, 0 as files_say from media.used
         union all
        select business_id, 0, size from media.files where status <> 'REJECTED') as both_say
 group by business_id
having sum(counted) <> sum(files_say)

-- check media-pictures: a picture that is READY has a width, a height and a placeholder, and nothing else has
-- pieces: media_id of media.files (id)
select business_id, id as media_id, status, mime_type, width, height
  from media.files
 where (status = 'READY' and mime_type in ('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'))
       <> (width is not null and height is not null and placeholder is not null)
