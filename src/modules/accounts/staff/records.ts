const PROOF_PREFIX = 'kontor-domain='

/** The TXT record that proves a domain. */
export const recordNameOf = (domain: string) => `_kontor.${domain}`
export const proofValueOf = (proof: string) => PROOF_PREFIX + proof
