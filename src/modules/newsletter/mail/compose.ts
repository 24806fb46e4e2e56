import { openThread } from '#platform/thread.ts'
import { composeMail, lengthOf, type MailSource, type MailTemplate } from './render.ts'

/** A mail up to this length is composed in about 40 ms. */
const MAX_LENGTH_HERE = 20_000
const TIMEOUT_MS = 5_000

const composeThere = openThread<MailSource, MailTemplate>(new URL('./compose-thread.ts', import.meta.url), {
  timeoutMs: TIMEOUT_MS,
})

type Composed = MailSource & { entry: { businessId: string } }

/** `composeMail`, in a worker thread if it takes long: half a second would block the event loop. */
export async function compose({ business, newsletter, entry, products }: Composed): Promise<MailTemplate> {
  const source = {
    business: {
      name: business.name,
      defaultLocale: business.defaultLocale,
      siteUrl: business.siteUrl,
      markets: business.markets,
    },
    newsletter: {
      name: newsletter.name,
      countClicks: newsletter.countClicks,
      countOpens: newsletter.countOpens,
    },
    entry: { locale: entry.locale, blocks: entry.blocks },
    products,
  }
  const isLong = lengthOf(entry.blocks) > MAX_LENGTH_HERE
  return isLong ? composeThere(source, { key: entry.businessId }) : composeMail(source)
}
