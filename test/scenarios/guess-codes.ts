import { createClient } from '../support/client.ts'
import type { holdClock } from '../support/clock.ts'
import { addPasskey, addTotp, codeOf, usePasskey, wrongCodeOf } from '../support/factors.ts'
import { createPeople } from '../support/people.ts'
import { refusal } from '../support/refusal.ts'
import type { TestApi } from '../support/start-api.ts'

const HOUR = 3_600
const FIVE_MINUTES = 300
const FIVE = 5

type Size = {
  /** Codes guessed within an hour, and the client addresses they come from. */
  guesses: number
  addresses: number
  /** Codes tried with one login. A challenge takes five. */
  perLogin: number
  /** Attackers working in parallel, and the time each takes for a login. */
  atOnce: number
  everySeconds: number
  /** Hours of the next day in which five codes are guessed every five minutes. */
  hours: number
}

/**
 * Guesses the codes of an account whose password is known. Counts the guesses that were compared with the code, and returns the
 * statuses of logins with the right code or a passkey once the limit is reached. The API has to trust a proxy at 127.0.0.1.
 */
export async function guessCodes(
  api: TestApi,
  clock: ReturnType<typeof holdClock>,
  { guesses, addresses, perLogin, atOnce, everySeconds, hours }: Size,
) {
  const people = createPeople(api)
  const { email } = await people.person()
  const session = await people.session(email)
  const passkey = await addPasskey(session, api.config.publicUrl)
  const { secret } = await addTotp(session)
  const from = (n: number) => ({ 'x-forwarded-for': `198.${18 + ((n >> 8) & 1)}.${n & 255}.${(n >> 9) + 1}` })
  const finish = (challenge: string, code: string, headers: Record<string, string>) =>
    createClient(api.url).post('/v1/users/login/second-factor', { challenge, code }, headers)
  const challengeFrom = async (headers: Record<string, string>) => {
    const { status, body, text } = await people.login(email, undefined, api.url, headers)
    if (status !== 403) throw new Error(`The right password was answered with ${status}: ${text}`)
    return body.challenge as string
  }
  const signIn = async (headers: Record<string, string> = {}) =>
    (await finish(await challengeFrom(headers), codeOf(secret), headers)).status

  async function guess(first: number, count: number, tries: number, seconds: number): Promise<number> {
    let judged = 0
    for (let n = first; n < first + count; n += tries) {
      const headers = from(n % addresses)
      const challenge = await challengeFrom(headers)
      for (let left = Math.min(tries, first + count - n); left > 0; left--) {
        const answer = await finish(challenge, wrongCodeOf(secret), headers)
        if (refusal(answer) === '422 VALIDATION_FAILED code CODE_WRONG') judged++
        else if (answer.status !== 429) throw new Error(`A guess was answered with ${answer.status}: ${answer.text}`)
      }
      clock.advance(seconds)
    }
    return judged
  }

  const share = guesses / atOnce
  const parts = await Promise.all(
    Array.from({ length: atOnce }, (_, part) =>
      guess(Math.round(part * share), Math.round(share), perLogin, everySeconds),
    ),
  )
  clock.advance(30) // the code of this half minute may be used up
  const stranger = from(addresses)
  const atLimit = {
    elsewhere: await signIn(stranger),
    atKnownAddress: await signIn(),
    byPasskey: (
      await createClient(api.url).post(
        '/v1/users/login',
        { provider: 'PASSKEY', passkey: await usePasskey(api.url, passkey) },
        stranger,
      )
    ).status,
  }
  clock.advance(HOUR)
  const anHourLater = await signIn(stranger)

  clock.advance(24 * HOUR)
  const rounds = (hours * HOUR) / FIVE_MINUTES
  const inADay = await guess(0, rounds * FIVE, FIVE, FIVE_MINUTES)
  return { inAnHour: parts.reduce((sum, judged) => sum + judged, 0), inADay, ...atLimit, anHourLater }
}
