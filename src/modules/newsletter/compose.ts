import { openThread } from '#platform/thread.ts'
import { composeMail, lengthOf, type MailSource, type MailTemplate } from './render.ts'

/** A mail of this length is composed in some 40 ms at most. */
const MAX_LENGTH_HERE = 20_000
const TIMEOUT_MS = 5_000

const composeThere = openThread<MailSource, MailTemplate>(new URL('./compose-thread.ts', import.meta.url), {
  timeoutMs: TIMEOUT_MS,
})

/** `composeMail`, in another thread if it takes long: up to half a second, in which nobody else would be answered. */
export async function compose({ business, newsletter, entry }: MailSource): Promise<MailTemplate> {
  const source = {
    business: { name: business.name, defaultLocale: business.defaultLocale, siteUrl: business.siteUrl },
    newsletter: { name: newsletter.name },
    entry: { locale: entry.locale, blocks: entry.blocks },
  }
  return lengthOf(entry.blocks) > MAX_LENGTH_HERE ? composeThere(source) : composeMail(source)
}
