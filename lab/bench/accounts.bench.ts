import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import { CompactSign, compactVerify, generateKeyPair } from 'jose'
import { hashPassword } from '#modules/accounts/sign-in/passwords.ts'
import { startChild } from '../../test/support/child.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import type { Run } from '../report/figures.ts'
import {
  bestFigures,
  CLIENTS,
  type Contest,
  clientCharts,
  clientTable,
  FASTIFY,
  KONTOR,
  listen,
  openBarePool,
  PGBENCH,
  pgbench,
  ratio,
  takeTurns,
} from './support.ts'

export const title = 'Logging in and refreshing: Kontor, bare Fastify with the same cryptography and SQL, and pgbench'

const PASSWORD = 'harbour lantern teapot'
const ARGON2 = 'argon2 alone'
/** As many as Kontor hashes at a time; more of them would only wait for cores. */
const AT_ONCE = 2
const MAX_WAIT_MS = 10_000

const FIND = 'select id, email, password_hash, confirmed_at, suspended_at from accounts.users where email_key ='
const ROTATE = (sessionId: string, refreshId: string) => `
  update accounts.sessions as session
     set previous_refresh_id = refresh_id, refresh_id = ${refreshId}, rotated_at = now(), last_used_at = now()
    from accounts.users as account
   where session.id = ${sessionId} and session.revoked_at is null
     and account.id = session.user_id and account.suspended_at is null
  returning session.user_id, session.provider, account.email, session.refresh_id`
/** What a login writes: when it was, the session, the audit log. */
const ENTER = (email: string) => `
  with entered as (
    update accounts.users set last_login_at = now() where email_key = ${email} and suspended_at is null returning id
  ), session as (
    insert into accounts.sessions (id, refresh_id, user_id, provider, created_at, last_used_at, address)
    select 'ses_' || gen_random_uuid(), 'tok_' || gen_random_uuid(), id, 'EMAIL', now(), now(), '127.0.0.1' from entered
    returning id, user_id
  )
  insert into access.audit_log (id, action, subject, actor_kind, data, occurred_at)
  select 'aud_' || gen_random_uuid(), 'login.succeeded', user_id, 'system', '{"provider":"EMAIL"}', now() from session
  returning subject`

/** Side by side in one run, interleaved. Kontor and the bare server are processes of their own, this one makes the load. */
export async function run(options: Run) {
  const api = await startApi() // prepares
  const make = createMake(api)
  const { control } = api.services.databases
  const passwordHash = await hashPassword(PASSWORD)
  const people: string[] = []
  for (let index = 0; index < Math.max(...CLIENTS); index++) {
    const { id } = await make.user()
    const email = `reader${index}@example.com`
    await control
      .updateTable('accounts.users')
      .set({ passwordHash, email, emailKey: email })
      .where('id', '=', id)
      .execute()
    people.push(email)
  }
  const { url: databaseUrl } = api.databases.main
  await onServer(async (client) => {
    await client.query(`
      insert into accounts.sessions (id, refresh_id, user_id, provider, created_at, last_used_at)
      select 'bench_' || substr(email_key, 7, position('@' in email_key) - 7), 'tok_bench', id, 'EMAIL', now(), now()
        from accounts.users where email_key like 'reader%'`)
    await client.query('analyze')
  }, databaseUrl)
  const kontor = await startChild('api', api.databases.env)
  const bare = fork(import.meta.filename, [databaseUrl])
  const [bareUrl] = (await once(bare, 'message')) as [string]

  const login = (url: string) => async (clients: number, seconds: number) => {
    const caller = openCaller(url, clients)
    return caller.close(
      await together(clients, seconds, async (client) => {
        await caller.post('/v1/users/login', { provider: 'EMAIL', email: people[client], password: PASSWORD })
      }),
    )
  }
  const refresh = (url: string) => async (clients: number, seconds: number) => {
    const caller = openCaller(url, clients)
    const tokens = await Promise.all(
      people.slice(0, clients).map(async (email) => {
        const body = { provider: 'EMAIL', email, password: PASSWORD }
        return (await caller.post('/v1/users/login', body)).refreshToken
      }),
    )
    return caller.close(
      await together(clients, seconds, async (client) => {
        const body = { provider: 'EMAIL', refreshToken: tokens[client] }
        tokens[client] = (await caller.post('/v1/users/refresh', body)).refreshToken
      }),
    )
  }
  const say = (script: string) => (clients: number, seconds: number) =>
    pgbench({ url: databaseUrl, script, clients, seconds })
  const reader = "'reader' || :client_id || '@example.com'"
  const contest: Contest = {
    login: {
      [KONTOR]: login(kontor.url),
      [FASTIFY]: login(bareUrl),
      [ARGON2]: (clients, seconds) =>
        together(Math.min(clients, AT_ONCE), seconds, async () => void (await verify(passwordHash, PASSWORD))),
      [PGBENCH]: say(`${oneLine(`${FIND} ${reader}`)}${oneLine(ENTER(reader))}`),
    },
    refresh: {
      [KONTOR]: refresh(kontor.url),
      [FASTIFY]: refresh(bareUrl),
      [PGBENCH]: say(oneLine(ROTATE("'bench_' || :client_id", "'tok_' || gen_random_uuid()"))),
    },
  }
  try {
    const rates = await takeTurns(contest, { ...options, seconds: 2 })
    return {
      figures: [
        ...bestFigures(rates, '/s'),
        ...['login', 'refresh'].map((what) => ratio(rates, what, FASTIFY)),
        ratio(rates, 'login', ARGON2),
        ...['login', 'refresh'].map((what) => ratio(rates, what, PGBENCH)),
      ],
      charts: [
        // pgbench hashes nothing: beside it, the others would all be a line at the bottom.
        ...clientCharts({ ...rates, contest: { ...contest, login: without(contest.login, PGBENCH) } }, 'answers/s'),
      ],
      tables: [clientTable(rates, 'answers/s')],
    }
  } finally {
    bare.disconnect()
    await kontor.kill()
    await api.close()
  }
}

