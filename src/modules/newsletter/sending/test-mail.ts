import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import { findEntry } from '#modules/content/index.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { Email, Id } from '#vocabulary/schemas.ts'
import { compose } from '../mail/compose.ts'
import { openTemplate } from '../mail/render.ts'
import { findNewsletter } from './newsletter.ts'

/** Mails the newsletter, as it would go out, to its author. */
export const mailTest = defineJob({
  name: 'newsletter.mail-test',
  on: 'cell',
  payload: Type.Object({ businessId: Id, entryId: Id, email: Email }),
  maxAttempts: 3,
  async run({ businessId, entryId, email }, { db, control, services }) {
    const [business, entry] = await Promise.all([findBusiness(control, businessId), findEntry(db, businessId, entryId)])
    const newsletter = entry && (await findNewsletter(db, entry))
    if (!business || !entry || !newsletter || !services.mail) return
    const siteUrl = business.allowedOrigins[0] ?? services.publicUrl
    const template = await compose({ business: { ...business, siteUrl }, newsletter, entry })
    const mail = openTemplate(template)({
      name: '',
      email,
      unsubscribeUrl: `${services.publicUrl}/newsletters/unsubscribe`,
    })
    await services.mail.send({ ...mail, to: email, subject: `Test: ${mail.subject}` })
  },
})
