import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import {
  createConnection,
  NODEMAILER_VERSION,
  readSmtpUrl,
  type SmtpError,
  wantsContent,
} from './nodemailer-internals.ts'

test('nodemailer is the version whose inner parts were looked at', () => {
  const { version } = JSON.parse(readFileSync('node_modules/nodemailer/package.json', 'utf8')) as { version: string }
  assert.equal(
    version,
    NODEMAILER_VERSION,
    'read nodemailer-internals.ts beside its changes, then change the number there',
  )
})

test('it reads an SMTP URL', () => {
  const { host, port, secure, auth } = readSmtpUrl('smtps://ada:secret@mail.example.com:465')
  assert.deepEqual({ host, port, secure }, { host: 'mail.example.com', port: 465, secure: true })
  assert.deepEqual({ ...auth }, { user: 'ada', pass: 'secret' })
})

/** An SMTP server that replies with these lines, one to each command. */
async function listen(...answers: string[]) {
  const server = createServer((socket) => {
    const say = () => socket.write(`${answers.shift() ?? '221 bye'}\r\n`)
    say()
    socket.on('data', say).on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port, close: () => server.close() }
}

test('its connection has what is used of it, and its errors have the codes that are read', async () => {
  const server = await listen('220 hello', '250 hello', '250 sender', '550 5.1.1 nobody of that name')
  const connection = createConnection({ host: '127.0.0.1', port: server.port, ignoreTLS: true })
  connection.on('error', () => {})
  await new Promise<void>((resolve) => connection.connect(() => resolve()))
  assert.equal(connection.destroyed, false)
  assert.equal(connection.allowsAuth, false)
  assert.equal(connection.lastServerResponse, '250 hello')
  assert.equal(wantsContent(connection), false)

  const envelope = { from: 'a@example.com', to: ['b@example.com'] }
  const error = await new Promise<SmtpError>((resolve) =>
    connection.send(envelope, 'text', (failed: unknown) => resolve(failed as SmtpError)),
  )
  assert.equal(error.code, 'EENVELOPE')
  assert.equal(error.responseCode, 550)
  assert.equal(error.command, 'RCPT TO')
  connection.close()
  assert.equal(connection.destroyed, true)
  server.close()
})
