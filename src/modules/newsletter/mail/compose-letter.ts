import type { Collection, Entry } from '#modules/content/index.ts'
import type { Db } from '#platform/database/database.ts'
import type { Business } from '#vocabulary/business.ts'
import { compose } from './compose.ts'
import type { MailTemplate } from './render.ts'
import { readShownProducts } from './shown-products.ts'

/** The mail of an entry as it would go out now, with the products that it points at. */
export async function composeLetter(
  db: Db,
  {
    business,
    newsletter,
    entry,
    publicUrl,
  }: { business: Business; newsletter: Collection; entry: Entry; publicUrl: string },
): Promise<MailTemplate> {
  const products = await readShownProducts(db, business, entry)
  const siteUrl = business.allowedOrigins[0] ?? publicUrl
  const markets = business.markets.map(({ id }) => id)
  return compose({ business: { ...business, siteUrl, markets }, newsletter, entry, products })
}
