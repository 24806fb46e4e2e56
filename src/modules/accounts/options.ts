import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Keyring } from './credentials/signing-keys.ts'
import type { Tokens } from './credentials/tokens.ts'
import type { Attempts } from './sign-in/attempts.ts'
import type { IdentityProvider } from './sign-in/oauth.ts'
import type { Origins } from './sign-in/origins.ts'
import type { Outgoing, StaffProviders } from './staff/providers.ts'

/** Options that the app passes to this module's routes. */
export type AccountOptions = {
  control: ControlDb
  keyring: Keyring
  tokens: Tokens
  box: SecretBox
  attempts: Attempts
  /** Per client address and business. */
  guestLoginsPerHour: number
  origins: Origins
  provider: IdentityProvider
  /** The providers of businesses, for their staff. */
  staff: StaffProviders
  outgoing: Outgoing
  publicUrl: string
  providers: { mail: boolean; sms: boolean }
  /** Whether the dashboard's session is served. */
  hasDashboard: boolean
}
