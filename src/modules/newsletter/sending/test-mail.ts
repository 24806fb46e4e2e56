import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import { findEntry } from '#modules/content/index.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { Email, Id } from '#vocabulary/schemas.ts'
import { composeLetter } from '../mail/compose-letter.ts'
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
    const template = await composeLetter(db, { business, newsletter, entry, publicUrl: services.publicUrl })
    const mail = openTemplate(template)({
      name: '',
      email,
      goods: { names: 'Fog lamp', url: business.allowedOrigins[0] ?? services.publicUrl },
      unsubscribeUrl: `${services.publicUrl}/newsletters/unsubscribe`,
      clicksChoiceUrl: `${services.publicUrl}/newsletters/clicks`,
    })
    await services.mail.send({ ...mail, to: email, subject: `Test: ${mail.subject}` })
  },
})
