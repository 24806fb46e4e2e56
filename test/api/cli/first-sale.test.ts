import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Check } from 'typebox/value'
import { Market } from '#modules/access/schemas.ts'
import { MARKET_PRESETS } from '../../../src/apps/cli/market-presets.ts'
import { runCli } from '../../support/cli.ts'
import { createClient } from '../../support/client.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const cli = (...args: string[]) => runCli(args, used.api.databases.env)
const withKey = (value: string) => createClient(used.api.url, { 'x-api-key': value })

describe('from the command line to the first sale', { concurrency: 2 }, () => {
  test('a key is made for somebody, printed once, and works', async () => {
    const { email = '', id } = await used.make.user()
    const made = await cli('keys', 'create', '--user', email, '--name', 'Import', '--json')
    assert.equal(made.code, 0, made.err)
    const { value } = made.json as { value: string }
    const limits = { businessId: null, permissions: null, expiresAt: null }
    assert.deepEqual(made.json, { id: made.json.id, userId: id, name: 'Import', ...limits, value })
    const { body } = await withKey(value).get('/v1/users/me')
    assert.equal(body.id, id)
    assert.deepEqual(body.apiTokens, [
      { id: made.json.id, name: 'Import', value: `••••${value.slice(-4)}`, provider: 'API' },
    ])

    const second = await cli('keys', 'create', '--user', email)
    assert.match(second.out, /^kontor_[0-9A-Za-z]{46}\n$/)
    assert.match(second.err, /only time/)
    assert.equal((await withKey(second.out.trim()).get('/v1/users/me')).body.apiTokens.length, 2)
  })

  test('a key can be bound to one business, by its id or its slug', async () => {
    const here = await used.make.business()
    const there = await used.make.business()
    const { email = '' } = here.admin
    for (const name of [here.id, here.slug]) {
      const made = await cli('keys', 'create', '--user', email, '--business', name, '--json')
      assert.equal(made.code, 0, made.err)
      assert.equal(made.json.businessId, here.id)
      const key = withKey(made.json.value)
      assert.equal((await key.get(`${here.path}/roles`)).status, 200)
      assert.equal((await key.get(`${there.path}/roles`)).status, 403)
    }
  })

  test('a key for nobody, for no business, or without a name of its own is refused in a line', async () => {
    const { email = '' } = await used.make.user()
    const [nobody, nowhere, nameless, none] = await Promise.all([
      cli('keys', 'create', '--user', 'nobody@example.com'),
      cli('keys', 'create', '--user', email, '--business', 'no-such-shop'),
      cli('keys', 'create', '--user', email, '--name', ' '),
      cli('keys', 'create'),
    ])
    assert.deepEqual([nobody.code, nowhere.code, nameless.code, none.code], [1, 1, 2, 2])
    assert.match(nobody.err, /^Nobody has a confirmed account with the address nobody@example\.com\./)
    assert.match(nowhere.err, /^Business no-such-shop not found\. /)
  })

  test('a business can begin with markets that are ready to sell in', async () => {
    const { email = '', ...owner } = await used.make.user()
    const args = ['business', 'create', '--name', 'Harbour Goods', '--owner', email]
    const made = await cli(...args, '--market', 'us', '--market', 'de', '--market', 'us', '--json')
    assert.equal(made.code, 0, made.err)
    assert.deepEqual(made.json.markets, ['us', 'de'])
    const { body } = await owner.get(`/v1/businesses/${made.json.id}`)
    assert.deepEqual(
      body.markets.map(({ id, currency }: { id: string; currency: string }) => [id, currency]),
      [
        ['us', 'USD'],
        ['de', 'EUR'],
      ],
    )
    const unknown = await cli(...args, '--market', 'atlantis')
    assert.equal(unknown.code, 2)
    assert.match(unknown.err, /^Unknown market preset atlantis\. Available: us, /)
  })

  test('every market to begin with is one that the API takes, and can be shipped to', () => {
    for (const market of MARKET_PRESETS) {
      assert.ok(Check(Market, market), market.id)
      assert.ok(market.shippingMethods.length > 0 && market.paymentMethods.length > 0, market.id)
    }
    const ids = MARKET_PRESETS.map(({ id }) => id)
    assert.deepEqual(ids, [...new Set(ids)])
  })
})
