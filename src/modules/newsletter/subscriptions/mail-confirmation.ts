import path from 'node:path'
import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import { findCollection } from '#modules/content/index.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { messageIdOf } from '#platform/mail/mailer.ts'
import { createRenderer, type Rendered } from '#platform/mail/render.ts'
import { Id } from '#vocabulary/schemas.ts'
import { isUnwanted } from '../bounces/suppress.ts'
import { findSubscription } from './queries.ts'
import { confirmUrl } from './token.ts'

const render = createRenderer(path.join(import.meta.dirname, 'mails'))

/** Double opt-in: asks the owner of an address to confirm. */
export const mailConfirmation = defineJob({
  name: 'newsletter.mail-confirmation',
  on: 'cell',
  payload: Type.Object({ businessId: Id, subscriptionId: Id }),
  async run({ businessId, subscriptionId }, { db, control, services }) {
    const row = await findSubscription(db, businessId, subscriptionId)
    if (row?.status !== 'PENDING' || !services.mail) return
    if (await isUnwanted(db, businessId, row.emailKey)) return
    const [business, collection] = await Promise.all([
      findBusiness(control, businessId),
      findCollection(db, businessId, row.collectionId),
    ])
    if (!business || !collection) return
    const mail = await confirmationMail(
      business.name,
      collection.name,
      confirmUrl(services.publicUrl, services.box, row),
    )
    const messageId = messageIdOf('subscription', `${row.id}.${row.confirmSentAt?.getTime() ?? 0}`, services.publicUrl)
    await services.mail.send({ to: row.email, ...mail, messageId })
  },
})

export const confirmationMail = (business: string, newsletter: string, url: string): Promise<Rendered> =>
  render('confirm-subscription', `Confirm your subscription to ${newsletter}`, { business, newsletter, url })
