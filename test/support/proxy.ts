import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Proxy = Awaited<ReturnType<typeof startProxy>>

/** Stands between us and a database, so that a test can break the line in all the ways in which lines break. */
export async function startProxy(databaseUrl: string) {
  let target = new URL(databaseUrl)
  const pairs = new Set<[near: Socket, far: Socket]>()
  let refusing = false
  let silent = false
  let said = 0
  /** Sees what the server says; answering true cuts the connection instead of passing it on. */
  let spy: ((words: string) => boolean) | undefined

  const server = createServer((near) => {
    if (refusing) return void near.destroy()
    const far = connect(Number(target.port || 5432), target.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    if (silent) for (const socket of pair) socket.pause()
    const close = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    near.on('data', (chunk) => {
      said++
      far.write(chunk)
    })
    far.on('data', (chunk) => (spy?.(chunk.toString('latin1')) ? close() : near.write(chunk)))
    for (const socket of pair) socket.on('error', close).on('close', close)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))

  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    /** How often anything was said to the server. */
    said: () => said,
    /** Closes every connection and refuses new ones, until `restore`. */
    cut() {
      refusing = true
      for (const [near] of pairs) near.destroy()
    },
    /** Nothing passes on the connections that there are, and nobody is told; new ones are refused, until `restore`. */
    freeze() {
      refusing = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    /** As a server that was stopped: it takes connections, and answers nothing, until `restore`; then it goes on. */
    hush() {
      silent = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    restore() {
      if (silent) for (const pair of pairs) for (const socket of pair) socket.resume()
      refusing = false
      silent = false
    },
    /** From now on it leads to another server; connections to the old one are closed. */
    leadTo(databaseUrl: string) {
      target = new URL(databaseUrl)
      for (const [near] of pairs) near.destroy()
    },
    /** Cuts the connection on which the server says `text` next: it has done what it was asked, and nobody hears of it. */
    loseReplyWith(text: string) {
      return new Promise<void>((resolve) => {
        spy = (words) => {
          if (!words.includes(text)) return false
          spy = undefined
          resolve()
          return true
        }
      })
    },
    async close() {
      for (const [near] of pairs) near.destroy()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
