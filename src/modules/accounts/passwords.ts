import { hash, verify } from '@node-rs/argon2'
import { type Options, ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import { fault } from '#platform/faults.ts'
import { busy, weakPassword } from './errors.ts'

/** OWASP's parameters for argon2id. A hash made with others is renewed at the next login. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const CURRENT = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`

// Hashing takes a core for some milliseconds: two at a time, a short queue, and then an honest 503.
const AT_ONCE = 2
const MAX_WAITING = 64
let running = 0
const waiting: (() => void)[] = []

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw busy()
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

export const hashPassword = (password: string) => inTurn(() => hash(password, PARAMETERS))
export const isOutdated = (stored: string) => !stored.startsWith(CURRENT)

// Somebody who has no account costs exactly as much as somebody with a wrong password.
const NOBODY = `${CURRENT}c29tZXRoaW5nLXJhbmRvbQ$ShEjZ5cMfkWLJxyjzKqmTSyn/UBWyoYAsIrd5HnKkLc`

/** One verification, whether or not there is a hash to verify against. */
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
// The estimator's time grows with length and with substitutions tried: both are bounded.
const ESTIMATED_LENGTH = 64

const settings = {
  dictionary: common.dictionary,
  graphs: common.adjacencyGraphs,
  l33tMaxSubstitutions: 1,
} as ConstructorParameters<typeof Options>[0]
let estimator: ZxcvbnFactory | undefined // its dictionaries take a moment to load: not at start-up

/** Judged by how long guessing it would take, not by character classes. Throws 422 with what to do. */
export function checkPassword(field: string, password: string, email: string): void {
  const weakness = weaknessOf(password, email)
  if (weakness) throw weakPassword(field, weakness)
}

/** For a body that its schema refuses: what is wrong with its password is told together with the rest. */
export const alsoCheckPassword = (field: string) => (body: Record<string, unknown>) => {
  const { [field]: password, email } = body
  const weakness =
    typeof password === 'string'
      ? weaknessOf(password, typeof email === 'string' ? email.slice(0, 254) : '')
      : undefined
  return weakness ? weakPassword(field, weakness).details : []
}

function weaknessOf(password: string, email: string): string | undefined {
  if (Buffer.byteLength(password) > MAX_BYTES) return `Choose a shorter password, of at most ${MAX_BYTES} bytes.`
  if (Array.from(password).length < MIN_LENGTH) return `Choose a password of at least ${MIN_LENGTH} characters.`
  if (password.toLowerCase() === email.trim().toLowerCase()) return 'Choose a password that is not your email address.'
  estimator ??= new ZxcvbnFactory(settings)
  const { score } = estimator.check(password.slice(0, ESTIMATED_LENGTH), [email, ...email.split(/[@.]/)])
  if (score < MIN_SCORE) return 'This password is easy to guess. A few unrelated words make a good one.'
}
