import type { Config } from './config.ts'
import { createSecretBox } from './crypto/secret-box.ts'
import type { JobServices } from './jobs/define.ts'
import { createMailer } from './mail/mailer.ts'
import type { Payments } from './payments/provider.ts'
import { createStripe } from './payments/stripe.ts'
import { createSmsSender } from './sms/twilio.ts'

/** Who takes the money, and for whom. */
export const openPayments = ({ payments }: Config): Payments => ({
  provider: payments && createStripe(payments),
  sharedAccount: payments?.sharedAccount ?? false,
})

/** What jobs use of the outside world, as the configuration has it. */
export const openServices = (config: Config): JobServices => ({
  mail: config.mail && createMailer(config.mail.smtpUrl, config.mail.from),
  sms: config.sms && createSmsSender(config.sms),
  payments: openPayments(config),
  box: createSecretBox(config.secretKeys),
  publicUrl: config.publicUrl,
})
