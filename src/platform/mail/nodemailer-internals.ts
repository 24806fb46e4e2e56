import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection, { type SMTPConnectionAuth, type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'

/**
 * All uses of nodemailer beyond its documented interface: how it reads an SMTP URL, its connection with the server's
 * last reply, and the codes of its errors. A test fails with any other version: read its changes to these parts, then
 * change the number.
 */
export const NODEMAILER_VERSION = '10.4.0'

export type SmtpOptions = SMTPConnectionOptions & { auth?: SMTPConnectionAuth | undefined }

/** `code` is EENVELOPE or EMESSAGE if the server refused a message; `command` is the command that it replied to. */
export type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number }

export const readSmtpUrl = (url: string) => parseConnectionUrl(url) as SmtpOptions

export const createConnection = (options: SmtpOptions) => new SMTPConnection(options)
export type Connection = ReturnType<typeof createConnection>

/** Whether the server has asked for the content of a message: it has answered DATA with 354. */
export const wantsContent = ({ lastServerResponse }: Connection) => lastAnswer({ lastServerResponse }).startsWith('354')

export const lastAnswer = ({ lastServerResponse }: Pick<Connection, 'lastServerResponse'>) => lastServerResponse || ''
