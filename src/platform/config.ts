import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { isLoopback, isOrigin, isOriginOrPrefix } from '#vocabulary/origins.ts'
import type { DatabaseAddress } from './database/database.ts'

export type Mode = 'production' | 'development' | 'test'

export type Config = {
  mode: Mode
  databases: { control: DatabaseAddress; cells: Record<string, DatabaseAddress> }
  /** Connections to each database; by default it follows the number of cores. */
  poolSize: number | undefined
  /** A connection to a database is renewed at about this age. */
  connectionMaxAgeSeconds: number
  /** While control is away, reads of what is known go on for so long. */
  controlAwaySeconds: number
  /** A replica that is further behind than this is not read. */
  replicaMaxLagSeconds: number
  /** The cells that a worker serves; undefined: all. */
  workerCells: string[] | undefined
  /** How many businesses an API process keeps in memory. */
  directoryBusinesses: number
  host: string
  port: number
  publicUrl: string
  trustProxy: string[]
  metricsPort: number
  workerMetricsPort: number
  /** 32 bytes each; the first writes, all of them read. */
  secretKeys: Buffer[]
  businessSignup: 'open' | 'closed'
  /** How many businesses one account may create a day. */
  businessesPerDay: number
  allowedOrigins: string[]
  rateLimits: boolean
  limits: {
    /** Requests a minute from one account (all its sessions), one API key, or one IP address without either. */
    account: number
    key: number
    address: number
    /** Reads of storefronts a minute, from one IP address. */
    storefront: number
    /** From one IP address. */
    guestLoginsPerHour: number
  }
  /** Where processes share their rate limits; without it each process counts for itself. */
  redis: { url: string; prefix: string } | undefined
  /** Load shedding: refuses with 503 the requests that are more than the process can serve. */
  loadShedding: boolean
  /** Whether responses are compressed with gzip. */
  compression: boolean
  /** Font files of packing slips for letters that the usual ones lack; empty: those that are installed. */
  slipFonts: string[]
  /** Whether the dashboard and its session are served, at /admin. */
  dashboard: boolean
  /** Whether the pictures of the demo shop are served. */
  demoImages: boolean
  mail: { smtpUrl: string; from: string; dkim: Dkim | undefined } | undefined
  /** Where the operator is told of what needs them, such as books that do not balance. */
  operatorEmail: string | undefined
  newsletters: {
    /** Mails a second: for all businesses of a cell, and for one business. */
    perSecond: number
    perSecondOfBusiness: number
    /** Newsletters are sent only by the deployment whose id the database holds; undefined: by any. */
    deploymentId: string | undefined
    /** How bounce webhooks authenticate: with one of these secrets, or as one of these topics of Amazon SNS. */
    bounces: { secrets: string[]; topicArns: string[] }
  }
  sms: { accountSid: string; authToken: string; from: string; apiUrl: string } | undefined
  payments: {
    stripe: { secretKey: string; webhookSecrets: string[]; apiUrl: string | undefined } | undefined
    /** Whether businesses without an account of their own are paid into the operator's. */
    sharedAccount: boolean
  }
  identity: { issuer: string; clientId: string; clientSecret: string } | undefined
  /** `dailyTokens`: how many tokens one business may use per day (UTC). */
  ai: { apiUrl: string; apiKey: string; model: string; dailyTokens: number } | undefined
  /** Files of extensions. */
  extensions: string[]
  /** Where files are stored; undefined: nowhere, and there is no media. */
  media:
    | {
        storage: S3Settings | { kind: 'folder'; path: string }
        /** The address of what the store has below `public/`. */
        publicUrl: string
        /** How much one business may store. */
        quotaBytes: number
      }
    | undefined
  /** Addresses that others have named, such as those of pictures. `allowLoopback`: also on this machine, for development. */
  outgoing: { allowLoopback: boolean; nameServers: string[] }
  /** `allowPrivate`: webhooks may go to http addresses and into private networks. */
  webhooks: { allowPrivate: boolean }
  /** The outside services and whether they are configured. Without one, only the operations that need it return 503. */
  providers: Record<'mail' | 'sms' | 'payments' | 'identity' | 'ai' | 'media' | 'redis', boolean>
  /**
   * Whether traces are exported, and under which service name. OpenTelemetry reads exporter and sampling settings
   * itself.
   */
  tracing: { serviceName: string | undefined } | undefined
  logLevel: string
  /** One line a request; undefined: none. */
  accessLog:
    | { mode: 'errors' | 'sampled' | 'all'; rate: number; address: (typeof ACCESS_LOG_ADDRESSES)[number] }
    | undefined
  /** Of how many businesses the metrics tell, the busiest first; 0: of none. */
  businessMetrics: number
}

