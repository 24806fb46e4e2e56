import { defineMetric } from '#platform/observability/define-metric.ts'

export const mailEvents = defineMetric({
  name: 'kontor_mail_events_total',
  kind: 'counter',
  unit: 'events',
  area: 'Mail',
  of: 'api',
  help: 'Bounces and complaints about newsletters; foreign: of none of our mails; forged: the signature is wrong.',
  labels: { outcome: ['HARD_BOUNCE', 'SOFT_BOUNCE', 'COMPLAINT', 'foreign', 'forged'] },
})

export const newsletterMails = defineMetric({
  name: 'kontor_newsletter_mails_total',
  kind: 'counter',
  unit: 'mails',
  area: 'Mail',
  of: 'worker',
  help: 'Mails of newsletters: sent, failed for good, uncertain (no answer), suppressed (not to be sent), later (tried again).',
  labels: { outcome: ['sent', 'failed', 'uncertain', 'suppressed', 'later'] },
  needs: 'SMTP_URL',
})

export const newsletterSendsDue = defineMetric({
  name: 'kontor_newsletter_sends_due',
  kind: 'gauge',
  unit: 'count',
  area: 'Mail',
  of: 'worker',
  help: 'Sends with mails that could go out now, as this worker last saw them; 50 at most.',
  labels: { cell: 'the name of the cell' },
  needs: 'SMTP_URL',
})
