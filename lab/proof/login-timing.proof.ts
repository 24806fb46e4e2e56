import { hashPassword } from '#modules/accounts/sign-in/passwords.ts'
import { createClient } from '../../test/support/client.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { median, type Run } from '../report/figures.ts'

export const title = 'Does the time of a failed login tell who has an account?'

/** Interleaved, one at a time: a wrong password for a known address, and for one that nobody has. */
export async function run({ quick, note }: Run) {
  const tries = quick ? 60 : 300
  const api = await startApi()
  const { id, email = '' } = await createMake(api).user()
  const passwordHash = await hashPassword('harbour lantern teapot')
  await api.services.databases.control
    .updateTable('accounts.users')
    .set({ passwordHash })
    .where('id', '=', id)
    .execute()
  const client = createClient(api.url)
  const times = { known: [] as number[], unknown: [] as number[] }

  async function attempt(who: keyof typeof times, address: string) {
    const start = performance.now()
    const { status } = await client.post('/v1/users/login', {
      provider: 'EMAIL',
      email: address,
      password: 'wrong horse battery',
    })
    times[who].push(performance.now() - start)
    if (status !== 422) throw new Error(`${status} instead of 422`)
  }
  for (let round = 0; round < 20; round++) await attempt('known', email) // warming up
  times.known = []
  for (let round = 0; round < tries; round++) {
    // Which of the two comes first changes, so that neither always follows the other.
    const both = [() => attempt('known', email), () => attempt('unknown', `nobody${round}@example.com`)]
    for (const one of round % 2 === 0 ? both : both.toReversed()) await one()
    if (round % 100 === 99) note(`${round + 1} of ${tries}`)
  }
  await api.close()
  const [known, unknown] = [median(times.known), median(times.unknown)]
  const difference = (100 * Math.abs(known - unknown)) / known
  return {
    figures: [
      { name: 'tries of each', value: tries, unit: '' },
      { name: 'known address, median', value: known, unit: 'ms' },
      { name: 'unknown address, median', value: unknown, unit: 'ms' },
      { name: 'difference of the medians', value: difference, unit: '%', goal: '< 5 %', ok: difference < 5 },
    ],
  }
}
