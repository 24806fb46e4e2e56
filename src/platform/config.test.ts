import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ConfigError, loadConfig } from './config.ts'

const DATABASE_URL = 'postgres://kontor:secret@db.example.com:5432/kontor'
const SECRET_KEY = randomBytes(32).toString('base64')
const production = { DATABASE_URL, SECRET_KEY }

/** The reported problems, one line each. */
function problemsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message.split('\n  - ').slice(1)
  }
}

test('a database and a secret are all that production needs', () => {
  const config = loadConfig(production)
  assert.equal(config.mode, 'production')
  assert.equal(config.businessSignup, 'closed')
  assert.equal(config.rateLimits, true)
  assert.equal(config.demoImages, false)
  assert.deepEqual(config.limits, {
    account: 1_200,
    key: 6_000,
    address: 600,
    storefront: 3_000,
    guestLoginsPerHour: 120,
  })
  assert.equal(config.host, '127.0.0.1')
  assert.deepEqual([config.port, config.metricsPort, config.workerMetricsPort], [3000, 9464, 9465])
  assert.equal(config.publicUrl, 'http://localhost:3000')
  assert.deepEqual(config.trustProxy, [])
  assert.deepEqual(config.databases, { control: { url: DATABASE_URL, directUrl: DATABASE_URL }, cells: {} })
  assert.deepEqual(new Set(Object.values(config.providers)), new Set([false]))
  assert.deepEqual(config.secretKeys, [Buffer.from(SECRET_KEY, 'base64')])
})

test('development and tests need no secret and keep sign-up open', () => {
  for (const mode of ['development', 'test']) {
    const config = loadConfig({ DATABASE_URL, NODE_ENV: mode })
    assert.equal(config.mode, mode)
    assert.equal(config.businessSignup, 'open')
    assert.equal(config.demoImages, true)
    assert.equal(config.secretKeys[0]?.length, 32)
  }
  assert.equal(problemsOf({ DATABASE_URL }).length, 1)
})

test('every problem is told, each by the name of its variable', () => {
  const problems = problemsOf({
    NODE_ENV: 'staging',
    DATABASE_URL: 'mysql://db.example.com/kontor',
    DATABASE_DIRECT_URL: 'nonsense',
    PORT: '70000',
    METRICS_PORT: 'many',
    WORKER_METRICS_PORT: '-1',
    PUBLIC_URL: 'https://shop.example.com/api',
    ALLOWED_ORIGINS: 'https://ok.example.com,ftp://x,shop.example.com',
    CELLS: '{"main": {"url": "postgres://db.example.com/x"}}',
    SECRET_KEY: 'short',
    BUSINESS_SIGNUP: 'sometimes',
    RATE_LIMITS: 'yes',
    LIMIT_KEY_PER_MINUTE: '0',
    LOG_LEVEL: 'loud',
  })
  const names = [
    'NODE_ENV',
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'PORT',
    'METRICS_PORT',
    'WORKER_METRICS_PORT',
    'PUBLIC_URL',
    'ALLOWED_ORIGINS: "ftp://x"',
    'ALLOWED_ORIGINS: "shop.example.com"',
    'CELLS',
    'SECRET_KEY',
    'BUSINESS_SIGNUP',
    'RATE_LIMITS',
    'LIMIT_KEY_PER_MINUTE',
    'LOG_LEVEL',
  ]
  for (const name of names)
    assert.ok(
      problems.some((problem) => problem.startsWith(name)),
      name,
    )
  assert.equal(problems.length, names.length, problems.join('\n'))
})

test('a worker serves all cells, or those that are named', () => {
  const cellsOf = (WORKER_CELLS?: string) => loadConfig({ ...production, WORKER_CELLS }).workerCells
  assert.equal(cellsOf(), undefined)
  assert.equal(cellsOf('all'), undefined)
  assert.deepEqual(cellsOf('main, eu2,main'), ['main', 'eu2'])
  for (const wrong of ['all,eu2', 'EU', 'eu 2'])
    assert.match(problemsOf({ ...production, WORKER_CELLS: wrong }).join(), /^WORKER_CELLS must be all, or names/)
})

