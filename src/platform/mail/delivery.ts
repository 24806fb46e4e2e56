/** What became of a message, as far as anybody can know. */
export type Delivery =
  | { outcome: 'SENT'; response: string }
  /** The server will never take this message for this recipient. */
  | { outcome: 'REFUSED'; response: string }
  /** Nothing was handed over, or it was turned down for now: safe to try again. */
  | { outcome: 'DEFERRED'; response: string }
  /** The content was on its way and no answer came. The server may have taken it: trying again may send it twice. */
  | { outcome: 'UNCERTAIN'; response: string }

/** What nodemailer adds to the errors of a connection. */
export type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number }

const RESPONSE_LENGTH = 500

export function deliveryOf(error: SmtpError, contentBegun: boolean): Delivery {
  const response = words(error)
  const answer = answerTo(error)
  if (answer === undefined) return { outcome: contentBegun ? 'UNCERTAIN' : 'DEFERRED', response }
  return { outcome: answer >= 500 && !isAboutSender(error) ? 'REFUSED' : 'DEFERRED', response }
}

/** The code with which the server turned this message down; undefined if that is not what happened. */
export function answerTo({ code, responseCode = 0 }: SmtpError): number | undefined {
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  return aboutMessage && responseCode >= 400 && responseCode < 600 ? responseCode : undefined
}

// Not understood, out of order, no mail here, log in first, bad or too weak credentials.
const SESSION_CODES = new Set([500, 502, 503, 521, 530, 534, 535, 538])

// RFC 3463: sender's address; system closed or misconfigured; policy. Of the policies, .2 (a list's), .17 and .18 (the
// mailbox has another owner now) are about the recipient.
const SENDER_STATUS = /^\d{3}[ -]5\.(1\.[78]|3\.[25]|7\.(?!(2|17|18)\b)\d+)\b/

// Many servers check client, greeting and sender only when they hear of the recipient, and then have no status for it.
const SENDER_WORDS =
  /(sender address|client host|helo command) rejected|sender verify failed|relay(ing)?( access)? (denied|not|prohibited)|unable to relay|authentication (is )?required/i

/** Is a refusal about whoever sends? Then it is for the operator to mend, and says nothing about the recipient. */
function isAboutSender({ command, response = '', responseCode = 0 }: SmtpError): boolean {
  if (command === 'MAIL FROM' || SESSION_CODES.has(responseCode)) return true
  return SENDER_STATUS.test(response) || SENDER_WORDS.test(response)
}

function words({ code, response, message }: SmtpError): string {
  return brief(code === 'EAUTH' ? `Authentication failed: ${response ?? message}` : (response ?? message))
}

/** Fit for a log and a database, whatever the server said. */
export const brief = (text: string) => oneLine(text).slice(0, RESPONSE_LENGTH)

export const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
