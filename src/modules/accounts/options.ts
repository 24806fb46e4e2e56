import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Attempts } from './attempts.ts'
import type { IdentityProvider } from './oauth.ts'
import type { Origins } from './origins.ts'
import type { Keyring } from './signing-keys.ts'
import type { Tokens } from './tokens.ts'

/** What the routes of this module are given by the app. */
export type AccountOptions = {
  control: ControlDb
  keyring: Keyring
  tokens: Tokens
  box: SecretBox
  attempts: Attempts
  /** From one address. */
  guestLoginsPerHour: number
  origins: Origins
  provider: IdentityProvider
  publicUrl: string
  providers: { mail: boolean; sms: boolean }
}
