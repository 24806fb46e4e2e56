import { Type } from 'typebox'
import { findFlaw } from '#platform/portable/flaw.ts'
import { type BusinessTable, controlTable } from '#platform/portable/tables.ts'
import { Email, Id, Nullable } from '#vocabulary/schemas.ts'

const Guest = Type.Object({
  id: Id,
  is_guest: Type.Literal(true),
  name: Type.String({ maxLength: 200 }),
  email: Nullable(Email),
})

export const accountTables: readonly BusinessTable[] = [
  // Guests whom the business has made, for orders by hand. They never log in.
  controlTable('kept', 'accounts.users', ['id'], {
    of: 'guest_of',
    without: ['password_hash', 'email_key'],
    check: (row) => findFlaw(Guest, row),
  }),
  // Sealed with the key of this deployment, or hashed with it; a proven domain is proven here only.
  controlTable('left out', 'accounts.sign_in_providers', [], {
    toSetAgain: 'the sign-in provider of its staff',
  }),
  controlTable('left out', 'accounts.sign_in_domains', ['domain']),
  controlTable('left out', 'accounts.api_keys', ['user_id', 'id'], { toSetAgain: 'API keys that were bound to it' }),
  // Of people, not of the business: how they like their screens, and where they are logged in.
  controlTable('left out', 'accounts.business_configs', ['user_id']),
  controlTable('left out', 'accounts.sessions', ['id'], { of: 'staff_of' }),
  controlTable('left out', 'accounts.oauth_flows', ['state_hash'], { of: 'staff_of' }),
  controlTable('left out', 'accounts.login_challenges', ['challenge_hash'], { of: 'staff_of' }),
]
