import type { Selectable } from 'kysely'
import type { MediaFiles } from '#platform/database/cell-tables.ts'

type Named = Pick<Selectable<MediaFiles>, 'businessId' | 'id' | 'sha256'>

/*
 * Where the store has what belongs to a file. Nothing is shared: the id is part of each key, so what is deleted for one
 * file is never that of another with the same bytes, and no key comes back after it was deleted.
 */

export const uploadKeyOf = ({ businessId, id }: Pick<Named, 'businessId' | 'id'>) => `incoming/${businessId}/${id}`

/** The original of a picture, which nobody but this service reads. */
export const originalKeyOf = ({ businessId, sha256, id }: Named) => `private/${businessId}/${sha256}/${id}`

/** The keys of everything of it that everybody may read begin so. */
export const publicPrefixOf = ({ businessId, sha256, id }: Named) => `public/${businessId}/${sha256}/${id}-`
