import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { runCli } from '../../support/cli.ts'
import type { Make } from '../../support/make.ts'
import { callTool, namesOf } from '../../support/mcp.ts'
import { PACKED_FLAGS } from '../../support/packed.ts'
import { useWorld } from '../../support/world.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
let shop: Awaited<ReturnType<Make['shop']>>
let key: string
const used = useWorld({}, async ({ make }) => {
  shop = await make.shop()
  key = (await make.apiKey(shop.admin.id)).value
})
const open: Client[] = []
after(() => Promise.all(open.map((client) => client.close())))

/** As a client starts it from its settings. */
async function start(...flags: string[]) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...PACKED_FLAGS, 'bin/kontor.js', 'cli', 'mcp', ...flags],
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'test',
      DATABASE_URL: 'postgres://nowhere/x',
      KONTOR_URL: used.api.url,
      KONTOR_API_KEY: key,
    },
    stderr: 'pipe',
  })
  await client.connect(transport)
  open.push(client)
  return client
}

test('a program that is started speaks for the key, and only reads', async () => {
  const client = await start('--tags', 'products,promo-codes')
  const names = await namesOf(client)
  assert.ok(names.includes('listProducts') && !names.includes('createProduct') && !names.includes('listOrders'))
  assert.match(client.getInstructions() ?? '', /Only tools that read are offered/)
  const product = await used.make.product(shop)
  const { first } = await callTool(client, 'getProduct', { businessId: shop.id, id: product.id })
  assert.equal(JSON.parse(first).name, product.name)
  const refused = await callTool(client, 'deleteProduct', { businessId: shop.id, id: product.id })
  assert.ok(refused.isError)
})

test('with --write and --business it changes that business', async () => {
  const client = await start('--write', '--business', shop.id)
  const { isError, first } = await callTool(client, 'createProduct', { body: { name: 'Lamp' } })
  assert.equal(isError, false, first)
  assert.equal((await shop.admin.get(`${shop.products}/${JSON.parse(first).id}`)).body.name, 'Lamp')
})

test('a wrong key, no key and a service that is away end it with a sentence', async () => {
  const wrong = await runCli(['mcp'], { KONTOR_URL: used.api.url, KONTOR_API_KEY: 'kontor_wrong' })
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /cannot be used: This token or key is not valid/)
  const none = await runCli(['mcp'], { KONTOR_URL: used.api.url })
  assert.equal(none.code, 2)
  assert.match(none.err, /Set KONTOR_API_KEY/)
  const away = await runCli(['mcp'], { KONTOR_URL: 'http://127.0.0.1:1', KONTOR_API_KEY: key })
  assert.equal(away.code, 1)
  assert.match(away.err, /http:\/\/127\.0\.0\.1:1 cannot be used/)
  assert.equal(wrong.out + none.out + away.out, '')
})
