import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before } from 'node:test'

type Line = { id: string; totalPrice: number; discount: number; quantity: number }
export type Asked = {
  point: string
  businessId: string
  requestId: string
  currency: string
  pricesIncludeTax: boolean
  customerId: string
  shippingAddress: { country: string } | null
  shippingMethodId: string | null
  shipping: number
  discount: number
  lines: Line[]
}
type Reply = object | ((asked: Asked, response: ServerResponse) => unknown)

const BPS = 2_000

/** 20 % of everything, each line rounded down: other figures than our own rates would give. */
export function taxes({ lines, shipping, pricesIncludeTax: included }: Asked) {
  const of = (price: number) => Math.floor((price * BPS) / (included ? 10_000 + BPS : 10_000))
  const taxed = lines.map(({ id, totalPrice, discount }) => ({ id, taxBps: BPS, tax: of(totalPrice - discount) }))
  const shippingTax = of(shipping)
  const amount = taxed.reduce((sum, { tax }) => sum + tax, shippingTax)
  const whole = lines.reduce((sum, { totalPrice, discount }) => sum + totalPrice - discount, shipping)
  const base = included ? whole - amount : whole
  return { lines: taxed, shippingTax, taxes: [{ taxBps: BPS, taxClasses: ['standard'], base, amount, included }] }
}
export const RATES = {
  rates: [
    { id: 'slow-boat', name: 'Slow boat', price: 310 },
    { id: 'express', name: 'Express', price: 1_290 },
  ],
}
export const VALID = { isValid: true, problems: [] }
const HONEST: Record<string, Reply> = { 'tax.calculate': taxes, 'shipping.rates': RATES, 'cart.validate': VALID }

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** A service of a shop, on a real port. Honest unless `answers` says otherwise for a point. */
export async function startReceiver() {
  const asked: { body: Asked; text: string; headers: IncomingHttpHeaders }[] = []
  const answers = new Map<string, Reply>()
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body = JSON.parse(text) as Asked
    asked.push({ body, text, headers: request.headers })
    const reply = answers.get(body.point) ?? HONEST[body.point] ?? {}
    const said = typeof reply === 'function' ? await reply(body, response) : reply
    if (said !== undefined && !response.headersSent)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kontor`
  return {
    url,
    asked,
    answers,
    pointsAsked: () => asked.map(({ body }) => body.point),
    forget() {
      asked.length = 0
      answers.clear()
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** One for all tests of a file. */
export function useReceiver(): Receiver {
  const used = {} as Receiver
  before(async () => void Object.assign(used, await startReceiver()))
  after(() => used.close())
  return used
}

/** As a receiver checks it, by the text of Standard Webhooks. */
export function isSigned({ headers, text }: { headers: IncomingHttpHeaders; text: string }, secret: string): boolean {
  const content = [headers['webhook-id'], headers['webhook-timestamp'], text].join('.')
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
