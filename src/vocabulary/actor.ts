import type { Permission } from './permissions.ts'

/** The caller. `guest` and `user` come with a session, `api` with an API key that acts as its user. */
export type Actor = {
  kind: 'guest' | 'user' | 'api'
  userId: string
  email: string | undefined
  /** The session behind an access token. */
  sessionId: string | undefined
  /** The API key; its id is unique among those of its user. */
  keyId?: string
  /**
   * The only business in which the caller may act: an API key may be bound to one, and a session by the sign-in provider of
   * a business is, until its person confirms it with a sign-in method of their own.
   */
  onlyBusinessId: string | undefined
  /** The session has passed a second factor, or the key was made in one that had. */
  passedSecondFactor?: boolean
  /** The business whose sign-in provider says that a second factor was passed. It counts in that business only. */
  secondFactorOf?: string
  /** An operator of the service, in a session of their own account: never a key, never one that a business let in. */
  isOperator?: boolean
  /** An API key may have only some of its user's permissions. */
  onlyPermissions?: readonly Permission[]
  /** The guest ids that this user had before: their records are the user's. */
  formerIds?: readonly string[]
}

/** Whether the caller has passed a second factor that counts in this business; null: in all of them. */
export const hasSecondFactor = (actor: Actor | undefined, businessId: string | null): boolean =>
  actor?.passedSecondFactor === true || (businessId !== null && actor?.secondFactorOf === businessId)

/** As it is stored: an address would outlive the account. */
export const withoutEmail = (actor: Actor): Actor => ({ ...actor, email: undefined })
