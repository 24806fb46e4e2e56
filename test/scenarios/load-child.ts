// A process of its own for the load, so that whoever makes it does not share a thread with whoever bears it.
import { buyAll, type Purchase, tally } from './buyers.ts'

export type Load = {
  path: string
  url: string
  tokens: string[]
  variants: { productId: string; variantId: string }[]
  clients: number
  ms: number
}
export type LoadReport = { perSecond: number; sold: number; refusals: Record<string, number> }

/** One after another until the time is up, each of something else. */
function* purchases({ url, tokens, variants, ms }: Load): Generator<Purchase> {
  const end = performance.now() + ms
  for (let index = 0; performance.now() < end; index++) {
    const item = variants[Math.floor(Math.random() * variants.length)]
    const body = { market: 'us', items: [{ ...item, quantity: 1 }] }
    yield { body, token: tokens[index % tokens.length] as string, url }
  }
}

async function bear(load: Load): Promise<void> {
  const start = performance.now()
  const { sold, refusals } = tally(await buyAll(load, purchases(load), load.clients))
  const report: LoadReport = { perSecond: sold / ((performance.now() - start) / 1000), sold, refusals }
  process.send?.(report)
}

process.on('message', (load: Load) => void bear(load))
process.once('disconnect', () => process.exit(0))
