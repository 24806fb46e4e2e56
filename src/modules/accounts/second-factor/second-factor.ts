import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { needFreshProof } from '../credentials/need-proof.ts'
import { renewProof, revokeSessionsOf } from '../credentials/sessions.ts'
import { factorCodeWrong, factorExists, factorMissing, factorNotBegun, userGone } from '../errors.ts'
import { sendSecurityNotice } from '../jobs.ts'
import type { Attempts } from '../sign-in/attempts.ts'
import { forgetAddresses, rememberAddress } from '../sign-in/known-addresses.ts'
import { countCode } from './judge-factor.ts'
import { hasAnyFactor, lockUser } from './queries.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { describeSecret, findStep, newSecret } from './totp.ts'

type Context = { control: ControlDb; box: SecretBox; publicUrl: string; attempts: Attempts; address: string }

/** Makes a secret, which counts for nothing until a code of it is confirmed. Asked again, it makes another. */
export async function beginFactor({ control, box, publicUrl }: Omit<Context, 'attempts' | 'address'>, actor: Actor) {
  await needFreshProof(control, actor)
  const { userId } = actor
  const secret = newSecret()
  const fresh = { sealedSecret: box.seal(secret), lastStep: 0, createdAt: now() }
  const begun = await control
    .insertInto('accounts.secondFactors')
    .values({ userId, ...fresh })
    .onConflict((known) =>
      known.column('userId').doUpdateSet(fresh).where('accounts.secondFactors.confirmedAt', 'is', null),
    )
    .returning('userId')
    .executeTakeFirst()
  if (!begun) throw factorExists()
  return describeSecret(secret, { issuer: new URL(publicUrl).hostname, label: actor.email ?? userId })
}

/** From now on no login is enough without it. All other sessions end: whoever is in them has not shown it. */
export async function confirmFactor(context: Context, actor: Actor, code: string): Promise<string[]> {
  const { control, box, attempts, address } = context
  const { userId, sessionId } = actor
  await needFreshProof(control, actor)
  const limits = await countCode(context, userId, 'code')
  const factor = await control
    .selectFrom('accounts.secondFactors')
    .select(['sealedSecret', 'lastStep', 'confirmedAt'])
    .where('userId', '=', userId)
    .executeTakeFirst()
  if (factor?.confirmedAt) throw factorExists()
  if (!factor) throw factorNotBegun()
  const secret = box.open(factor.sealedSecret)
  const step = secret && findStep(secret, code, factor.lastStep)
  if (step === undefined) throw factorCodeWrong()
  return transaction(control, async (tx) => {
    if (!(await lockUser(tx, userId))) throw userGone()
    await needFreshProof(tx, actor) // once more: this session may have ended, or a passkey been added, meanwhile
    const { numUpdatedRows } = await tx
      .updateTable('accounts.secondFactors')
      .set({ confirmedAt: now(), lastStep: step })
      .where((row) => row.and({ userId, sealedSecret: factor.sealedSecret }))
      .where('confirmedAt', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw factorNotBegun() // begun anew, or confirmed, this moment
    await attempts.on(tx).forgive(limits.wrong)
    await revokeSessionsOf(tx, userId, sessionId)
    if (sessionId) await renewProof(tx, sessionId, 'TOTP')
    // From here on an address is known only if the factor was shown there.
    await forgetAddresses(tx, userId)
    await rememberAddress(tx, box, userId, address)
    await audit(tx, { action: 'second-factor.added', subject: userId, actor })
    await enqueue(tx, sendSecurityNotice, { userId, notice: 'factor-added' })
    return replaceRecoveryCodes(tx, userId)
  })
}

/** Ten new ones; those before no longer work. */
export async function renewRecoveryCodes(control: ControlDb, actor: Actor): Promise<string[]> {
  const { userId } = actor
  return transaction(control, async (tx) => {
    await lockUser(tx, userId)
    await needFreshProof(tx, actor)
    if (!(await findFactor(tx, userId))) throw factorMissing()
    await audit(tx, { action: 'recovery-codes.renewed', subject: userId, actor })
    return replaceRecoveryCodes(tx, userId)
  })
}

export async function removeFactor(control: ControlDb, actor: Actor): Promise<void> {
  const { userId, sessionId } = actor
  await transaction(control, async (tx) => {
    await lockUser(tx, userId)
    await needFreshProof(tx, actor)
    if (!(await deleteFactor(tx, userId))) throw factorMissing()
    await forgetFactor(tx, userId, sessionId)
    await audit(tx, { action: 'second-factor.removed', subject: userId, actor })
    await enqueue(tx, sendSecurityNotice, { userId, notice: 'factor-removed' })
  })
}

/**
 * The way out for somebody who has lost everything that could show the factor, by the operator: passkeys go as well,
 * because without one of them nothing new could be added. All sessions end. False if there was nothing to remove.
 */
export async function removeAllFactors(tx: ControlTx, userId: string): Promise<boolean> {
  await lockUser(tx, userId)
  const hadFactor = await deleteFactor(tx, userId)
  const { numDeletedRows } = await tx.deleteFrom('accounts.passkeys').where('userId', '=', userId).executeTakeFirst()
  if (!hadFactor && numDeletedRows === 0n) return false
  await forgetFactor(tx, userId, undefined)
  await audit(tx, { action: 'second-factor.removed', subject: userId, data: { passkeys: Number(numDeletedRows) } })
  await enqueue(tx, sendSecurityNotice, { userId, notice: 'factor-removed' })
  return true
}

/** Whether there was one. Logins that wait for it have to begin again. */
async function deleteFactor(tx: ControlTx, userId: string): Promise<boolean> {
  const gone = await tx
    .deleteFrom('accounts.secondFactors')
    .where('userId', '=', userId)
    .returning('confirmedAt')
    .executeTakeFirst()
  await tx.deleteFrom('accounts.recoveryCodes').where('userId', '=', userId).execute()
  await tx.deleteFrom('accounts.loginChallenges').where('userId', '=', userId).execute()
  return Boolean(gone?.confirmedAt)
}

/** After a factor or passkey was removed: other sessions end, and this one has passed nothing if nothing is left to pass. */
export async function forgetFactor(tx: ControlTx, userId: string, sessionId: string | undefined): Promise<void> {
  await revokeSessionsOf(tx, userId, sessionId)
  if (sessionId === undefined || (await hasAnyFactor(tx, userId))) return
  await tx.updateTable('accounts.sessions').set({ secondFactorAt: null }).where('id', '=', sessionId).execute()
  await notify(tx, 'session', sessionId)
}

const findFactor = (db: ControlDb, userId: string) =>
  db
    .selectFrom('accounts.secondFactors')
    .select('confirmedAt')
    .where('userId', '=', userId)
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst()

/** What its owner may know of it. */
export async function describeFactor(db: ControlDb, { userId, sessionId }: Actor) {
  const factor = await findFactor(db, userId)
  const { left } = await db
    .selectFrom('accounts.recoveryCodes')
    .select((all) => all.fn.countAll<number>().as('left'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  const session = await db
    .selectFrom('accounts.sessions')
    .select('secondFactorAt')
    .where('id', '=', sessionId ?? '')
    .executeTakeFirst()
  return {
    isOn: factor !== undefined,
    since: factor?.confirmedAt ? toSeconds(factor.confirmedAt) : null,
    recoveryCodesLeft: left,
    passedAt: session?.secondFactorAt ? toSeconds(session.secondFactorAt) : null,
  }
}
