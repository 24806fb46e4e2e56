export { businessLimit, createAttempts } from './attempts.ts'
export { createAuthenticator } from './authenticate.ts'

import { mailJobs } from './jobs.ts'
import { tidyAccounts } from './tidy.ts'

export const accountJobs = [...mailJobs, tidyAccounts]
export { addPeople, type NewPerson } from './add-people.ts'
export { addApiKey, countApiKeys } from './api-keys.ts'
export { createUser, findByEmail } from './create-user.ts'
export { confirmationMail, invitationMail, mailInvitation, resetMail } from './jobs.ts'
export { idsOf } from './merge-guest.ts'
export { createIdentityProvider } from './oauth.ts'
export { approveOrigin, createOrigins } from './origins.ts'
export { register } from './register.ts'
export { accountRoutes } from './routes.ts'
export { endAllSessions, revokeSession, startSession } from './sessions.ts'
export {
  countSigningKeys,
  listSigningKeys,
  openKeyring,
  resealSigningKeys,
  revokeSigningKey,
  rotateSigningKey,
} from './signing-keys.ts'
export { resumeUser, suspendUser } from './suspend-user.ts'
export { createTokens, type Tokens } from './tokens.ts'
export { findConfirmedByEmail, findContact, readEmails, readNames, userExists } from './users.ts'