test('no message shows a secret', () => {
  const text = problemsOf({ DATABASE_URL: 'mysql://kontor:hunter2@db/x', SECRET_KEY: 'hunter2' }).join()
  assert.doesNotMatch(text, /hunter2/)
})

test('a variable that is empty or blank is one that is not set', () => {
  const config = loadConfig({ ...production, PORT: '', PUBLIC_URL: ' ', TRUST_PROXY: ' , ', CELLS: '', SMTP_URL: '' })
  assert.equal(config.port, 3000)
  assert.deepEqual(config.trustProxy, [])
  assert.equal(config.providers.mail, false)
  assert.deepEqual(loadConfig({ ...production, TRUST_PROXY: '10.0.0.1, 10.0.0.0/8' }).trustProxy, [
    '10.0.0.1',
    '10.0.0.0/8',
  ])
})

test('two secrets are for rotating, three are a mistake', () => {
  const old = randomBytes(32).toString('base64')
  const { secretKeys } = loadConfig({ DATABASE_URL, SECRET_KEY: `${SECRET_KEY}, ${old}` })
  assert.deepEqual(secretKeys, [Buffer.from(SECRET_KEY, 'base64'), Buffer.from(old, 'base64')])
  assert.equal(problemsOf({ DATABASE_URL, SECRET_KEY: `${SECRET_KEY},${old},${old}` }).length, 1)
  assert.equal(problemsOf({ DATABASE_URL, SECRET_KEY: `${SECRET_KEY},short` }).length, 1)
  assert.equal(problemsOf({ DATABASE_URL, SECRET_KEY: 'short', NODE_ENV: 'development' }).length, 1)
})

test('cells have names of their own and addresses, the direct one optional', () => {
  const url = 'postgres://db.example.com/eu'
  const CELLS = JSON.stringify({ eu: { url }, us: { url, directUrl: `${url}?direct` } })
  assert.deepEqual(loadConfig({ ...production, CELLS }).databases.cells, {
    eu: { url, directUrl: url },
    us: { url, directUrl: `${url}?direct` },
  })
  for (const cells of [
    'eu',
    'null',
    '5',
    JSON.stringify({ main: { url } }),
    JSON.stringify({ 'EU West': { url } }),
    JSON.stringify({ eu: {} }),
    JSON.stringify({ eu: null }),
    JSON.stringify({ eu: url }),
    JSON.stringify({ eu: { url: 'https://example.com' } }),
    JSON.stringify({ eu: { url, directUrl: 'https://example.com' } }),
    JSON.stringify({ eu: { url, directUrl: 5 } }),
  ]) {
    assert.ok(problemsOf({ ...production, CELLS: cells }).length >= 1, cells)
  }
})

test('the direct address of the database is its address unless said otherwise', () => {
  const direct = 'postgres://db.example.com:5433/kontor'
  const { control } = loadConfig({ ...production, DATABASE_DIRECT_URL: direct }).databases
  assert.deepEqual(control, { url: DATABASE_URL, directUrl: direct })
})

test('the metrics of the worker are on the next port, or on one of the system’s choice', () => {
  assert.equal(loadConfig({ ...production, METRICS_PORT: '9000' }).workerMetricsPort, 9001)
  assert.equal(loadConfig({ ...production, METRICS_PORT: '0' }).workerMetricsPort, 0)
  assert.equal(loadConfig({ ...production, WORKER_METRICS_PORT: '9100' }).workerMetricsPort, 9100)
})

