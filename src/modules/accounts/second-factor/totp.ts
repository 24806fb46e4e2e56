import { timingSafeEqual } from 'node:crypto'
import { HOTP, Secret, TOTP } from 'otpauth'
import { nowMs } from '#platform/clock.ts'

const PERIOD_SECONDS = 30
const DIGITS = 6
const SECRET_BYTES = 20
/** How far a phone's clock may be off, in steps. */
const WINDOW = 1

/** What an authenticator app needs: SHA-1 and six digits, because some apps read no more of the address than the secret. */
export const newSecret = (): Buffer => Buffer.from(new Secret({ size: SECRET_BYTES }).bytes)

export function describeSecret(secret: Buffer, { issuer, label }: { issuer: string; label: string }) {
  const totp = new TOTP({ issuer, label, secret: secretOf(secret), digits: DIGITS, period: PERIOD_SECONDS })
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** The step of which this is the code, if it is later than that of the last code that was used. */
export function findStep(secret: Buffer, code: string, lastStep: number): number | undefined {
  const current = Math.floor(nowMs() / 1000 / PERIOD_SECONDS)
  const given = Buffer.from(code.replaceAll(' ', ''))
  for (let step = current - WINDOW; step <= current + WINDOW; step++) {
    const right = Buffer.from(HOTP.generate({ secret: secretOf(secret), counter: step, digits: DIGITS }))
    if (step > lastStep && given.length === right.length && timingSafeEqual(given, right)) return step
  }
  return undefined
}

const secretOf = (secret: Buffer) => new Secret({ buffer: new Uint8Array(secret).buffer })
