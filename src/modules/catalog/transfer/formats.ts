import type { FastifyRequest } from 'fastify'
import { formatOf } from '#platform/transfer/routes.ts'
import type { Upload } from '#platform/transfer/staging.ts'
import type { Business, Market } from '#vocabulary/business.ts'
import { formatDiffers, importMarketNotFound, marketRequired } from '../errors.ts'
import type { ImportFormat, ImportQuery } from './schemas.ts'
import { readShopifyCsv } from './shopify-csv.ts'
import { readWooCommerceCsv } from './woocommerce-csv.ts'

const FOREIGN = { 'shopify-csv': readShopifyCsv, 'woocommerce-csv': readWooCommerceCsv }
const isForeign = (format: ImportFormat): format is keyof typeof FOREIGN => Object.hasOwn(FOREIGN, format)

/** How the file of this request is read, by what it says of itself. */
export function howToRead(
  request: Pick<FastifyRequest, 'headers'>,
  business: Business,
  { dryRun = false, format: asked, market: marketId, fileName, pictures = 'keep' }: ImportQuery,
): Pick<Upload, 'readCsv' | 'about' | 'isDryRun'> {
  const type = formatOf(request)
  const format = asked ?? type
  if ((format === 'ndjson') !== (type === 'ndjson'))
    throw formatDiffers({ type: request.headers['content-type'] ?? '', format })
  const about = { format, fileName: fileName ?? null, fetchesPictures: pictures === 'fetch' }
  if (!isForeign(format)) return { isDryRun: dryRun, about }
  const market = marketOf(business, marketId)
  const read = FOREIGN[format]
  return {
    isDryRun: dryRun,
    about: { ...about, marketId: market.id },
    readCsv: (file, onUnknown) =>
      read(file, { market, timeZone: business.timeZone }, (names) =>
        onUnknown(names.map((name) => ({ name, suggestions: [] }))),
      ),
  }
}

/** Files of other systems have one price each: somebody has to say whose it is. */
function marketOf({ markets }: Business, asked: string | undefined): Market {
  const known = asked === undefined ? markets : markets.filter(({ id }) => id === asked)
  const [market] = known
  if (asked !== undefined && !market) throw importMarketNotFound({ market: asked })
  if (!market || known.length > 1) throw marketRequired({ markets: markets.map(({ id }) => id).join(', ') || 'none' })
  return market
}
