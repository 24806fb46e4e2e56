import { createKontor } from '@kontor/sdk'
import { cacheLife, cacheTag } from 'next/cache'
import { baseUrl, businessId } from './settings.ts'

/** A language, and the market whose prices are shown in it. */
export type View = { locale?: string; market?: string }

/** Next keeps no more tags than this. Those of the business and of the list come first, then the ids. */
const MOST_TAGS = 128
/** For lists of many pages that show nothing but what `product.updated` and the like tell of. */
export const LIST_TAGS = 2

/** For functions with `use cache` only: what they return is kept under the tags that the service gives its answers. */
export const kontorFor = (view: View = {}, mostTags = MOST_TAGS) =>
  createKontor({
    baseUrl,
    businessId,
    ...view,
    fetch: async (...given) => {
      const answer = await fetch(...given)
      const tags = answer.headers.get('cache-tag')
      if (tags) cacheTag(...tags.split(',').slice(0, mostTags))
      // The feed tells what changes. A minute is for what it cannot tell, such as a price whose time has come.
      if (answer.ok) cacheLife({ stale: 0, revalidate: 60, expire: 3_600 })
      else cacheLife({ stale: 0, revalidate: 1, expire: 2 })
      return answer
    },
  })
