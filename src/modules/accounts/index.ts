import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'

export { createAuthenticator } from './credentials/authenticate.ts'
export { businessLimit, calloutTestLimit, createAttempts, pingLimit } from './sign-in/attempts.ts'

import { tidyAccounts } from './delete-expired.ts'
import { mailJobs } from './jobs.ts'
import { checkDomains } from './staff/check-domains.ts'
import { sendDomainNotice } from './staff/mail-admins.ts'
import { makeGuest } from './users/add-guest.ts'

export const accountJobs = [...mailJobs, sendDomainNotice, checkDomains, tidyAccounts, makeGuest]
export { countApiKeys, listApiKeys } from './credentials/api-keys.ts'
export { createApiKey } from './credentials/create-api-key.ts'
export { needFreshProof } from './credentials/need-proof.ts'
export { removeApiKey } from './credentials/remove-api-key.ts'
export {
  endAllSessions,
  findSessionActor,
  type NewSession,
  revokeSession,
  startSession,
} from './credentials/sessions.ts'
export {
  countSigningKeys,
  listSigningKeys,
  openKeyring,
  resealSigningKeys,
  revokeSigningKey,
  rotateSigningKey,
} from './credentials/signing-keys.ts'
export { createTokens, type Tokens } from './credentials/tokens.ts'
export {
  claimMail,
  confirmationMail,
  deletionMail,
  invitationMail,
  keyRevokedMail,
  mailImportedInvitations,
  mailInvitation,
  resetMail,
  securityMail,
  sendDeletionNotice,
} from './jobs.ts'
export { exportJobs, type ReadOwn } from './profile/make-export.ts'
export { memberRoutes } from './profile/member-routes.ts'
export { resealFactors } from './second-factor/reseal-factors.ts'
export { removeAllFactors } from './second-factor/second-factor.ts'
export { findAliases, idsOf } from './sign-in/merge-guest.ts'
export { createIdentityProvider } from './sign-in/oauth.ts'
export { approveOrigin, createOrigins } from './sign-in/origins.ts'
export { register } from './sign-in/register.ts'
export { accountRoutes } from './sign-in/routes.ts'
export { proveDomain } from './staff/domains.ts'
export { createStaffProviders, type Outgoing } from './staff/providers.ts'
export { resealProviders } from './staff/reseal-providers.ts'
export { accountTables } from './tables.ts'
export { type CellNews, cellJobs } from './tell-cells.ts'
export { addGuest, makeGuest, type NewGuest } from './users/add-guest.ts'
export { addPeople, type NewPerson } from './users/add-people.ts'
export { type CarriedPerson, findPeople, placeGuests, readPeople } from './users/carry-people.ts'
export { createUser, findByEmail } from './users/create-user.ts'
export { forgetGuests } from './users/forget-guests.ts'
export { addOperator, findByEmailPrefix, listOperators, removeOperator } from './users/operators.ts'
export {
  findConfirmedByEmail,
  findConfirmedEmail,
  findContact,
  findGuests,
  readEmails,
  readNames,
  userExists,
} from './users/queries.ts'
export { resumeUser, suspendUser } from './users/suspend-user.ts'

export const accountRefusals: readonly AnyRefusal[] = Object.values(errors)
