// Answers as many requests a second as it is told to, and does nothing for them: what is left of a load when nobody works for it.
import http from 'node:http'
import type { AddressInfo } from 'node:net'

const STEP_MS = 5
const BODY = '{"error":"UNAVAILABLE","message":"There is more to do than we can right now."}'
const HEAD = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY), 'retry-after': '1' }

const waiting: http.ServerResponse[] = []
let perSecond = 0
let due = 0

const server = http.createServer((request, response) => {
  request.resume()
  waiting.push(response)
})
setInterval(() => {
  due = Math.min(due + (perSecond * STEP_MS) / 1_000, perSecond)
  for (; due >= 1 && waiting.length > 0; due--) waiting.shift()?.writeHead(503, HEAD).end(BODY)
}, STEP_MS)
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('message', (rate: number) => {
  perSecond = rate
})
process.once('disconnect', () => process.exit(0))
