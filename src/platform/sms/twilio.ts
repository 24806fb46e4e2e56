export type SmsSender = { send(to: string, text: string): Promise<void> }

const TIMEOUT_MS = 8_000

/** Twilio's Messages resource, by one form POST: its SDK would bring fifty packages. */
export function createSmsSender(options: {
  accountSid: string
  authToken: string
  from: string
  apiUrl: string
}): SmsSender {
  const { accountSid, authToken, from, apiUrl } = options
  const address = `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  return {
    async send(to, text) {
      const response = await fetch(address, {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams({ To: to, From: from, Body: text }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'error',
      })
      const body = await response.text()
      if (!response.ok) throw new Error(`The SMS provider answered ${response.status}: ${providerCode(body)}`)
    },
  }
}

/** Twilio's error code and nothing else: the message may quote the number or the text. */
function providerCode(body: string): string {
  try {
    return `code ${String((JSON.parse(body) as { code?: unknown }).code)}`
  } catch {
    return 'no readable body'
  }
}