const ACCESS_LOG_ADDRESSES = ['off', 'network', 'full'] as const

export type S3Settings = {
  kind: 's3'
  /** Undefined: Amazon's, of the region. */
  endpoint: string | undefined
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** `host/bucket/key` instead of `bucket.host/key`. */
  forcePathStyle: boolean
}

export type Dkim = { domainName: string; keySelector: string; privateKey: string }

export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: string[]) {
    super(`The configuration is not complete:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Where mails to team members lead: into the dashboard, or to plain pages where it is off. */
export const pagesUrlOf = ({ publicUrl, dashboard }: Pick<Config, 'publicUrl' | 'dashboard'>): string =>
  dashboard ? `${publicUrl}/admin` : publicUrl

type Environment = Record<string, string | undefined>

/** Reads the environment once and reports every problem at once. Below `apps/` nobody reads `process.env`. */
export function loadConfig(env: Environment): Config {
  const problems: string[] = []
  const problem = (text: string) => void problems.push(text)
  const value = (name: string) => unquote(env[name])

  const modes: Record<string, Mode> = { production: 'production', development: 'development', test: 'test' }
  const mode = modes[value('NODE_ENV') ?? 'production']
  if (!mode) problem('NODE_ENV must be production, development or test.')

  function whole(name: string, fallback: number): number {
    const text = value(name)
    const number = Number(text ?? fallback)
    if (!Number.isInteger(number) || number < 0 || number > 65_535)
      problem(`${name} must be a port number, not "${text}".`)
    return number
  }

  function rate(name: string, fallback: number): number {
    const text = value(name)
    const number = Number(text ?? fallback)
    if (!Number.isInteger(number) || number < 1 || number > 100_000)
      problem(`${name} must be a number of mails a second from 1 to 100000, not "${text}".`)
    return number
  }

  function limit(name: string, fallback: number): number {
    const text = value(name)
    const number = Number(text ?? fallback)
    if (!Number.isInteger(number) || number < 1 || number > 10_000_000)
      problem(`${name} must be a whole number from 1 to 10000000, not "${text}".`)
    return number
  }

  function seconds(name: string, fallback: number, least: number, most: number): number {
    const text = value(name)
    const number = Number(text ?? fallback)
    if (!Number.isInteger(number) || number < least || number > most)
      problem(`${name} must be a whole number of seconds from ${least} to ${most}, not "${text}".`)
    return number
  }

  function oneOf<Word extends string>(name: string, words: readonly Word[], fallback: Word): Word {
    const text = value(name) ?? fallback
    if (!words.includes(text as Word)) problem(`${name} must be ${words.join(' or ')}, not "${text}".`)
    return text as Word
  }

  const port = whole('PORT', 3000)
  const metricsPort = whole('METRICS_PORT', 9464)

  const publicUrl = value('PUBLIC_URL') ?? `http://localhost:${port}`
  if (!isOrigin(publicUrl)) problem('PUBLIC_URL must be an origin such as https://shop.example.com, without a path.')
  const allowedOrigins = list(value('ALLOWED_ORIGINS'))
  for (const origin of allowedOrigins) {
    if (!isOriginOrPrefix(origin))
      problem(
        `ALLOWED_ORIGINS: "${origin}" is not an origin such as https://shop.example.com, nor one with a path such as https://shop.example.com/account.`,
      )
  }

  /** Settings that only make sense together: all of them, or none. */
  function group<Name extends string>(...names: Name[]): Record<Name, string> | undefined {
    const given = names.filter((name) => value(name))
    if (given.length === 0) return undefined
    for (const name of names) if (!value(name)) problem(`${name} is required when ${given[0]} is set.`)
    return Object.fromEntries(names.map((name) => [name, value(name) ?? ''])) as Record<Name, string>
  }
  const mail = group('SMTP_URL', 'MAIL_FROM')
  const operatorEmail = value('OPERATOR_EMAIL')
  if (operatorEmail && !/^[^\s@,]+@[^\s@,]+$/.test(operatorEmail)) {
    problem(`OPERATOR_EMAIL must be one email address, not "${operatorEmail}".`)
  }
  const dkim = group('DKIM_DOMAIN', 'DKIM_SELECTOR', 'DKIM_PRIVATE_KEY')
  const sms = group('TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM')
  const identity = group('OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET')
  const stripe = group('STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET')
  const stripeUrl = value('STRIPE_API_URL')
  if (stripeUrl && !isOrigin(stripeUrl)) problem('STRIPE_API_URL must be an origin such as http://127.0.0.1:4242.')
  const smsUrl = value('TWILIO_API_URL') ?? 'https://api.twilio.com'
  if (sms && !isOrigin(smsUrl)) problem('TWILIO_API_URL must be an origin such as https://api.twilio.com.')
  if (identity && !isSecureOrLoopback(identity.OIDC_ISSUER)) {
    problem('OIDC_ISSUER must be an https address (http only on loopback, for development).')
  }
  const ai = group('AI_API_URL', 'AI_API_KEY', 'AI_MODEL')
  if (ai?.AI_API_URL && !(isSecureOrLoopback(ai.AI_API_URL) && /^[^?#]+\/v1$/.test(ai.AI_API_URL))) {
    problem('AI_API_URL must be an https address that ends in /v1 (http only on loopback, for development).')
  }
  const dailyTokens = Number(value('AI_DAILY_TOKENS') ?? 200_000)
  if (!Number.isSafeInteger(dailyTokens) || dailyTokens < 1) {
    problem(`AI_DAILY_TOKENS must be a whole number of tokens, not "${value('AI_DAILY_TOKENS')}".`)
  }

  const media = readMedia(value, publicUrl, problem)

  const allowLoopback = oneOf('OUTGOING_LOOPBACK', ['on', 'off'], 'off') === 'on'
  if (allowLoopback && mode === 'production') problem('OUTGOING_LOOPBACK is for development only: leave it out.')

  const nameServers = list(value('OUTGOING_NAME_SERVERS'))
  for (const server of nameServers)
    if (!isIP(server.replace(/:\d+$/, '')) && !isIP(server))
      problem(`OUTGOING_NAME_SERVERS: ${server} is no IP address, with or without a port.`)

  const slipFonts = list(value('SLIP_FONTS'))
  for (const font of slipFonts)
    if (!existsSync(font.split('#')[0] ?? '')) problem(`SLIP_FONTS: there is no file ${font.split('#')[0]}.`)

  const topicArns = list(value('SNS_TOPIC_ARNS'))
  for (const arn of topicArns) {
    if (!/^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}(\.fifo)?$/.test(arn)) {
      problem(`SNS_TOPIC_ARNS: "${arn}" is not a topic such as arn:aws:sns:eu-central-1:123456789012:bounces.`)
    }
  }

  const redisUrl = value('REDIS_URL')
  if (redisUrl && !/^rediss?:$/.test(URL.parse(redisUrl)?.protocol ?? '')) {
    problem('REDIS_URL is not a Redis URL: redis://user:password@host:6379/0 (rediss: with TLS)')
  }

  const traceUrls = (['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const).filter(value)
  for (const name of traceUrls) {
    if (!/^https?:$/.test(URL.parse(value(name) ?? '')?.protocol ?? '')) {
      problem(`${name} must be an address such as http://127.0.0.1:4318.`)
    }
  }

  const accessLog = oneOf('ACCESS_LOG', ['off', 'errors', 'sampled', 'all'], 'off')
  const accessLogAddress = oneOf('ACCESS_LOG_ADDRESS', ACCESS_LOG_ADDRESSES, 'off')
  const accessLogRate = Number(value('ACCESS_LOG_RATE') ?? 0.01)
  if (!(accessLogRate >= 0 && accessLogRate <= 1))
    problem(`ACCESS_LOG_RATE must be a share from 0 to 1, such as 0.01, not "${value('ACCESS_LOG_RATE')}".`)
  const businessMetrics = Number(value('BUSINESS_METRICS') ?? 0)
  if (!Number.isInteger(businessMetrics) || businessMetrics < 0 || businessMetrics > 100)
    problem(`BUSINESS_METRICS must be a whole number from 0 to 100, not "${value('BUSINESS_METRICS')}".`)

  const businessSignup = oneOf('BUSINESS_SIGNUP', ['open', 'closed'], mode === 'production' ? 'closed' : 'open')
  // Where anybody may open a business, no payment may reach the operator's account by accident.
  const sharedAccount = oneOf(
    'STRIPE_SHARED_ACCOUNT',
    ['true', 'false'],
    businessSignup === 'closed' ? 'true' : 'false',
  )

  const config: Config = {
    mode: mode ?? 'production',
    databases: readDatabases(value, problem),
    poolSize: readPoolSize(value('DATABASE_POOL_SIZE'), problem),
    connectionMaxAgeSeconds: readMaxAge(value('DATABASE_CONNECTION_MAX_AGE'), problem),
    controlAwaySeconds: seconds('CONTROL_AWAY_SECONDS', 60, 0, 3_600),
    replicaMaxLagSeconds: seconds('REPLICA_MAX_LAG_SECONDS', 5, 2, 300),
    workerCells: readWorkerCells(value('WORKER_CELLS'), problem),
    directoryBusinesses: limit('DIRECTORY_BUSINESSES', 20_000),
    host: value('HOST') ?? '127.0.0.1',
    port,
    publicUrl,
    trustProxy: list(value('TRUST_PROXY')),
    metricsPort,
    workerMetricsPort: whole('WORKER_METRICS_PORT', metricsPort === 0 ? 0 : metricsPort + 1),
    secretKeys: readSecretKeys(value('SECRET_KEY'), mode, problem),
    businessSignup,
    businessesPerDay: whole('BUSINESSES_PER_DAY', 10),
    allowedOrigins,
    rateLimits: oneOf('RATE_LIMITS', ['on', 'off'], 'on') === 'on',
    limits: {
      account: limit('LIMIT_ACCOUNT_PER_MINUTE', 1_200),
      key: limit('LIMIT_KEY_PER_MINUTE', 6_000),
      address: limit('LIMIT_ADDRESS_PER_MINUTE', 600),
      storefront: limit('LIMIT_STOREFRONT_PER_MINUTE', 3_000),
      guestLoginsPerHour: limit('LIMIT_GUEST_LOGINS_PER_HOUR', 120),
    },
    redis: redisUrl ? { url: redisUrl, prefix: value('REDIS_PREFIX') ?? 'kontor:' } : undefined,
    compression: oneOf('COMPRESSION', ['on', 'off'], 'off') === 'on',
    slipFonts,
    dashboard: oneOf('DASHBOARD', ['on', 'off'], 'on') === 'on',
    demoImages: oneOf('DEMO_IMAGES', ['on', 'off'], mode === 'production' ? 'off' : 'on') === 'on',
    loadShedding: oneOf('LOAD_SHEDDING', ['on', 'off'], 'on') === 'on',
    mail: mail && {
      smtpUrl: mail.SMTP_URL,
      from: mail.MAIL_FROM,
      dkim: dkim && {
        domainName: dkim.DKIM_DOMAIN,
        keySelector: dkim.DKIM_SELECTOR,
        privateKey: dkim.DKIM_PRIVATE_KEY.replaceAll('\\n', '\n'), // environment variables hold it in one line
      },
    },
    operatorEmail,
    newsletters: {
      perSecond: rate('NEWSLETTER_RATE', 100),
      perSecondOfBusiness: rate('NEWSLETTER_BUSINESS_RATE', 50),
      deploymentId: value('DEPLOYMENT_ID'),
      bounces: { secrets: list(value('BOUNCE_WEBHOOK_SECRET')), topicArns },
    },
    sms: sms && {
      accountSid: sms.TWILIO_ACCOUNT_SID,
      authToken: sms.TWILIO_AUTH_TOKEN,
      from: sms.TWILIO_FROM,
      apiUrl: smsUrl,
    },
    payments: {
      stripe: stripe && {
        secretKey: stripe.STRIPE_SECRET_KEY,
        webhookSecrets: list(stripe.STRIPE_WEBHOOK_SECRET),
        apiUrl: stripeUrl,
      },
      sharedAccount: sharedAccount === 'true',
    },
    identity: identity && {
      issuer: identity.OIDC_ISSUER,
      clientId: identity.OIDC_CLIENT_ID,
      clientSecret: identity.OIDC_CLIENT_SECRET,
    },
    ai: ai && { apiUrl: ai.AI_API_URL, apiKey: ai.AI_API_KEY, model: ai.AI_MODEL, dailyTokens },
    extensions: list(value('KONTOR_EXTENSIONS')),
    media,
    outgoing: { allowLoopback, nameServers },
    webhooks: { allowPrivate: oneOf('WEBHOOKS_ALLOW_PRIVATE', ['true', 'false'], 'false') === 'true' },
    providers: {
      mail: Boolean(mail),
      sms: Boolean(sms),
      payments: Boolean(stripe),
      identity: Boolean(identity),
      ai: Boolean(ai),
      media: Boolean(media),
      redis: Boolean(redisUrl),
    },
    tracing: traceUrls.length > 0 ? { serviceName: value('OTEL_SERVICE_NAME') } : undefined,
    logLevel: oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
    accessLog: accessLog === 'off' ? undefined : { mode: accessLog, rate: accessLogRate, address: accessLogAddress },
    businessMetrics,
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** Strips the quotes that an env file needs for a shell, and that `docker run --env-file` leaves in place. */
const unquote = (text: string | undefined) =>
  text
    ?.trim()
    .replace(/^(['"])(.*)\1$/s, '$2')
    .trim() || undefined

/** The database settings alone: migrating needs nothing else. */
export function loadDatabases(env: Environment): Config['databases'] {
  const problems: string[] = []
  const databases = readDatabases(
    (name) => unquote(env[name]),
    (text) => void problems.push(text),
  )
  if (problems.length > 0) throw new ConfigError(problems)
  return databases
}

/** The keys alone: migrating needs them only for cells whose addresses are kept in control. */
export function loadSecretKeys(env: Environment): Buffer[] {
  const mode = unquote(env.NODE_ENV) === 'production' || !unquote(env.NODE_ENV) ? 'production' : 'development'
  return readSecretKeys(unquote(env.SECRET_KEY), mode, () => {})
}

/** The files of extensions alone: migrating needs nothing else. */
export const loadExtensionFiles = (env: Environment): string[] => list(unquote(env.KONTOR_EXTENSIONS))

function readDatabases(
  value: (name: string) => string | undefined,
  problem: (text: string) => void,
): Config['databases'] {
  const address = (name: string) => {
    const text = value(name)
    if (!text) problem(`${name} is required: postgres://user:password@host:5432/database`)
    else if (!isPostgresUrl(text))
      problem(`${name} is not a PostgreSQL URL: postgres://user:password@host:5432/database`)
    return text ?? ''
  }
  const url = address('DATABASE_URL')
  const directUrl = value('DATABASE_DIRECT_URL') ? address('DATABASE_DIRECT_URL') : url
  const replicaUrl = value('DATABASE_REPLICA_URL') ? address('DATABASE_REPLICA_URL') : undefined
  return { control: { url, directUrl, ...(replicaUrl && { replicaUrl }) }, cells: readCells(value('CELLS'), problem) }
}

function readPoolSize(text: string | undefined, problem: (text: string) => void): number | undefined {
  if (text === undefined) return undefined
  const size = Number(text)
  if (!Number.isInteger(size) || size < 2 || size > 500)
    problem(`DATABASE_POOL_SIZE must be a whole number from 2 to 500, not "${text}".`)
  return size
}

function readMaxAge(text: string | undefined, problem: (text: string) => void): number {
  const seconds = Number(text ?? 600)
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400)
    problem(`DATABASE_CONNECTION_MAX_AGE must be a whole number of seconds from 1 to 86400, not "${text}".`)
  return seconds
}

const list = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function isSecureOrLoopback(text: string): boolean {
  const { protocol } = URL.parse(text) ?? {}
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(text))
}

const isPostgresUrl = (text: string) => /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')

function readCells(text: string | undefined, problem: (text: string) => void): Record<string, DatabaseAddress> {
  if (!text) return {}
  const wrong = () => problem('CELLS must be JSON such as {"eu2": {"url": "postgres://…"}}; the name main is taken.')
  try {
    const cells: Record<string, DatabaseAddress> = {}
    const given: unknown = JSON.parse(text)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new TypeError('not an object')
    for (const [name, cell] of Object.entries(given as Record<string, Partial<DatabaseAddress> | null>)) {
      const url = cell?.url ?? ''
      const directUrl = cell?.directUrl ?? url
      const replicaUrl = cell?.replicaUrl
      const areUrls = [url, directUrl, replicaUrl ?? url].every(isPostgresUrl)
      const fits = /^[a-z0-9-]{1,32}$/.test(name) && name !== 'main' && areUrls
      if (!fits) wrong()
      cells[name] = { url, directUrl, ...(replicaUrl !== undefined && { replicaUrl }) }
    }
    return cells
  } catch {
    wrong()
    return {}
  }
}

/** Whether there are such cells is seen when they are opened. */
function readWorkerCells(text: string | undefined, problem: (text: string) => void): string[] | undefined {
  const names = list(text)
  if (names.length === 0 || (names.length === 1 && names[0] === 'all')) return undefined
  for (const name of names)
    if (!/^[a-z0-9-]{1,32}$/.test(name) || name === 'all')
      problem(`WORKER_CELLS must be all, or names of cells such as main,eu2, not "${text}".`)
  return [...new Set(names)]
}

const FOR_S3 = ['S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'MEDIA_PUBLIC_URL']

function readMedia(
  value: (name: string) => string | undefined,
  apiUrl: string,
  problem: (text: string) => void,
): Config['media'] {
  const quotaBytes = Number(value('MEDIA_QUOTA_BYTES') ?? 10 * 1024 ** 3)
  if (!Number.isSafeInteger(quotaBytes) || quotaBytes < 1) {
    problem(`MEDIA_QUOTA_BYTES must be a whole number of bytes, not "${value('MEDIA_QUOTA_BYTES')}".`)
  }
  const publicUrl = value('MEDIA_PUBLIC_URL')?.replace(/\/$/, '')
  if (publicUrl && !(isSecureOrLoopback(publicUrl) && !/[?#]/.test(publicUrl))) {
    problem('MEDIA_PUBLIC_URL must be an https address such as https://media.example.com (http only on loopback).')
  }
  const storage = value('MEDIA_STORAGE')
  if (storage === undefined) return undefined
  const folder = /^folder:(.+)$/.exec(storage)?.[1]
  if (folder) {
    const kept = { kind: 'folder' as const, path: path.resolve(folder) }
    return { storage: kept, publicUrl: publicUrl ?? `${apiUrl}/media`, quotaBytes }
  }
  if (storage !== 's3') {
    problem(`MEDIA_STORAGE must be s3, or a folder such as folder:/var/lib/kontor/media, not "${storage}".`)
    return undefined
  }
  for (const name of FOR_S3) if (!value(name)) problem(`${name} is required when MEDIA_STORAGE is s3.`)
  const endpoint = value('S3_ENDPOINT')
  if (endpoint && !isSecureOrLoopback(endpoint)) {
    problem('S3_ENDPOINT must be an https address such as https://s3.example.com (http only on loopback).')
  }
  const pathStyle = value('S3_FORCE_PATH_STYLE') ?? String(endpoint !== undefined)
  if (!['true', 'false'].includes(pathStyle)) {
    problem(`S3_FORCE_PATH_STYLE must be true or false, not "${pathStyle}".`)
  }
  return {
    storage: {
      kind: 's3',
      endpoint,
      region: value('S3_REGION') ?? '',
      bucket: value('S3_BUCKET') ?? '',
      accessKeyId: value('S3_ACCESS_KEY_ID') ?? '',
      secretAccessKey: value('S3_SECRET_ACCESS_KEY') ?? '',
      forcePathStyle: pathStyle === 'true',
    },
    publicUrl: publicUrl ?? '',
    quotaBytes,
  }
}

function readSecretKeys(text: string | undefined, mode: Mode | undefined, problem: (text: string) => void): Buffer[] {
  if (!text && mode !== 'production') {
    // Public on purpose: anybody can read it here, so production refuses to start with it.
    return [createHash('sha256').update('kontor development secret').digest()]
  }
  const keys = list(text).map((key) => Buffer.from(key, 'base64'))
  if (keys.length === 0 || keys.length > 2 || keys.some((key) => key.length < 32)) {
    problem(
      'SECRET_KEY is required in production: at least 32 random bytes in base64 (make one with: openssl rand -base64 32). ' +
        'While rotating, give two, separated by a comma: the new one first.',
    )
  }
  return keys
}