test('a language model is an address, a key and a name, with a budget for each business and day', () => {
  const model = { AI_API_URL: 'https://models.example.com/v1', AI_API_KEY: 'key', AI_MODEL: 'small' }
  const apart = { apiUrl: model.AI_API_URL, apiKey: 'key', model: 'small' }
  assert.equal(loadConfig(production).ai, undefined)
  assert.deepEqual(loadConfig({ ...production, ...model }).ai, { ...apart, dailyTokens: 200_000 })
  assert.deepEqual(loadConfig({ ...production, ...model, AI_DAILY_TOKENS: '50000' }).ai?.dailyTokens, 50_000)
  assert.equal(loadConfig({ ...production, ...model }).providers.ai, true)
  for (const name of Object.keys(model)) {
    const problems = problemsOf({ ...production, ...model, [name]: '' })
    assert.deepEqual([problems.length, problems[0]?.split(' ')[0]], [1, name])
  }
})

test('the address of the model ends in /v1 and is not plain http, but on loopback', () => {
  const problems = (url: string) => problemsOf({ ...production, AI_API_URL: url, AI_API_KEY: 'key', AI_MODEL: 'small' })
  for (const url of ['https://models.example.com/openai/v1', 'http://127.0.0.1:4244/v1', 'http://localhost/v1']) {
    assert.deepEqual(problems(url), [], url)
  }
  for (const url of [
    'http://models.example.com/v1',
    'https://models.example.com',
    'https://x.example/v1/',
    'nonsense',
  ]) {
    assert.match(problems(url).join(), /^AI_API_URL/, url)
  }
  for (const AI_DAILY_TOKENS of ['0', '-1', '1.5', 'many']) {
    assert.match(problemsOf({ ...production, AI_DAILY_TOKENS }).join(), /^AI_DAILY_TOKENS/)
  }
})

test('Redis is optional, and an address of Redis', () => {
  assert.equal(loadConfig(production).redis, undefined)
  const { redis, providers } = loadConfig({ ...production, REDIS_URL: 'rediss://:secret@redis.example.com:6380/1' })
  assert.deepEqual(redis, { url: 'rediss://:secret@redis.example.com:6380/1', prefix: 'kontor:' })
  assert.equal(providers.redis, true)
  assert.match(problemsOf({ ...production, REDIS_URL: '127.0.0.1:6379' }).join(), /^REDIS_URL is not a Redis URL/)
})

test('traces are sent where there is an address for them', () => {
  assert.equal(loadConfig(production).tracing, undefined)
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318'
  assert.deepEqual(loadConfig({ ...production, OTEL_EXPORTER_OTLP_ENDPOINT }).tracing, { serviceName: undefined })
  const { tracing } = loadConfig({ ...production, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME: 'shop' })
  assert.deepEqual(tracing, { serviceName: 'shop' })
  const problems = problemsOf({ ...production, OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })
  assert.match(problems.join(), /^OTEL_EXPORTER_OTLP_ENDPOINT must be an address/)
})

