import { guessCodes } from '../../test/scenarios/guess-codes.ts'
import { holdClock } from '../../test/support/clock.ts'
import { startApi } from '../../test/support/start-api.ts'
import { none, type Run } from '../report/figures.ts'

export const title = 'Guessing the second factor: 10,000 codes from 1,000 addresses, by somebody who has the password'

/** All within one hour by the service's clock, then five every five minutes for a day. The owner comes back in between. */
export async function run({ quick }: Run) {
  const [guesses, addresses] = quick ? [500, 50] : [10_000, 1_000]
  const api = await startApi({ env: { TRUST_PROXY: '127.0.0.1' } })
  const clock = holdClock()
  try {
    const hours = quick ? 5 : 24
    const result = await guessCodes(api, clock, { guesses, addresses, perLogin: 5, atOnce: 8, everySeconds: 0, hours })
    const { inAnHour, inADay, elsewhere, atKnownAddress, byPasskey, anHourLater } = result
    const lockedOut = [atKnownAddress, byPasskey, anHourLater].filter((status) => status !== 200).length
    return {
      figures: [
        { name: 'codes guessed within an hour', value: guesses, unit: '' },
        { name: 'addresses that they came from', value: addresses, unit: '' },
        { name: 'judged within the hour', value: inAnHour, unit: '', goal: '≤ 10', ok: inAnHour <= 10 },
        { name: 'judged within a day, of one a minute', value: inADay, unit: '', goal: '≤ 100', ok: inADay <= 100 },
        none('right codes accepted from an unknown address at the limit', elsewhere === 429 ? 0 : 1),
        none('times that the owner was locked out: a known address, a passkey, an hour later', lockedOut),
      ],
    }
  } finally {
    clock.release()
    await api.close()
  }
}