const oneLine = (text: string) => `${text.replaceAll(/\s+/g, ' ').trim()};\n`
const without = (columns: Contest[string] | undefined, name: string) =>
  Object.fromEntries(Object.entries(columns ?? {}).filter(([key]) => key !== name))

/** How often a second, by so many at once, each of them one after another. */
async function together(clients: number, seconds: number, once: (client: number) => Promise<void>): Promise<number> {
  const start = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() - start < seconds * 1_000) {
        await once(client)
        count++
      }
    }),
  )
  return count / ((performance.now() - start) / 1_000)
}

type Body = { refreshToken: string }

/** Plain node:http on connections that are kept: fetch would take the cores from what is measured. */
function openCaller(url: string, clients: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  return {
    post: (path: string, body: object) =>
      new Promise<Body>((resolve, reject) => {
        const payload = JSON.stringify(body)
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
        const sent = request(url + path, { method: 'POST', agent, headers, timeout: MAX_WAIT_MS }, (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
          })
          response.on('error', reject)
          response.on('end', () =>
            response.statusCode === 200 ? resolve(JSON.parse(text) as Body) : reject(new Error(`${path}: ${text}`)),
          )
        })
        sent.on('timeout', () => sent.destroy(new Error(`${path}: no answer within ${MAX_WAIT_MS} ms`)))
        sent.on('error', reject)
        sent.end(payload)
      }),
    close<Result>(result: Result): Result {
      agent.destroy()
      return result
    },
  }
}

/** The least that a server can do: one hash, the same reads and writes, two signed tokens. No limits, no checks, no ids of ours. */
async function serveBare(databaseUrl: string): Promise<string> {
  const pool = openBarePool(databaseUrl)
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const sign = (claims: object) =>
    new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
  const pair = async (claims: object) => ({ accessToken: await sign(claims), refreshToken: await sign(claims) })
  const app = Fastify()
  app.post<{ Body: { email: string; password: string } }>('/v1/users/login', async ({ body }, reply) => {
    const found = await pool.query({ name: 'find', text: `${FIND} $1`, values: [body.email] })
    if (!(await verify(found.rows[0].password_hash, body.password))) return reply.code(422).send({})
    await pool.query({ name: 'enter', text: ENTER('$1'), values: [body.email] })
    return pair({ sub: found.rows[0].id, sid: body.email.replace('reader', 'bench_').split('@')[0] })
  })
  app.post<{ Body: { refreshToken: string } }>('/v1/users/refresh', async ({ body }) => {
    const { payload } = await compactVerify(body.refreshToken, publicKey)
    const claims = JSON.parse(Buffer.from(payload).toString()) as { sub: string; sid: string }
    await pool.query({ name: 'rotate', text: ROTATE('$1', '$2'), values: [claims.sid, `tok_${performance.now()}`] })
    return pair(claims)
  })
  return listen(app)
}

if (import.meta.main) {
  process.once('disconnect', () => process.exit(0))
  process.send?.(await serveBare(process.argv[2] ?? ''))
}
