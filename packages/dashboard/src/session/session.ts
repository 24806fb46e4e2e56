import { KontorError } from '@kontor/sdk'

/** Who works here. The token stays in memory: a reload gets a new one by the cookie that no script can read. */
export type Signed = { userId: string; accessToken: string; expiresAt: number }
type State = { signed: Signed | undefined; isKnown: boolean }

const REFRESH_BEFORE_MS = 60_000
const ADDRESS = '/admin/session'

let state: State = { signed: undefined, isKnown: false }
let renewal: Promise<Signed> | undefined
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
  renewal ??= inTurn(() => send('POST'))
    .then((answer) => {
      const signed = answer as Signed
      set(signed)
      return signed
    })
    .catch((error: unknown) => {
      if (error instanceof KontorError && error.status > 0 && error.status < 500) set(undefined)
      throw error
    })
    .finally(() => {
      renewal = undefined
    })
  return renewal
}

const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request('kontor-session', work) : work()

/** Whether somebody is signed in; asks the service once. */
export async function resume(): Promise<Signed | undefined> {
  if (state.isKnown) return state.signed
  try {
    return await renew()
  } catch (error) {
    if (error instanceof KontorError && error.status > 0 && error.status < 500) return undefined
    throw error
  }
}

/** `body` is that of `POST /v1/users/login`. */
export async function signIn(body: Record<string, string>): Promise<Signed> {
  const signed = (await inTurn(() => send('POST', body))) as Signed
  set(signed)
  return signed
}

/** Signed out here in any case. */
export async function signOut(): Promise<void> {
  set(undefined)
  await inTurn(() => send('DELETE'))
}

async function send(method: string, body?: object): Promise<unknown> {
  const init = body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
  let response: Response
  try {
    response = await fetch(ADDRESS, { method, ...init })
  } catch (cause) {
    throw new KontorError({ status: 0, code: 'NETWORK', message: 'The service cannot be reached.', cause })
  }
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
  if (response.ok) return answer
  throw new KontorError({
    status: response.status,
    code: typeof answer.error === 'string' ? answer.error : 'UNKNOWN_ANSWER',
    message: typeof answer.message === 'string' ? answer.message : `The service answered ${response.status}.`,
    details: Array.isArray(answer.details) ? (answer.details as KontorError['details']) : [],
  })
}
