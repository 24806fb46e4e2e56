export { createAttempts } from './attempts.ts'
export { createAuthenticator } from './authenticate.ts'

import { mailJobs } from './jobs.ts'
import { tidyAccounts } from './tidy.ts'

export const accountJobs = [...mailJobs, tidyAccounts]
export { confirmationMail, invitationMail, resetMail, sendInvitation } from './jobs.ts'
export { idsOf } from './merge-guest.ts'
export { createIdentityProvider } from './oauth.ts'
export { approveOrigin, createOrigins } from './origins.ts'
export { accountRoutes } from './routes.ts'
export { revokeSession, startSession } from './sessions.ts'
export { openKeyring, resealSigningKeys, rotateSigningKey } from './signing-keys.ts'
export { createTokens, type Tokens } from './tokens.ts'
export { findConfirmedByEmail, findContact, readNames, userExists } from './users.ts'
