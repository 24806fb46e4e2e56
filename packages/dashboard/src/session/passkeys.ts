import type { Answer } from '@kontor/sdk'

/** Only for whoever uses one. */
const load = () => import('@simplewebauthn/browser')
let isUsed = false

/** Whether this page can use passkeys: the browser knows them, and the page has a name. They do not work for figures. */
export const canUsePasskeys = () =>
  typeof globalThis.PublicKeyCredential === 'function' && !/^[\d.]+$|^\[/.test(location.hostname)

/** Whether the browser offers passkeys in the list below the field for the email address. */
export const canOfferPasskeys = async () =>
  canUsePasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false)

/** Asks the browser, which asks the person. `isOffer`: it waits until they choose one in the list below a field. */
export async function askForPasskey(options: Answer<'getPasskeyLoginOptions'>, { isOffer = false } = {}) {
  isUsed = true
  const { startAuthentication } = await load()
  const { clientExtensionResults, ...passkey } = await startAuthentication({
    optionsJSON: options,
    useBrowserAutofill: isOffer,
    verifyBrowserAutofillInput: false, // the field may come later than this
  })
  return { ...passkey, clientExtensionResults: { ...clientExtensionResults } }
}

export async function makePasskey(options: Answer<'getPasskeyOptions'>) {
  const { startRegistration } = await load()
  const { clientExtensionResults, ...passkey } = await startRegistration({
    optionsJSON: options,
  })
  return { ...passkey, clientExtensionResults: { ...clientExtensionResults } }
}

/** Ends what the browser asks or offers. */
export async function endPasskeys(): Promise<void> {
  if (!isUsed) return
  const { WebAuthnAbortService } = await load()
  WebAuthnAbortService.cancelCeremony()
}

const isNamed = (error: unknown, ...names: string[]) => error instanceof Error && names.includes(error.name)

/** The person closed it, waited too long, or began something else. */
export const isGivenUp = (error: unknown) => isNamed(error, 'NotAllowedError', 'AbortError')
/** This device has a passkey of the account already. */
export const isMadeAlready = (error: unknown) => isNamed(error, 'InvalidStateError')
