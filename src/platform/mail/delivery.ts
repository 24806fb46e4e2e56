import type { SmtpError } from './nodemailer-internals.ts'

/** The outcome of a message, as far as it can be known. */
export type Delivery =
  | { outcome: 'SENT'; response: string }
  /** Permanent: the server will never accept this message for this recipient. */
  | { outcome: 'REFUSED'; response: string }
  /** Temporary: nothing was handed over, or it was refused for now. Safe to retry. */
  | { outcome: 'DEFERRED'; response: string }
  /** The content was on its way and no reply came. The server may have accepted it: a retry may send it twice. */
  | { outcome: 'UNCERTAIN'; response: string }

const RESPONSE_LENGTH = 500

export function deliveryOf(error: SmtpError, contentBegun: boolean): Delivery {
  const response = words(error)
  const answer = answerTo(error)
  if (answer === undefined) return { outcome: contentBegun ? 'UNCERTAIN' : 'DEFERRED', response }
  return { outcome: answer >= 500 && !isAboutSender(error) ? 'REFUSED' : 'DEFERRED', response }
}

/** The SMTP status with which the server refused this message; undefined if something else went wrong. */
export function answerTo({ code, responseCode = 0 }: SmtpError): number | undefined {
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  return aboutMessage && responseCode >= 400 && responseCode < 600 ? responseCode : undefined
}

// Syntax error, bad sequence, no mail here, authentication required, bad or too weak credentials.
const SESSION_CODES = new Set([500, 502, 503, 521, 530, 534, 535, 538])

// RFC 3463: sender's address; system closed or misconfigured; policy. Of the policies, .2 (a list's), .17 and .18 (the
// mailbox has another owner now) are about the recipient.
const SENDER_STATUS = /^\d{3}[ -]5\.(1\.[78]|3\.[25]|7\.(?!(2|17|18)\b)\d+)\b/

// Many servers check client, greeting and sender only at RCPT, and then without a status code for it.
const SENDER_WORDS =
  /(sender address|client host|helo command) rejected|sender verify failed|relay(ing)?( access)? (denied|not|prohibited)|unable to relay|authentication (is )?required/i

/** Whether a refusal is about the sender: the operator has to fix it, and it says nothing about the recipient. */
function isAboutSender({ command, response = '', responseCode = 0 }: SmtpError): boolean {
  if (command === 'MAIL FROM' || SESSION_CODES.has(responseCode)) return true
  return SENDER_STATUS.test(response) || SENDER_WORDS.test(response)
}

function words({ code, response, message }: SmtpError): string {
  return brief(code === 'EAUTH' ? `Authentication failed: ${response ?? message}` : (response ?? message))
}

/** One short line for a log or a column, whatever the server said. */
export const brief = (text: string) => oneLine(text).slice(0, RESPONSE_LENGTH)

export const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** One line, taken literally: text that looks like an encoded word (RFC 2047) would be decoded. */
export const literal = (text: string) => oneLine(text).replace(/=\?(?=[^\s?]+\?[bq]\?)/gi, '= ?')
