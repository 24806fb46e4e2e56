import { type Config, pagesUrlOf } from './config.ts'
import { createSecretBox } from './crypto/secret-box.ts'
import type { JobServices } from './jobs/define.ts'
import { createMailer } from './mail/mailer.ts'
import { askTextRecords } from './outgoing/resolve-name.ts'
import type { Payments } from './payments/provider.ts'
import { createStripe } from './payments/stripe.ts'
import { createSmsSender } from './sms/twilio.ts'
import { createStorage } from './storage/storage.ts'

/** The configured payment providers, the default one first. */
export const openPayments = ({ payments: { stripe, sharedAccount } }: Config): Payments => ({
  providers: [stripe && createStripe(stripe)].filter((provider) => provider !== undefined),
  sharedAccount,
})

/** The outside services that jobs use, as configured. */
export const openServices = (config: Config): JobServices => ({
  mail: config.mail && createMailer(config.mail.smtpUrl, config.mail.from),
  sms: config.sms && createSmsSender(config.sms),
  payments: openPayments(config),
  storage: createStorage(config),
  box: createSecretBox(config.secretKeys),
  findTextRecords: (name) => askTextRecords(name, config.outgoing.nameServers),
  publicUrl: config.publicUrl,
  operatorEmail: config.operatorEmail,
  pagesUrl: pagesUrlOf(config),
})
