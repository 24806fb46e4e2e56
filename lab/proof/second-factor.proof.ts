import { createClient } from '../../test/support/client.ts'
import { holdClock } from '../../test/support/clock.ts'
import { addPasskey, addTotp, codeOf, usePasskey, wrongCodeOf } from '../../test/support/factors.ts'
import { createPeople } from '../../test/support/people.ts'
import { startApi } from '../../test/support/start-api.ts'
import { none, type Run } from '../report/figures.ts'

export const title = 'Guessing the second factor: 10,000 codes from 1,000 addresses, by somebody who has the password'

const PUBLIC = 'http://localhost:3000'
const TRIES = 5
const AT_ONCE = 8

/** All within one hour by the service's clock, then five every five minutes for a day. The owner comes back in between. */
export async function run({ quick, note }: Run) {
  const [guesses, addresses] = quick ? [500, 50] : [10_000, 1_000]
  const api = await startApi({ publicUrl: PUBLIC, env: { TRUST_PROXY: '127.0.0.1', RATE_LIMITS: 'off' } })
  const clock = holdClock()
  try {
    const people = createPeople(api)
    const { email } = await people.person()
    const session = await people.session(email)
    const passkey = await addPasskey(session, PUBLIC)
    const { secret } = await addTotp(session)
    const from = (n: number) => ({ 'x-forwarded-for': `198.${18 + ((n >> 8) & 1)}.${n & 255}.${(n >> 9) + 1}` })
    const finish = (body: object, headers = {}) =>
      createClient(api.url).post('/v1/users/login/second-factor', body, headers)
    const challengeFrom = async (headers = {}) => {
      const { status, body, text } = await people.login(email, undefined, api.url, headers)
      if (status !== 403) throw new Error(`The right password was answered with ${status}: ${text}`)
      return body.challenge as string
    }

    /** Answers how many were judged, that is, called wrong. */
    async function guess(first: number, count: number): Promise<number> {
      let judged = 0
      for (let n = first; n < first + count; n += TRIES) {
        const headers = from(n % addresses)
        const challenge = await challengeFrom(headers)
        for (let tries = 0; tries < Math.min(TRIES, first + count - n); tries++) {
          const { status, text } = await finish({ challenge, code: wrongCodeOf(secret) }, headers)
          if (status === 422) judged++
          else if (status !== 429) throw new Error(`A guess was answered with ${status}: ${text}`)
        }
      }
      return judged
    }

    const share = guesses / AT_ONCE
    const parts = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, part) => guess(Math.round(part * share), Math.round(share))),
    )
    const inAnHour = parts.reduce((sum, judged) => sum + judged, 0)
    note(`${guesses} guesses in an hour: ${inAnHour} judged`)

    clock.advance(30)
    const owner = await finish({ challenge: await challengeFrom(), code: codeOf(secret) })
    const byPasskey = await createClient(api.url).post(
      '/v1/users/login',
      { provider: 'PASSKEY', passkey: await usePasskey(api.url, passkey) },
      from(addresses - 1),
    )

    clock.advance(24 * 3_600)
    let inADay = 0
    for (let five = 0; five < (quick ? 60 : 288); five++) {
      inADay += await guess(five * TRIES, TRIES)
      clock.advance(5 * 60)
    }
    note(`five guesses every five minutes for a day: ${inADay} judged`)
    const lockedOut = [owner, byPasskey].filter(({ status }) => status !== 200).length
    return {
      figures: [
        { name: 'codes guessed within an hour', value: guesses, unit: '' },
        { name: 'addresses that they came from', value: addresses, unit: '' },
        { name: 'judged within the hour', value: inAnHour, unit: '', goal: '≤ 10', ok: inAnHour <= 10 },
        { name: 'judged within a day, of one a minute', value: inADay, unit: '', goal: '≤ 100', ok: inADay <= 100 },
        none('times that the owner was locked out: a known address, a passkey', lockedOut),
      ],
    }
  } finally {
    clock.release()
    await api.close()
  }
}
