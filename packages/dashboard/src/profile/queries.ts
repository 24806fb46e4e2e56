import { query } from '../api/query.ts'

/** Of one's own account: outside of any business. */
export const passkeysQuery = () => query('-', 'listPasskeys')
export const secondFactorQuery = () => query('-', 'getSecondFactor')
export const keysQuery = () => query('-', 'listKeys')
