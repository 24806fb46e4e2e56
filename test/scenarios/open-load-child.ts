// Load from a process of its own, at a given rate or from a given number of clients. Bytes are written and read by hand: it shares
// its cores with what is measured, so it must cost little.
import net from 'node:net'

/**
 * `rate`: so many a second, whether or not they are answered. Without it each of `connections` asks again once it is answered. All
 * of them are open before it begins, as those of a balancer are.
 */
export type OpenLoad = {
  url: string
  requests: string[]
  connections: number
  ms: number
  rate?: number
  /** How long it waits in the end for what was asked in time. */
  waitMs?: number
  /** Whoever is told to come back later does so, not at once. */
  isPatient?: boolean
}
export type OpenReport = {
  seconds: number
  /** Of what was done: when it was asked, in ms since the start, and how long it took. */
  done: [at: number, ms: number, request: number][]
  refused: number
  refusedMs: number[]
  /** Refusals that do not look as they should, and answers that are neither. */
  odd: Record<string, number>
  /** Not even asked: every connection was waiting for an answer. */
  unasked: number
}

type Line = { socket: net.Socket; at: number; request: number; heard: Buffer; busy: boolean }

function bear({ url, requests, connections, ms, rate, waitMs = 2_000, isPatient }: OpenLoad): Promise<OpenReport> {
  const { hostname, port } = new URL(url)
  const report: OpenReport = { seconds: 0, done: [], refused: 0, refusedMs: [], odd: {}, unasked: 0 }
  const idle: Line[] = []
  const all = new Set<Line>()
  let start = 0
  let ended = false
  let asked = 0

  function open(): Line {
    const socket = net.connect(Number(port), hostname)
    const line: Line = { socket, at: 0, request: 0, heard: Buffer.alloc(0), busy: false }
    all.add(line)
    socket.setNoDelay(true)
    socket.on('data', (chunk) => hear(line, chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => note(String(error.code)))
    socket.on('close', () => {
      all.delete(line)
      const index = idle.indexOf(line)
      if (index !== -1) idle.splice(index, 1)
      if (!ended && line.busy) note('closed')
    })
    return line
  }
  const note = (what: string) => void (report.odd[what] = (report.odd[what] ?? 0) + 1)

  function ask(line: Line) {
    line.at = performance.now()
    line.busy = true
    line.request = asked++ % requests.length
    line.socket.write(requests[line.request] as string)
  }

  function hear(line: Line, chunk: Buffer) {
    line.heard = line.heard.length === 0 ? chunk : Buffer.concat([line.heard, chunk])
    const headEnd = line.heard.indexOf('\r\n\r\n')
    if (headEnd === -1) return
    const head = line.heard.toString('latin1', 0, headEnd)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (line.heard.length < headEnd + 4 + length) return
    const body = line.heard.toString('utf8', headEnd + 4, headEnd + 4 + length)
    line.heard = Buffer.alloc(0)
    settle(head, body, line)
    line.busy = false
    if (ended) return void line.socket.destroy()
    const seconds = isPatient ? Number(/retry-after: (\d+)/i.exec(head)?.[1] ?? 0) : 0
    if (seconds > 0) setTimeout(() => !ended && ask(line), seconds * 1_000 * (0.75 + Math.random() / 2))
    else if (rate === undefined) ask(line)
    else idle.push(line)
  }

  function settle(head: string, body: string, { at, request }: Line) {
    const took = performance.now() - at
    const status = head.slice(9, 12)
    if (status.startsWith('2')) report.done.push([at - start, took, request])
    else if (
      status === '503' &&
      /retry-after: [1-9]/i.test(head) &&
      body.startsWith('{"error":"UNAVAILABLE","message":"')
    ) {
      report.refused++
      report.refusedMs.push(took)
    } else note(`${status} ${body.slice(0, 60)}`)
  }

  async function openAll() {
    for (let count = 0; count < connections; count++) {
      const line = open()
      await new Promise<void>((resolve) => void line.socket.once('connect', resolve).once('error', () => resolve()))
      idle.push(line)
    }
  }

  return openAll().then(
    () =>
      new Promise((resolve) => {
        start = performance.now()
        if (rate === undefined) for (const line of idle.splice(0)) ask(line)
        let due = 0
        let since = start
        const timer = setInterval(() => {
          const time = performance.now()
          due += ((time - since) * (rate ?? 0)) / 1000
          since = time
          for (; due >= 1; due--) {
            const line = idle.pop()
            if (line) ask(line)
            else report.unasked++
          }
          if (time - start < ms) return
          clearInterval(timer)
          ended = true
          report.seconds = (time - start) / 1000
          // What was asked in time may still be answered.
          setTimeout(() => {
            for (const line of all) {
              if (line.busy) note('no answer')
              line.socket.destroy()
            }
            resolve(report)
          }, waitMs)
        }, 2)
      }),
  )
}

process.on('message', (load: OpenLoad) => void bear(load).then((report) => process.send?.(report)))
process.once('disconnect', () => process.exit(0))