test('bounces are told with a secret, or two while one is changed, or through topics of SNS', () => {
  const topic = 'arn:aws:sns:eu-central-1:123456789012:bounces'
  const chinese = 'arn:aws-cn:sns:cn-north-1:123456789012:bounces.fifo'
  assert.deepEqual(loadConfig(production).newsletters.bounces, { secrets: [], topicArns: [] })
  const { bounces } = loadConfig({
    ...production,
    BOUNCE_WEBHOOK_SECRET: 'new, old',
    SNS_TOPIC_ARNS: `${topic}, ${chinese}`,
  }).newsletters
  assert.deepEqual(bounces, { secrets: ['new', 'old'], topicArns: [topic, chinese] })
  for (const arn of [
    'bounces',
    topic.replace('sns', 'sqs'),
    `${topic}/x`,
    topic.replace('eu-central-1', 'evil.example/'),
  ]) {
    assert.match(problemsOf({ ...production, SNS_TOPIC_ARNS: `${topic},${arn}` }).join(), /^SNS_TOPIC_ARNS: "/, arn)
  }
})

const s3 = {
  MEDIA_STORAGE: 's3',
  MEDIA_PUBLIC_URL: 'https://media.example.com/',
  S3_REGION: 'eu-central-1',
  S3_BUCKET: 'media',
  S3_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  S3_SECRET_ACCESS_KEY: 'hidden',
}

test('media are stored nowhere, in a folder, or in a store that speaks S3', () => {
  assert.equal(loadConfig(production).media, undefined)
  const folder = loadConfig({
    ...production,
    PUBLIC_URL: 'https://api.example.com',
    MEDIA_STORAGE: 'folder:/srv/media',
  })
  assert.deepEqual(folder.media, {
    storage: { kind: 'folder', path: '/srv/media' },
    publicUrl: 'https://api.example.com/media',
    quotaBytes: 10 * 1024 ** 3,
  })
  const store = loadConfig({ ...production, ...s3, MEDIA_QUOTA_BYTES: '5000' })
  assert.equal(store.providers.media, true)
  assert.equal(store.media?.publicUrl, 'https://media.example.com')
  assert.equal(store.media?.quotaBytes, 5_000)
  assert.deepEqual(store.media?.storage, {
    kind: 's3',
    endpoint: undefined,
    region: 'eu-central-1',
    bucket: 'media',
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'hidden',
    forcePathStyle: false,
  })
})

test('a store of its own address has the bucket in the path, unless told otherwise', () => {
  const isInPath = (more: Record<string, string>) => {
    const storage = loadConfig({ ...production, ...s3, ...more }).media?.storage
    return storage?.kind === 's3' && storage.forcePathStyle
  }
  const own = { S3_ENDPOINT: 'https://s3.example.com' }
  assert.equal(isInPath(own), true)
  assert.equal(isInPath({ ...own, S3_FORCE_PATH_STYLE: 'false' }), false)
  assert.equal(isInPath({ S3_FORCE_PATH_STYLE: 'true' }), true)
})

test('what is wrong about the storage of media is told without its secrets', () => {
  const problems = problemsOf({
    ...production,
    MEDIA_STORAGE: 's3',
    MEDIA_QUOTA_BYTES: 'much',
    S3_ENDPOINT: 'http://s3.example.com',
    S3_FORCE_PATH_STYLE: 'perhaps',
    S3_SECRET_ACCESS_KEY: 'hidden',
  })
  const named = problems.map((problem) => problem.split(' ')[0] ?? '').toSorted((a, b) => a.localeCompare(b))
  const expected = ['MEDIA_PUBLIC_URL', 'MEDIA_QUOTA_BYTES', 'S3_ACCESS_KEY_ID', 'S3_BUCKET', 'S3_ENDPOINT']
  assert.deepEqual(named, [...expected, 'S3_FORCE_PATH_STYLE', 'S3_REGION'])
  assert.ok(!problems.join().includes('hidden'))
  assert.match(problemsOf({ ...production, MEDIA_STORAGE: '/srv/media' })[0] ?? '', /folder:/)
  assert.equal(problemsOf({ ...production, ...s3, MEDIA_PUBLIC_URL: 'http://media.example.com' }).length, 1)
})

test('the access log and the metrics of businesses are off, and told what is wrong with them', () => {
  const config = loadConfig(production)
  assert.deepEqual([config.accessLog, config.businessMetrics], [undefined, 0])
  const on = loadConfig({ ...production, ACCESS_LOG: 'sampled', BUSINESS_METRICS: '20' })
  assert.deepEqual([on.accessLog, on.businessMetrics], [{ mode: 'sampled', rate: 0.01, address: 'off' }, 20])
  const problems = problemsOf({
    ...production,
    ACCESS_LOG: 'some',
    ACCESS_LOG_RATE: '5%',
    ACCESS_LOG_ADDRESS: 'yes',
    BUSINESS_METRICS: '1000',
  })
  assert.deepEqual(
    problems.map((problem) => problem.split(' ')[0]),
    ['ACCESS_LOG', 'ACCESS_LOG_ADDRESS', 'ACCESS_LOG_RATE', 'BUSINESS_METRICS'],
  )
})
