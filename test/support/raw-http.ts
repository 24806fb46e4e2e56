import net from 'node:net'

export type RawAnswer = { status: number; headers: Headers; text: string }

/**
 * One TCP connection on which a test writes the bytes itself, for what `fetch` refuses to send or hides. `read` answers the
 * next response, and fails when the connection is reset or ends before it is complete.
 */
export async function openRaw(url: string) {
  const { hostname, port } = new URL(url)
  const socket = net.connect({ host: hostname, port: Number(port) })
  socket.setNoDelay(true)
  let received = Buffer.alloc(0)
  let failure: Error | undefined
  let wake = () => {}
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  socket.on('error', (error) => {
    failure = error
    wake()
  })
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      failure ??= new Error('The connection has ended.')
      wake()
      resolve()
    })
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })

  function take(): RawAnswer | undefined {
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd === -1) return undefined
    const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
    const headers = new Headers(lines.map((line) => splitOnce(line)))
    const bodyEnd = headEnd + 4 + Number(headers.get('content-length') ?? 0)
    if (received.length < bodyEnd) return undefined
    const text = received.subarray(headEnd + 4, bodyEnd).toString()
    received = received.subarray(bodyEnd)
    return { status: Number(statusLine.split(' ')[1]), headers, text }
  }

  return {
    socket,
    closed,
    write: (bytes: string | Uint8Array) => void socket.write(bytes),
    async read(): Promise<RawAnswer> {
      for (;;) {
        const answer = take()
        if (answer) return answer
        if (failure) throw failure
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
    },
    destroy: () => socket.destroy(),
  }
}

const splitOnce = (line: string): [string, string] => {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}
