import path from 'node:path'
import { Type } from 'typebox'
import {
  findBusiness,
  findInvitation,
  listMemberIds,
  mintInvitationToken,
  readMarks,
  renewImported,
} from '#modules/access/index.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type AnyJob, defineJob, enqueue, type JobServices } from '#platform/jobs/define.ts'
import { type Mailer, messageIdOf } from '#platform/mail/mailer.ts'
import { plainName } from '#platform/mail/plain-name.ts'
import { createRenderer, type Rendered } from '#platform/mail/render.ts'
import { Id, OneOf } from '#vocabulary/schemas.ts'
import { openKeyring } from './credentials/signing-keys.ts'
import { createTokens } from './credentials/tokens.ts'
import { mintPhoneCode } from './profile/mint-phone-code.ts'
import { type Attempts, invitationLimits } from './sign-in/attempts.ts'
import { mintResetToken } from './sign-in/change-password.ts'
import { emailKey, readEmails } from './users/queries.ts'

const LinkBase = Type.String({ maxLength: 2_000 })
const render = createRenderer(path.join(import.meta.dirname, 'mails'))

function mailerOf({ mail }: JobServices): Mailer {
  if (!mail) throw new Error('SMTP_URL is not set: this mail waits until it is')
  return mail
}

export const confirmationMail = (email: string, url: string): Promise<Rendered> =>
  render('confirm', 'Confirm your email address', { email, url })
export const resetMail = (email: string, url: string): Promise<Rendered> =>
  render('reset-password', 'Choose a new password', { email, url })
export const invitationMail = (values: {
  email: string
  business: string
  role: string
  url: string
}): Promise<Rendered> => {
  // Anybody can create a business with any name and invite any address, so both names are made plain text first.
  const named = { ...values, business: plainName(values.business), role: plainName(values.role) }
  return render('invitation', `You are invited to ${named.business}`, named)
}

export const claimMail = (values: { email: string; business: string; url: string }): Promise<Rendered> => {
  const business = plainName(values.business)
  return render('claim', `${business} has made an order for you`, { ...values, business })
}

export const keyRevokedMail = (values: { email: string; name: string; last4: string }): Promise<Rendered> =>
  render('key-revoked', 'An API key of yours was revoked', { ...values, name: plainName(values.name) })

export const sendConfirmation = defineJob({
  name: 'accounts.send-confirmation',
  on: 'control',
  payload: Type.Object({ userId: Id, linkBase: LinkBase }),
  async run({ userId, linkBase }, { db, services }) {
    const mail = mailerOf(services)
    const user = await db
      .selectFrom('accounts.users')
      .select(['email', 'confirmedAt'])
      .where('id', '=', userId)
      .executeTakeFirst()
    if (!user?.email || user.confirmedAt) return
    const tokens = createTokens(openKeyring(db, services.box), services.publicUrl)
    const { token } = await tokens.issue('confirm', { sub: userId, sid: userId, provider: 'EMAIL', email: user.email })
    const rendered = await confirmationMail(user.email, `${linkBase}/confirm?token=${token}`)
    await fault('send-confirmation.before-send')
    await mail.send({ to: user.email, ...rendered, messageId: messageIdOf('confirm', userId, services.publicUrl) })
    await fault('send-confirmation.after-send')
  },
})

/**
 * Looks the account up in the job, not in the request, so that the response time does not reveal whether an address has
 * an account.
 */
export const sendReset = defineJob({
  name: 'accounts.send-reset',
  on: 'control',
  payload: Type.Object({ email: Type.String({ maxLength: 254 }), linkBase: LinkBase }),
  async run({ email, linkBase }, { db, services }) {
    const mail = mailerOf(services)
    const user = await findByEmail(db, email)
    if (!user?.email) return
    const token = await transaction(db, (tx) => mintResetToken(tx, user.id))
    // Sent to the stored address, never to the typed one.
    await mail.send({ to: user.email, ...(await resetMail(user.email, `${linkBase}/reset-password?token=${token}`)) })
  },
})

