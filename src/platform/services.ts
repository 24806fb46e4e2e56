import type { Config } from './config.ts'
import { createSecretBox } from './crypto/secret-box.ts'
import type { JobServices } from './jobs/define.ts'
import { createMailer } from './mail/mailer.ts'
import { createSmsSender } from './sms/twilio.ts'

/** What jobs use of the outside world, as the configuration has it. */
export const openServices = (config: Config): JobServices => ({
  mail: config.mail && createMailer(config.mail.smtpUrl, config.mail.from),
  sms: config.sms && createSmsSender(config.sms),
  box: createSecretBox(config.secretKeys),
  publicUrl: config.publicUrl,
})
