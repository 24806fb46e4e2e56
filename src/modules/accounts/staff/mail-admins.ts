import path from 'node:path'
import { Type } from 'typebox'
import { findBusiness, listAdmins } from '#modules/access/index.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { messageIdOf } from '#platform/mail/mailer.ts'
import { plainName } from '#platform/mail/plain-name.ts'
import { createRenderer } from '#platform/mail/render.ts'
import { Id, OneOf } from '#vocabulary/schemas.ts'
import { readEmails } from '../users/queries.ts'
import { proofValueOf, recordNameOf } from './records.ts'

const render = createRenderer(path.join(import.meta.dirname, '..', 'mails'))

const SUBJECTS = {
  FAILING: {
    en: (domain: string) => `Action required: couldn't verify ${domain}`,
    de: (domain: string) => `Bitte handeln: Kein Nachweis mehr für ${domain}`,
  },
  LAPSED: {
    en: (domain: string) => `Staff sign-in for ${domain} has stopped`,
    de: (domain: string) => `Die Mitarbeiter-Anmeldung für ${domain} ist abgeschaltet`,
  },
  SHARED: {
    en: (domain: string) => `Another business has verified ${domain}`,
    de: (domain: string) => `Ein anderes Geschäft hat ${domain} nachgewiesen`,
  },
} as const
type DomainNotice = keyof typeof SUBJECTS

type DomainMail = {
  notice: DomainNotice
  business: string
  locale: string
  domain: string
  proof: string
  isUnreachable: boolean
  lapsesAt: Date | null
}

/** In German for businesses whose default locale is German. */
export function domainMail({ locale, lapsesAt, ...values }: DomainMail) {
  const lang = locale.split('-')[0] === 'de' ? 'de' : 'en'
  return render(`domain-notice-${lang}`, SUBJECTS[values.notice][lang](values.domain), {
    ...values,
    lang,
    business: plainName(values.business),
    name: recordNameOf(values.domain),
    value: proofValueOf(values.proof),
    day: lapsesAt?.toLocaleDateString(lang, { dateStyle: 'long', timeZone: 'UTC' }) ?? '',
  })
}

/** Tells the admins of a business about the proof of a domain of its sign-in provider. */
export const sendDomainNotice = defineJob({
  name: 'accounts.send-domain-notice',
  on: 'control',
  payload: Type.Object({
    businessId: Id,
    domain: Type.String({ maxLength: 253 }),
    notice: OneOf(Object.keys(SUBJECTS) as [DomainNotice, ...DomainNotice[]]),
    /** In milliseconds. */
    lapsesAt: Type.Optional(Type.Integer()),
  }),
  async run({ businessId, domain, notice, lapsesAt }, { db, services }) {
    if (!services.mail) return
    const [business, row] = await Promise.all([
      findBusiness(db, businessId),
      db
        .selectFrom('accounts.signInDomains')
        .selectAll()
        .where((each) => each.and({ businessId, domain }))
        .executeTakeFirst(),
    ])
    if (!business || !row) return
    if (notice === 'FAILING' && !row.failingSince) return // the record is back
    if (notice === 'LAPSED' && row.provenAt) return
    const mail = await domainMail({
      notice,
      business: business.name,
      locale: business.defaultLocale,
      domain,
      proof: row.proof,
      isUnreachable: row.lastResult === 'UNREACHABLE',
      lapsesAt: lapsesAt === undefined ? null : new Date(lapsesAt),
    })
    const at = row.lastCheckedAt?.getTime() ?? 0
    for (const [userId, to] of await readEmails(db, await listAdmins(db, businessId))) {
      const id = `${notice}.${businessId}.${domain}.${userId}.${at}`
      await services.mail.send({ to, ...mail, messageId: messageIdOf('sign-in-domain', id, services.publicUrl) })
    }
  },
})
