import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

type Shop = {
  url: string
  path: string
  tokens: readonly string[]
  productIds: readonly string[]
  /** 0: nobody buys. */
  buyers?: number
}
/** What was answered in a stretch of time. */
export type Stretch = { readsPerSecond: number; checkoutsPerSecond: number; readMs: number[]; checkoutMs: number[] }

const READERS = 4
const BUYERS = 2
const PAUSE_MS = { reader: 20, buyer: 60 }

/** People who read and buy at an easy pace, to see what something else costs them. Whoever is refused fails it. */
export function startShoppers({ url, path, tokens, productIds, buyers = BUYERS }: Shop) {
  const stop = new AbortController()
  let reads: number[] = []
  let checkouts: number[] = []
  let failure: Error | undefined
  let since = performance.now()
  const anyId = () => productIds[Math.floor(Math.random() * productIds.length)] as string
  // Nobody may have more than ten orders that wait to be paid.
  let turn = 0
  const headers = () => ({
    authorization: `Bearer ${tokens[turn++ % tokens.length]}`,
    'content-type': 'application/json',
  })

  async function ask(place: string, init: RequestInit): Promise<number> {
    const begun = performance.now()
    const answer = await fetch(url + path + place, init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${place}: ${answer.status} ${text}`)
    return performance.now() - begun
  }
  const read = async () => void reads.push(await ask(`/products/${anyId()}`, { headers: headers() }))
  const buy = async () => {
    const items = [{ productId: anyId(), variantId: 'a', quantity: 1 }]
    const body = JSON.stringify({ market: 'us', items })
    const key = { 'idempotency-key': randomUUID() }
    checkouts.push(await ask('/orders/checkout', { method: 'POST', headers: { ...headers(), ...key }, body }))
  }
  const repeat = async (work: () => Promise<void>, pauseMs: number) => {
    while (!stop.signal.aborted) {
      await work()
      await sleep(pauseMs)
    }
  }
  const keep = (work: () => Promise<void>, pauseMs: number, count: number) =>
    Array.from({ length: count }, () =>
      repeat(work, pauseMs).catch((error: Error) => {
        failure ??= error
      }),
    )
  const all = [...keep(read, PAUSE_MS.reader, READERS), ...keep(buy, PAUSE_MS.buyer, buyers)]
  return {
    /** What was answered since the last time; begins anew. */
    take(): Stretch {
      if (failure) throw failure
      const seconds = (performance.now() - since) / 1_000
      const stretch = {
        readsPerSecond: reads.length / seconds,
        checkoutsPerSecond: checkouts.length / seconds,
        readMs: reads,
        checkoutMs: checkouts,
      }
      reads = []
      checkouts = []
      since = performance.now()
      return stretch
    },
    async close() {
      stop.abort()
      await Promise.all(all)
    },
  }
}
