import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createTransport } from 'nodemailer'
import { createIdentityProvider } from '#modules/accounts/index.ts'
import type { Config } from '#platform/config.ts'
import { openPayments } from '#platform/services.ts'
import { type Check, failed, look, off, ok, reasonOf, type Verdict, warning } from './look.ts'

/** Sends each provider a request that is free and changes nothing. */
export function checkProviders(config: Config, redisUrl: string | undefined): Promise<Check[]> {
  return Promise.all([
    look('mail', 'Are SMTP_URL and its password right, and may this machine reach that port?', () => checkMail(config)),
    look('payments', 'May this machine reach the payment provider (STRIPE_API_URL)?', () => checkPayments(config)),
    look('identity', 'Does OIDC_ISSUER answer at /.well-known/openid-configuration?', () => checkIdentity(config)),
    look('sms', 'May this machine reach TWILIO_API_URL?', (signal) => checkSms(config, signal)),
    look('ai', 'May this machine reach AI_API_URL?', (signal) => checkModel(config, signal)),
    look('redis', 'Is REDIS_URL right (redis://user:password@host:6379), and is it up?', (signal) =>
      checkRedis(redisUrl, signal),
    ),
  ])
}

async function checkMail({ mail }: Config): Promise<Verdict> {
  if (!mail) return off('SMTP_URL is not set: nothing is mailed')
  const limits = { connectionTimeout: 4_000, greetingTimeout: 4_000, socketTimeout: 4_000, dnsTimeout: 4_000 }
  const transport = createTransport({ url: mail.smtpUrl, ...limits } as Parameters<typeof createTransport>[0])
  try {
    await transport.verify()
    return ok(`${new URL(mail.smtpUrl).host} takes mail, from ${mail.from}`)
  } finally {
    transport.close()
  }
}

async function checkPayments(config: Config): Promise<Verdict> {
  const { providers } = openPayments(config)
  if (providers.length === 0) return off('STRIPE_SECRET_KEY is not set: only what is free can be bought')
  const hints = await Promise.all(providers.map((provider) => provider.checkKey()))
  const hint = hints.find((each) => each !== undefined)
  return hint === undefined ? ok('the provider accepts the key') : failed('the provider refuses the key', hint)
}

async function checkIdentity({ identity }: Config): Promise<Verdict> {
  if (!identity) return off('OIDC_ISSUER is not set: nobody logs in through a provider')
  await createIdentityProvider(identity).configuration()
  return ok(identity.issuer)
}

async function checkSms({ sms }: Config, signal: AbortSignal): Promise<Verdict> {
  if (!sms) return off('TWILIO_ACCOUNT_SID is not set: no codes are sent')
  const { accountSid, authToken, apiUrl } = sms
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  const address = `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}.json`
  return judge(await ask(address, authorization, signal), 'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN')
}

async function checkModel({ ai }: Config, signal: AbortSignal): Promise<Verdict> {
  if (!ai) return off('AI_API_URL is not set: no content is generated')
  return judge(await ask(`${ai.apiUrl}/models`, `Bearer ${ai.apiKey}`, signal), 'AI_API_KEY')
}

async function ask(address: string, authorization: string, signal: AbortSignal): Promise<number> {
  const response = await fetch(address, { headers: { authorization }, signal, redirect: 'error' })
  await response.body?.cancel()
  return response.status
}

function judge(status: number, names: string): Verdict {
  if (status === 401 || status === 403) return failed(`the provider refuses the login (${status})`, `Check ${names}.`)
  if (status >= 500) return failed(`the provider returns ${status}`, 'Wait, or see its status page.')
  // Not every compatible server has this endpoint; it replied, and did not refuse the key.
  if (status >= 400)
    return warning(`the provider returns ${status}`, `It is reachable, but whether it accepts ${names} is unknown.`)
  return ok('the provider accepts the key')
}

async function checkRedis(address: string | undefined, signal: AbortSignal): Promise<Verdict> {
  if (!address) return off('REDIS_URL is not set: nothing needs it')
  const url = URL.parse(address)
  if (!url || !/^rediss?:$/.test(url.protocol))
    return failed('REDIS_URL is not an address', 'Such as redis://host:6379')
  const place = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || 6379 }
  const socket = url.protocol === 'rediss:' ? connectTls({ ...place, servername: url.hostname }) : connectPlain(place)
  socket.on('error', () => {}) // the waiting promise reports it
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
  try {
    await once(socket, url.protocol === 'rediss:' ? 'secureConnect' : 'connect', { signal })
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    if (password) socket.write(command('AUTH', ...(user ? [user] : []), password))
    socket.write(command('PING'))
    let answer = ''
    for await (const chunk of socket.setEncoding('utf8')) {
      answer += chunk
      if (/^(\+PONG|-.*)\r\n/m.test(answer)) break
    }
    const refusal = /^-(.*)\r\n/m.exec(answer)?.[1]
    if (refusal) return failed(`it replies ${reasonOf(refusal)}`, 'Is the password in REDIS_URL right?')
    return answer.includes('+PONG') ? ok(url.host) : failed('the reply is not Redis', 'Is there a Redis at REDIS_URL?')
  } finally {
    socket.destroy()
  }
}

const command = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
