import type { Static } from 'typebox'
import type { ControlTx } from '#platform/database/database.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Proof } from '../credentials/sessions.ts'
import { factorCodeWrong, oneProofRequired, recoveryCodeWrong } from '../errors.ts'
import { sendSecurityNotice } from '../jobs.ts'
import { judgePasskey, type PasskeyContext } from '../passkeys/judge-passkey.ts'
import type { Passkey } from '../passkeys/schemas.ts'
import { type Attempts, factorLimits } from '../sign-in/attempts.ts'
import { isKnownAddress } from '../sign-in/known-addresses.ts'
import { useRecoveryCode } from './recovery-codes.ts'
import { findStep } from './totp.ts'

export type FactorContext = PasskeyContext & { attempts: Attempts; address: string }

export type Shown = { code?: string; recoveryCode?: string; passkey?: Static<typeof Passkey> }

/** Takes what was shown, so that it works once, in the transaction of what it is for. Returns what it was. */
export type Taking = (tx: ControlTx) => Promise<Proof>

/** Judges what a person shows as their second factor: exactly one of these. */
export async function judgeFactor(
  context: FactorContext,
  userId: string,
  { code, recoveryCode, passkey }: Shown,
): Promise<Taking> {
  if ([code, recoveryCode, passkey].filter((shown) => shown !== undefined).length !== 1)
    throw oneProofRequired({ field: 'code', ways: 'code, recoveryCode or passkey' })
  if (code !== undefined) return judgeCode(context, userId, code)
  if (recoveryCode !== undefined) return judgeRecoveryCode(context, userId, recoveryCode)
  const { take } = await judgePasskey(context, passkey as Static<typeof Passkey>, { onlyOf: userId })
  return async (tx) => {
    await take(tx)
    return 'PASSKEY'
  }
}

async function judgeCode(context: FactorContext, userId: string, code: string): Promise<Taking> {
  const { control, box, attempts } = context
  const limits = await countCode(context, userId, 'code')
  const factor = await control
    .selectFrom('accounts.secondFactors')
    .select(['sealedSecret', 'lastStep'])
    .where('userId', '=', userId)
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst()
  const secret = factor && box.open(factor.sealedSecret)
  const step = secret && findStep(secret, code, factor.lastStep)
  if (step === undefined) throw factorCodeWrong()
  return async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('accounts.secondFactors')
      .set({ lastStep: step })
      .where('userId', '=', userId)
      .where('lastStep', '<', step)
      .where('confirmedAt', 'is not', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw factorCodeWrong() // the same code came twice at once
    await attempts.on(tx).forgive(limits.wrong)
    return 'TOTP'
  }
}

async function judgeRecoveryCode(context: FactorContext, userId: string, code: string): Promise<Taking> {
  const limits = await countCode(context, userId, 'recovery-code')
  return async (tx) => {
    if (!(await useRecoveryCode(tx, userId, code))) throw recoveryCodeWrong()
    await context.attempts.on(tx).forgive(limits.wrong)
    await enqueue(tx, sendSecurityNotice, { userId, notice: 'recovery-code-used' })
    return 'RECOVERY_CODE'
  }
}

/**
 * Counts before anything is judged. Where the account has shown its factor before, it is counted apart, so that guesses
 * from elsewhere do not lock its owner out. Only a right code gives back what it counted as a wrong one.
 */
export async function countCode(
  { control, box, attempts, address }: Pick<FactorContext, 'control' | 'box' | 'attempts' | 'address'>,
  userId: string,
  kind: 'code' | 'recovery-code',
) {
  const isKnown = await isKnownAddress(control, box, userId, address)
  const limits = factorLimits(kind, userId, isKnown ? address : undefined)
  await attempts.count(limits.perMinute, limits.wrong, limits.perDay)
  return limits
}
