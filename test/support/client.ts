export type Answer = {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of a body is for the test to say
  body: any
  text: string
  headers: Headers
}

export type RequestOptions = { headers?: Record<string, string>; body?: unknown; raw?: string; method?: string }

/** Speaks JSON to the API as one caller. */
export function createClient(url: string, credentials: Record<string, string> = {}) {
  async function send(method: string, path: string, { headers = {}, body, raw }: RequestOptions = {}): Promise<Answer> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(url + path, {
      method,
      headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...credentials, ...headers },
      ...(payload === undefined ? {} : { body: payload }),
    })
    const text = await response.text()
    return { status: response.status, text, body: parse(text), headers: response.headers }
  }
  return {
    send,
    get: (path: string, headers?: Record<string, string>) => send('GET', path, { headers: headers ?? {} }),
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      send('POST', path, { body, headers: headers ?? {} }),
    put: (path: string, body: unknown, headers?: Record<string, string>) =>
      send('PUT', path, { body, headers: headers ?? {} }),
    delete: (path: string, headers?: Record<string, string>) => send('DELETE', path, { headers: headers ?? {} }),
  }
}

export type Client = ReturnType<typeof createClient>

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
