import type { CDPSession, Page } from 'playwright-core'

export type Credential = { credentialId: string; isResidentCredential: boolean; signCount: number }

/**
 * A device that keeps passkeys, of this page until it is closed. It asks for nobody: whoever uses it says first that somebody is
 * there, because a browser without windows takes what the page only offers for a choice.
 */
export async function addAuthenticator(page: Page, credentials: readonly Credential[] = []) {
  const browser: CDPSession = await page.context().newCDPSession(page)
  await browser.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  })
  for (const credential of credentials)
    await browser.send('WebAuthn.addCredential', { authenticatorId, credential: credential as never })
  return {
    /** What it keeps, to be given to that of another page. */
    credentials: async (): Promise<Credential[]> =>
      (await browser.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Does what makes the browser ask for it, with a finger on it. `isOwner`: whether it is the right one. */
    async touch(act: () => Promise<unknown>, done: () => Promise<unknown>, { isOwner = true } = {}) {
      await browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isOwner })
      await browser.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true })
      await act()
      await done()
      await browser.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
    },
  }
}
