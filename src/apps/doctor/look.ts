import type pg from 'pg'

/** The result of one check. `off`: not configured, which is fine. */
export type Check = { check: string; status: 'ok' | 'warning' | 'failed' | 'off'; says: string; fix?: string }
export type Verdict = Omit<Check, 'check'>
/** A check of a database, on an open connection. */
export type Look = { name: string; fix: string; run: (client: pg.Client) => Promise<Verdict> }

export const ok = (says: string): Verdict => ({ status: 'ok', says })
export const off = (says: string): Verdict => ({ status: 'off', says })
/** Without a fix, that of the check applies. */
export const warning = (says: string, fix?: string): Verdict => ({ status: 'warning', says, ...(fix && { fix }) })
export const failed = (says: string, fix?: string): Verdict => ({ status: 'failed', says, ...(fix && { fix }) })

const LIMIT_MS = 5_000

/** Runs one check, for five seconds at most; an exception is a failure with that fix. */
export async function look(
  check: string,
  fix: string,
  work: (signal: AbortSignal) => Promise<Verdict>,
): Promise<Check> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${LIMIT_MS / 1000} seconds`))
    signal.addEventListener('abort', giveUp, { once: true })
  })
  late.catch(() => {})
  try {
    const { status, says, fix: better } = await Promise.race([work(signal), late])
    return { check, status, says, ...(status === 'warning' || status === 'failed' ? { fix: better ?? fix } : {}) }
  } catch (error) {
    return { check, ...failed(reasonOf(error), fix) }
  }
}

/** The error in one line: with several addresses it has only a code, and fetch hides the reason in `cause`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  const deeper = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : ''
  const [line = ''] = (error.message || code || error.name).split('\n', 1)
  return line + deeper
}