export const resendConfirmation = defineJob({
  name: 'accounts.resend-confirmation',
  on: 'control',
  payload: Type.Object({ email: Type.String({ maxLength: 254 }), linkBase: LinkBase }),
  async run({ email, linkBase }, context) {
    const user = await findByEmail(context.db, email)
    if (user && !user.confirmedAt) await sendConfirmation.run({ userId: user.id, linkBase }, context)
  },
})

const findByEmail = (db: ControlDb, email: string) =>
  db
    .selectFrom('accounts.users')
    .select(['id', 'email', 'confirmedAt'])
    .where('emailKey', '=', emailKey(email))
    .executeTakeFirst()

export const sendPhoneCode = defineJob({
  name: 'accounts.send-phone-code',
  on: 'control',
  payload: Type.Object({ userId: Id, number: Type.String({ maxLength: 20 }) }),
  maxAttempts: 3, // a late code is worse than none: the user asks again
  async run({ userId, number }, { db, services }) {
    if (!services.sms) throw new Error('TWILIO_ACCOUNT_SID is not set: no code can be sent')
    const code = await transaction(db, (tx) => mintPhoneCode(tx, services.box, { userId, number }))
    if (code)
      await services.sms.send(number, `Your code is ${code}. It works for 10 minutes. Nobody will ever ask you for it.`)
  },
})

export const sendInvitation = defineJob({
  name: 'accounts.send-invitation',
  on: 'control',
  payload: Type.Object({ businessId: Id, invitationId: Id }),
  async run({ businessId, invitationId }, { db, services }) {
    const mail = mailerOf(services)
    const invitation = await findInvitation(db, businessId, invitationId)
    if (!invitation || invitation.acceptedAt) return
    // The address of an invited account is looked up here, and never shown to the inviter.
    const email = invitation.email ?? (await readEmails(db, [invitation.userId ?? ''])).get(invitation.userId ?? '')
    if (!email) return
    const token = await transaction(db, (tx) => mintInvitationToken(tx, businessId, invitationId))
    if (!token) return
    const url = `${services.pagesUrl}/invitation?token=${token}`
    const { business, role } = invitation
    await mail.send({ to: email, ...(await invitationMail({ email, business, role, url })) })
  },
})

const NOTICES = {
  'factor-added': 'A second factor was added to your account',
  'factor-removed': 'The second factor of your account was removed',
  'recovery-code-used': 'A recovery code of your account was used',
  'passkey-added': 'A passkey was added to your account',
  'passkey-removed': 'A passkey of your account was removed',
} as const
type Notice = keyof typeof NOTICES

export const securityMail = (email: string, notice: Notice): Promise<Rendered> =>
  render('security-notice', NOTICES[notice], { email, title: NOTICES[notice] })

/** What changed about the ways into an account, for the case that it was not its owner. */
export const sendSecurityNotice = defineJob({
  name: 'accounts.send-security-notice',
  on: 'control',
  payload: Type.Object({ userId: Id, notice: OneOf(Object.keys(NOTICES) as [Notice, ...Notice[]]) }),
  async run({ userId, notice }, { db, services }) {
    if (!services.mail) return
    const email = (await readEmails(db, [userId])).get(userId)
    if (email) await services.mail.send({ to: email, ...(await securityMail(email, notice)) })
  },
})

/** `business`: the owner of the provider; the operator if undefined. */
export const identityMail = (email: string, business: string | undefined): Promise<Rendered> => {
  const name = business === undefined ? '' : plainName(business)
  const subject = name ? `You can now sign in through ${name}` : 'A sign-in provider was connected to your account'
  return render('identity-joined', subject, { email, business: name })
}

/** An identity provider can open an account that already had another sign-in method. */
export const sendIdentityNotice = defineJob({
  name: 'accounts.send-identity-notice',
  on: 'control',
  payload: Type.Object({ userId: Id, businessId: Type.Union([Id, Type.Null()]) }),
  async run({ userId, businessId }, { db, services }) {
    if (!services.mail) return
    const email = (await readEmails(db, [userId])).get(userId)
    const business = businessId === null ? undefined : await findBusiness(db, businessId)
    if (email) await services.mail.send({ to: email, ...(await identityMail(email, business?.name)) })
  },
})

