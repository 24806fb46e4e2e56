import { hash, verify } from '@node-rs/argon2'
import { type Options, ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import { fault } from '#platform/faults.ts'
import { createSemaphore } from '#platform/semaphore.ts'
import { busy, weakPassword } from '../errors.ts'

/** OWASP's parameters for argon2id. A hash made with others is renewed at the next login. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const CURRENT = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`

// Backpressure: hashing takes a core for milliseconds, so two run at a time, a few wait, and the rest get 503.
const AT_ONCE = 2
const MAX_WAITING = 64
const inTurn = createSemaphore({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING, refuse: busy })

export const hashPassword = (password: string) => inTurn(() => hash(password, PARAMETERS))
export const isOutdated = (stored: string) => !stored.startsWith(CURRENT)

// A dummy hash, so that an unknown account costs as much as a wrong password.
const NOBODY = `${CURRENT}c29tZXRoaW5nLXJhbmRvbQ$ShEjZ5cMfkWLJxyjzKqmTSyn/UBWyoYAsIrd5HnKkLc`

/** Always verifies once, with or without a stored hash. */
export async function passwordMatches(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await inTurn(async () => {
    await fault('password.verify')
    return verify(stored ?? NOBODY, password).catch(() => false)
  })
  return Boolean(stored) && matches
}

const MIN_LENGTH = 10
const MAX_BYTES = 256
const MIN_SCORE = 2
// The estimator's time grows with length and with tried substitutions, so both are bounded.
const ESTIMATED_LENGTH = 64

const settings = {
  dictionary: common.dictionary,
  graphs: common.adjacencyGraphs,
  l33tMaxSubstitutions: 1,
} as ConstructorParameters<typeof Options>[0]
let estimator: ZxcvbnFactory | undefined // loaded on first use, because its dictionaries take a moment

/** Judged by the estimated number of guesses, not by character classes. Throws 422 with advice. */
export function checkPassword(field: string, password: string, email: string): void {
  const weakness = weaknessOf(password, email)
  if (weakness) throw weakPassword({ field, message: weakness })
}

/** For a body that fails its schema: mistakes in the password are reported together with the others. */
export const alsoCheckPassword = (field: string) => (body: Record<string, unknown>) => {
  const { [field]: password, email } = body
  const weakness =
    typeof password === 'string'
      ? weaknessOf(password, typeof email === 'string' ? email.slice(0, 254) : '')
      : undefined
  return weakness ? [weakPassword.asDetail({ field, message: weakness })] : []
}

function weaknessOf(password: string, email: string): string | undefined {
  if (Buffer.byteLength(password) > MAX_BYTES) return `Choose a shorter password, of at most ${MAX_BYTES} bytes.`
  if (Array.from(password).length < MIN_LENGTH) return `Choose a password of at least ${MIN_LENGTH} characters.`
  if (password.toLowerCase() === email.trim().toLowerCase()) return 'Choose a password that is not your email address.'
  estimator ??= new ZxcvbnFactory(settings)
  const { score } = estimator.check(password.slice(0, ESTIMATED_LENGTH), [email, ...email.split(/[@.]/)])
  if (score < MIN_SCORE) return 'This password is easy to guess. A few unrelated words make a good one.'
}
