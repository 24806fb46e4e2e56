import { KontorError } from '@kontor/sdk'
import { removeDrafts } from '../ui/drafts.ts'
import { SIGNED_OUT, signedOutMark } from './signed-out-mark.ts'

/** Who works here. The token stays in memory: a reload gets a new one by the cookie that no script can read. */
export type Signed = { userId: string; accessToken: string; expiresAt: number }
type State = { signed: Signed | undefined; isKnown: boolean }

const REFRESH_BEFORE_MS = 60_000
const TIMEOUT_MS = 15_000
const ADDRESS = '/admin/session'

let state: State = { signed: undefined, isKnown: false }
let renewal: Promise<Signed> | undefined
/** Counts sign-ins and sign-outs: a renewal that began before one of them is of no use after it. */
let generation = 0
const listeners = new Set<() => void>()

function set(signed: Signed | undefined): void {
  state = { signed, isKnown: true }
  for (const listener of listeners) listener()
}

export const sessionStore = {
  get: () => state,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}

/** The token for the next call; another one if the service refused this. */
export async function accessToken(refused?: string): Promise<string> {
  const { signed } = state
  const isFresh = signed && signed.accessToken !== refused && signed.expiresAt * 1_000 - REFRESH_BEFORE_MS > Date.now()
  return (isFresh ? signed : await renew()).accessToken
}

/** One at a time, over all tabs: a refresh token works once. */
function renew(): Promise<Signed> {
  const begun = generation
  renewal ??= inTurn(refresh)
    .then((signed) => {
      // Whoever signed out meanwhile, here or in another tab, is not brought back.
      if (begun !== generation || signedOutMark.isSet()) throw ended()
      set(signed)
      return signed
    })
    .catch((error: unknown) => {
      if (begun === generation && isEnd(error)) set(undefined)
      throw error
    })
    .finally(() => {
      renewal = undefined
    })
  return renewal
}

async function refresh(): Promise<Signed> {
  if (!signedOutMark.isSet()) return signedOf(await send('POST'))
  await endSession().catch(() => {}) // the mark stays, and the next one tries again
  throw ended()
}

const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request('kontor-session', work) : work()

const ended = () =>
  new KontorError({ status: 401, code: 'UNAUTHENTICATED', message: 'The session has ended. Sign in again.' })

/** Only these say that there is no session. A service that is busy or away says nothing about it, nor does a proxy. */
const isEnd = (error: unknown) =>
  error instanceof KontorError && [401, 403].includes(error.status) && error.code !== 'UNKNOWN_ANSWER'

/** Whether somebody is signed in; asks the service once. */
export async function resume(): Promise<Signed | undefined> {
  if (state.isKnown) return state.signed
  try {
    return await renew()
  } catch (error) {
    if (isEnd(error)) return undefined
    throw error
  }
}

/** What a second factor is asked with, and by which of them it can be answered. */
export type Challenge = { challenge: string; methods: string[] }

/**
 * `body` is that of `POST /v1/users/login`, or of its second step. A challenge: so far it was right, and a second factor
 * is wanted; undefined: signed in.
 */
export async function signIn(body: object): Promise<Challenge | undefined> {
  const outcome = await inTurn(async () => {
    if (signedOutMark.isSet()) await endSession().catch(() => {}) // its cookie is about to be another
    const { refusal, answer } = await call('POST', body)
    const challenge = refusal && challengeOf(refusal, answer)
    if (challenge) return { challenge }
    if (refusal) throw refusal
    const signed = signedOf(answer)
    signedOutMark.remove()
    return { signed }
  })
  if ('challenge' in outcome) return outcome.challenge
  generation++
  set(outcome.signed)
  return undefined
}

function challengeOf(refusal: KontorError, { challenge, methods }: SessionAnswer): Challenge | undefined {
  if (!refusal.has('SECOND_FACTOR_REQUIRED') || typeof challenge !== 'string' || !Array.isArray(methods))
    return undefined
  return { challenge, methods: methods as string[] }
}

/** Signed out in all tabs in any case. What the service was not told now it is told before anybody else comes in. */
export async function signOut(): Promise<void> {
  signedOutMark.set()
  leave()
  await inTurn(endSession).catch(() => {})
}

function leave(): void {
  generation++
  removeDrafts()
  set(undefined)
}

/** Only in turn. Whoever signed in since has a session that is not to be ended. */
async function endSession(): Promise<void> {
  if (!signedOutMark.isSet()) return
  const { success } = await send('DELETE')
  if (success === true) signedOutMark.remove()
}

/** Other tabs sign out with this one, and a sign-out that the service was not told of is told when the line is back. */
export function followOtherTabs(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === SIGNED_OUT && newValue !== null) leave()
  })
  addEventListener('online', () => {
    if (signedOutMark.isSet()) void inTurn(endSession).catch(() => {})
  })
}

type SessionAnswer = Record<string, unknown>

function signedOf(answer: SessionAnswer): Signed {
  const { userId, accessToken: token, expiresAt } = answer
  if (typeof userId === 'string' && typeof token === 'string' && typeof expiresAt === 'number')
    return { userId, accessToken: token, expiresAt }
  throw new KontorError({ status: 200, code: 'UNKNOWN_ANSWER', message: 'Something else than the service answered.' })
}

async function send(method: string): Promise<SessionAnswer> {
  const { refusal, answer } = await call(method)
  if (refusal) throw refusal
  return answer
}

/** All tabs wait for it: it ends, whatever the line does. */
async function call(
  method: string,
  body?: object,
): Promise<{ answer: SessionAnswer; refusal: KontorError | undefined }> {
  const init = body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
  let response: Response
  let answer: SessionAnswer
  try {
    response = await fetch(ADDRESS, { method, ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    answer = parse(await response.text())
  } catch (cause) {
    throw new KontorError({ status: 0, code: 'NETWORK', message: 'The service cannot be reached.', cause })
  }
  return { answer, refusal: response.ok ? undefined : refusalOf(response, answer) }
}

const refusalOf = ({ status, headers }: Response, { error, message, details }: SessionAnswer) =>
  new KontorError({
    status,
    code: typeof error === 'string' ? error : 'UNKNOWN_ANSWER',
    message: typeof message === 'string' ? message : `The service answered ${status}.`,
    details: Array.isArray(details) ? (details as KontorError['details']) : [],
    retryAfterSeconds: Number(headers.get('retry-after') ?? 0) || undefined,
  })

function parse(text: string): SessionAnswer {
  try {
    return (JSON.parse(text) ?? {}) as SessionAnswer
  } catch {
    return {} // a proxy may have written it
  }
}