/** The way of a guest whom a business made into an account. Sent whether or not an account has that address. */
export const sendClaim = defineJob({
  name: 'accounts.send-claim',
  on: 'control',
  payload: Type.Object({ guestId: Id }),
  async run({ guestId }, { db, services }) {
    if (!services.mail) return
    const guest = await db
      .selectFrom('accounts.users')
      .select(['email', 'guestOf'])
      .where('id', '=', guestId)
      .where('id', 'not in', (merged) =>
        merged.selectFrom('accounts.guestAliases').select('guestId').where('guestId', '=', guestId),
      )
      .executeTakeFirst()
    const business = guest?.guestOf && (await findBusiness(db, guest.guestOf))
    if (!guest?.email || !business) return
    const { email } = guest
    const tokens = createTokens(openKeyring(db, services.box), services.publicUrl)
    const { token } = await tokens.issue('claim', { sub: guestId, sid: guestId, provider: 'EMAIL', email })
    const rendered = await claimMail({
      email,
      business: business.name,
      url: `${services.publicUrl}/claim?token=${token}`,
    })
    await services.mail.send({ to: email, ...rendered, messageId: messageIdOf('claim', guestId, services.publicUrl) })
  },
})

/** The key is gone by then, so this carries what the mail says of it. */
export const sendKeyRevoked = defineJob({
  name: 'accounts.send-key-revoked',
  on: 'control',
  payload: Type.Object({
    userId: Id,
    name: Type.String({ maxLength: 200 }),
    last4: Type.String({ maxLength: 4 }),
  }),
  async run({ userId, name, last4 }, { db, services }) {
    if (!services.mail) return
    const email = (await readEmails(db, [userId])).get(userId)
    if (email) await services.mail.send({ to: email, ...(await keyRevokedMail({ email, name, last4 })) })
  },
})

/**
 * Enqueues the mail in the transaction that creates the invitation, unless its address or business has reached today's
 * limit.
 */
export async function mailInvitation(
  tx: ControlTx,
  attempts: Attempts,
  { businessId, id, email }: { businessId: string; id: string; email: string },
): Promise<void> {
  await attempts.on(tx).count(...invitationLimits(businessId, email))
  await enqueue(tx, sendInvitation, { businessId, invitationId: id })
}

/** Enqueues the mails of invitations from an import, in the transaction that opens the business. */
export async function mailImportedInvitations(tx: ControlTx, businessId: string): Promise<void> {
  for (const invitationId of await renewImported(tx, businessId))
    await enqueue(tx, sendInvitation, { businessId, invitationId })
}

export const deletionMail = (business: string, day: string | undefined): Promise<Rendered> => {
  const name = plainName(business)
  const isUndone = day === undefined
  const subject = `${name} will ${isUndone ? 'not ' : ''}be deleted`
  return render('business-deletion', subject, { business: name, day: day ?? '', isUndone })
}

/** Tells all members what is going to become of a business, as it is decided when the mail is sent. */
export const sendDeletionNotice = defineJob({
  name: 'accounts.send-deletion-notice',
  on: 'control',
  payload: Type.Object({ businessId: Id }),
  async run({ businessId }, { db, services }) {
    const marks = await readMarks(db, businessId)
    if (!services.mail || !marks || marks.importOf) return
    const day = marks.deleteAt?.toISOString().slice(0, 10)
    const mail = await deletionMail(marks.name, day)
    const emails = await readEmails(db, await listMemberIds(db, businessId))
    for (const [userId, to] of emails) {
      const messageId = messageIdOf('deletion', `${businessId}.${userId}.${day ?? 'undone'}`, services.publicUrl)
      await services.mail.send({ to, ...mail, messageId })
    }
  },
})

export const mailJobs: readonly AnyJob[] = [
  sendConfirmation,
  resendConfirmation,
  sendReset,
  sendPhoneCode,
  sendInvitation,
  sendClaim,
  sendKeyRevoked,
  sendSecurityNotice,
  sendIdentityNotice,
  sendDeletionNotice,
]
