import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Where the server is in its talk with a client. CONTENT: the first of it came. END: all came. TAKEN: it is accepted. */
export const STAGES = ['GREETING', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'CONTENT', 'END', 'TAKEN', 'RSET'] as const
export type Stage = (typeof STAGES)[number]

/** What it does instead of the usual. `say` alone is another answer; DROP hangs up, after `say` if there is any. */
export type Mood = { delayMs?: number; say?: string; and?: 'DROP' | 'STALL' | 'TRICKLE' }
export type Manners = (stage: Stage, client: { connection: number; recipient: string }) => Mood | undefined

export type Mail = { id: string; from: string; recipients: string[]; content: string }

const USUAL: Record<Stage, string> = {
  GREETING: '220 rough.example ESMTP',
  EHLO: '250-rough.example\r\n250-8BITMIME\r\n250 SMTPUTF8',
  AUTH: '235 2.7.0 Welcome',
  MAIL: '250 2.1.0 Sender fine',
  RCPT: '250 2.1.5 Recipient fine',
  DATA: '354 Go on',
  CONTENT: '',
  END: '',
  TAKEN: '250 2.0.0 Taken',
  RSET: '250 2.0.0 Forgotten',
}

/** An SMTP server on loopback that behaves as badly as it is told to, and remembers what it took. */
export async function openRoughServer({ pipelining = false, auth = false, maxConnections = 1_000 } = {}) {
  const taken: Mail[] = []
  const sockets = new Set<Socket>()
  let manners: Manners = () => undefined
  let connections = 0

  const server = createServer((socket) => {
    const connection = ++connections
    sockets.add(socket.setNoDelay(true))
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    if (sockets.size > maxConnections) return void socket.end('421 4.7.0 Too many connections\r\n')
    serve(socket, connection).catch((error: unknown) => socket.destroy(error as Error))
  })

  async function serve(socket: Socket, connection: number) {
    let [sender, recipients] = ['', [] as string[]]
    const input = readerOf(socket)
    /** Does what its mood is, and says whether things then go on as usual. */
    async function at(stage: Stage): Promise<boolean> {
      const mood = manners(stage, { connection, recipient: recipients[0] ?? '' }) ?? {}
      if (mood.delayMs) await sleep(mood.delayMs)
      if (mood.and === 'STALL') return new Promise(() => {})
      const words = mood.say ?? USUAL[stage]
      if (mood.and === 'DROP') {
        if (mood.say) socket.end(`${mood.say}\r\n`)
        else socket.destroy()
        return new Promise(() => {})
      }
      const extensions = `${pipelining ? '250-PIPELINING\r\n' : ''}${auth ? '250-AUTH PLAIN\r\n' : ''}`
      const text = stage === 'EHLO' ? words.replace('250-8BITMIME', `${extensions}250-8BITMIME`) : words
      if (text && mood.and === 'TRICKLE') await trickle(socket, `${text}\r\n`)
      else if (text) socket.write(`${text}\r\n`)
      return mood.say === undefined || /^[23]/.test(mood.say)
    }

    if (!(await at('GREETING'))) return
    for (;;) {
      const line = await input.line()
      if (line === undefined) return
      const argument = /<([^>]*)>/.exec(line)?.[1] ?? ''
      const command = line.slice(0, 4).toUpperCase()
      if (command === 'QUIT') return void socket.end('221 Bye\r\n')
      else if (command === 'EHLO' || command === 'HELO') await at('EHLO')
      else if (command === 'AUTH') await at('AUTH')
      else if (command === 'RSET') {
        ;[sender, recipients] = ['', []]
        await at('RSET')
      } else if (command === 'MAIL') {
        ;[sender, recipients] = ['', []]
        if (await at('MAIL')) sender = argument
      } else if (command === 'RCPT') {
        recipients = [argument]
        if (!sender) socket.write('503 5.5.1 No sender\r\n')
        if (!sender || !(await at('RCPT'))) recipients = []
      } else if (command === 'DATA') {
        if (recipients.length === 0) socket.write('554 5.5.1 No valid recipients\r\n')
        else if (await at('DATA')) {
          await input.some()
          const early = !(await at('CONTENT'))
          const content = await input.content()
          if (content === undefined) return
          // An answer at END is a refusal: it has all of the message, and does not want it.
          if (!early && (await at('END'))) {
            taken.push({ id: /^message-id: *(\S+)/im.exec(content)?.[1] ?? '', from: sender, recipients, content })
            await at('TAKEN')
          }
          ;[sender, recipients] = ['', []]
        }
      } else socket.write('502 5.5.2 What?\r\n')
    }
  }

  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://${auth ? 'ada:secret@' : ''}127.0.0.1:${port}`,
    taken,
    /** How often it took the message with that id. */
    timesTaken: (id: string) => taken.filter((mail) => mail.id === id).length,
    connections: () => connections,
    open: () => sockets.size,
    behave(next: Manners) {
      manners = next
    },
    /** Hangs up on everybody, as a restart does. */
    hangUp() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

/** Mischief in `share` of the stages, the same for the same seed. */
export function mischief(seed: number, share: number): Manners {
  let state = seed
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  const moods: (() => Mood)[] = [
    () => ({ and: 'DROP' }),
    () => ({ and: 'DROP' }),
    () => ({ say: '451 4.3.0 Not now' }),
    () => ({ say: '550 5.1.1 Never' }),
    () => ({ say: '421 4.3.2 Closing', and: 'DROP' }),
    () => ({ delayMs: random() * 300 }),
    () => ({ and: random() < 0.2 ? 'STALL' : 'TRICKLE' }),
  ]
  return (stage) => {
    if (random() >= share) return undefined
    const mood = moods[Math.floor(random() * moods.length)]?.()
    // What it has taken it cannot refuse any more; it can only fail to say so, or hang up after it said so.
    if (stage === 'TAKEN' && mood?.say) return { say: USUAL.TAKEN, and: 'DROP' }
    return mood
  }
}

async function trickle(socket: Socket, text: string) {
  for (const character of text) {
    if (socket.destroyed) return
    socket.write(character)
    await sleep(20)
  }
}

/** Reads lines, then content up to the lonely dot, as bytes in a string. Undefined: the client is gone. */
function readerOf(socket: Socket) {
  const chunks: Buffer[] = []
  let isOver = false
  let wake = () => {}
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    wake()
  })
  for (const event of ['end', 'close'] as const) {
    socket.on(event, () => {
      isOver = true
      wake()
    })
  }
  let text = ''
  async function upTo(mark: string): Promise<string | undefined> {
    for (;;) {
      text += Buffer.concat(chunks.splice(0)).toString('latin1')
      const end = text.indexOf(mark)
      if (end >= 0) {
        const found = text.slice(0, end)
        text = text.slice(end + mark.length)
        return found
      }
      if (isOver) return undefined
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return {
    line: () => upTo('\r\n'),
    async some() {
      while (text === '' && chunks.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    content: async () => (await upTo('\r\n.\r\n'))?.replace(/^\.\./gm, '.'),
  }
}
