import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../../dev/ports.ts'
import { OWN, openCalloutShop } from '../../support/callout-shop.ts'
import { item } from '../../support/shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], env: { OUTGOING_LOOPBACK: 'on' } })
const GUIDE = path.join(import.meta.dirname, '../../../docs/guides/callouts.md')

test('the service of the guide runs, and can be sold with', async () => {
  const [, code = ''] = /^```js\n([\s\S]*?)^```/m.exec(await readFile(GUIDE, 'utf8')) ?? []
  assert.ok(code.split('\n').length < 45, 'it is short')
  const port = await freePort(8_300)
  const url = `http://127.0.0.1:${port}/`
  for (const pricesIncludeTax of [false, true]) {
    const shop = await openCalloutShop(used.make, url, [{ ...OWN, pricesIncludeTax }])
    const secrets: Record<string, string> = {}
    for (const point of ['tax.calculate', 'shipping.rates', 'cart.validate'])
      secrets[point] = (await shop.attach(point)).secret
    const folder = await mkdtemp(path.join(tmpdir(), 'kontor-receiver-'))
    await writeFile(path.join(folder, 'receiver.mjs'), code)
    const env = { PATH: process.env.PATH, CALLOUTS_PORT: String(port), SECRETS: JSON.stringify(secrets) }
    const child = spawn(process.execPath, [path.join(folder, 'receiver.mjs')], { env, stdio: 'inherit' })
    try {
      const isUp = async () => (await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined))?.status === 401
      await until('it listens, and refuses whoever has no secret', isUp)
      for (const point of Object.keys(secrets)) {
        const { body } = await shop.admin.post(`${shop.at(point)}/test`, {})
        assert.deepEqual([body.isUsable, body.problems], [true, []])
      }
      const lamp = await shop.priced(1_190)
      const body = { items: [item(lamp)], shippingMethodId: 'post' }
      const quoted = await shop.quote(shop.guest, body)
      assert.equal(quoted.body.total, pricesIncludeTax ? 1_680 : 1_680 + 226 + 93, quoted.text)
      const { orderId } = await shop.buy(shop.guest, body)
      assert.equal((await shop.order(orderId)).total, quoted.body.total)
      const refused = await shop.quote(shop.guest, { ...body, items: [item(lamp, 101)] })
      assert.equal(refused.body.details[0].message, 'We sell 100 of it at a time.')
    } finally {
      child.kill()
      await once(child, 'exit')
      await rm(folder, { recursive: true })
    }
  }
})
