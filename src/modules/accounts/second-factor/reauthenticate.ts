import type { Static } from 'typebox'
import { audit } from '#modules/access/index.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type Proof, renewProof } from '../credentials/sessions.ts'
import { factorProofRequired, oneProofRequired, reauthenticationRequired, wrongProofPassword } from '../errors.ts'
import { loginLimits } from '../sign-in/attempts.ts'
import { passwordMatches } from '../sign-in/passwords.ts'
import { type FactorContext, judgeFactor } from './judge-factor.ts'
import { hasAnyFactor } from './queries.ts'
import type { ReauthenticateBody } from './schemas.ts'

/** The person of this session proves themselves once more. Whoever has a factor or a passkey shows that. */
export async function reauthenticate(
  context: FactorContext,
  actor: Actor,
  { password, code, passkey }: Static<typeof ReauthenticateBody>,
): Promise<void> {
  const { sessionId, userId } = actor
  if (!sessionId) throw reauthenticationRequired()
  const given = [password, code, passkey].filter((value) => value !== undefined)
  if (given.length !== 1) throw oneProofRequired({ field: 'password', ways: 'password, code or passkey' })
  const shown = { ...(code === undefined ? {} : { code }), ...(passkey === undefined ? {} : { passkey }) }
  const take =
    password === undefined ? await judgeFactor(context, userId, shown) : await judgePassword(context, userId, password)
  await transaction(context.control, async (tx) => {
    const proof = await take(tx)
    await renewProof(tx, sessionId, proof)
    await audit(tx, { action: 'session.proven', subject: userId, actor, data: { with: proof } })
  })
}

async function judgePassword({ control, attempts, address }: FactorContext, userId: string, password: string) {
  const limits = loginLimits(userId, address)
  await attempts.count(...limits)
  const user = await control
    .selectFrom('accounts.users')
    .select('passwordHash')
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!user || !(await passwordMatches(user.passwordHash, password))) throw wrongProofPassword()
  await attempts.forgive(...limits)
  return async (tx: ControlTx): Promise<Proof> => {
    if (await hasAnyFactor(tx, userId)) throw factorProofRequired()
    return 'PASSWORD'
  }
}
