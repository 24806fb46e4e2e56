import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Rules } from '#platform/outgoing/check-address.ts'
import type { AskServices } from './ask-services.ts'

/** What may be asked, and whether plain http is allowed, which it is in development only. */
export type Outgoing = { rules: Rules; allowsHttp: boolean }

export type CalloutOptions = {
  control: ControlDb
  box: SecretBox
  outgoing: Outgoing
  services: AskServices
  /** Counts a test call of a business. Throws 429. */
  countTest: (businessId: string) => Promise<void>
}
