import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Block = { id?: string; type: string; value?: unknown; settings?: object; label?: string; required?: boolean }

async function makeBlocks(blocks: Block[] = []) {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, { blocks })
  const put = (blocks: unknown) => shop.admin.put(product.path, { blocks })
  const read = async () => (await shop.admin.get(product.path)).body.blocks as Block[]
  return { ...shop, product, put, read }
}

const media = { id: 'pic', url: 'https://cdn.example.com/a.png', mimeType: 'image/png' }
const options = ['S', 'M', 'L']

const RIGHT: Record<string, unknown[]> = {
  TEXT: ['', 'Dishwasher safe', { en: 'Safe', 'de-CH': 'Ja', zh: '' }, {}, 'x'.repeat(100_000), '<b>kept & plain</b>'],
  NUMBER: [0, -1.5, 1e21, 1e-9, Number.MAX_SAFE_INTEGER, 5e-324, 1.7976931348623157e308],
  BOOLEAN: [true, false],
  DATE: [0, 1_700_000_000, -86_400, 253_402_300_799],
  RELATIONSHIP: ['some-id', 'prod_01jcq3v7k8f5t9x2m4n6p8r0sw'],
  GEO_LOCATION: [
    { latitude: 0, longitude: 0 },
    { latitude: -90, longitude: 180 },
    { latitude: 52.520008, longitude: 13.404954 },
  ],
  MEDIA: [media, [], [media, { ...media, id: 'two' }]],
  SELECT: ['S', 'anything', ''],
  MULTI_SELECT: [[], ['S'], ['a', 'b']],
}

const WRONG: Record<string, [value: unknown, ...complaints: string[]][]> = {
  TEXT: [
    [5, 'blocks.0.value INVALID'],
    [true, 'blocks.0.value INVALID'],
    [['a'], 'blocks.0.value INVALID'],
    [{ en: 5 }, 'blocks.0.value.en INVALID'],
    [{ en: 'ok', nope_: 'x' }, 'blocks.0.value.nope_ INVALID'],
    [{ en: { deep: 'x' } }, 'blocks.0.value.en INVALID'],
    ['x'.repeat(100_001), 'blocks.0.value TOO_LONG'],
    [{ de: 'x'.repeat(100_001) }, 'blocks.0.value.de TOO_LONG'],
  ],
  NUMBER: [
    ['5', 'blocks.0.value INVALID'],
    [[5], 'blocks.0.value INVALID'],
    [true, 'blocks.0.value INVALID'],
  ],
  BOOLEAN: [
    ['true', 'blocks.0.value INVALID'],
    [0, 'blocks.0.value INVALID'],
  ],
  DATE: [
    ['2026-01-01', 'blocks.0.value INVALID'],
    [1.5, 'blocks.0.value INVALID'],
    [1e15, 'blocks.0.value INVALID'],
  ],
  RELATIONSHIP: [
    [5, 'blocks.0.value INVALID'],
    ['a b', 'blocks.0.value INVALID'],
    ['x'.repeat(65), 'blocks.0.value TOO_LONG'],
    [{ id: 'x' }, 'blocks.0.value INVALID'],
  ],
  GEO_LOCATION: [
    [{ latitude: 1 }, 'blocks.0.value.longitude REQUIRED'],
    [{}, 'blocks.0.value.latitude REQUIRED', 'blocks.0.value.longitude REQUIRED'],
    [{ latitude: 90.1, longitude: -181 }, 'blocks.0.value.latitude INVALID', 'blocks.0.value.longitude INVALID'],
    [{ latitude: '1', longitude: 2 }, 'blocks.0.value.latitude INVALID'],
    [[1, 2], 'blocks.0.value INVALID'],
    ['1,2', 'blocks.0.value INVALID'],
  ],
  MEDIA: [
    ['https://cdn.example.com/a.png', 'blocks.0.value INVALID'],
    [{ url: media.url }, 'blocks.0.value.mimeType REQUIRED'],
    [[media, { ...media, url: 'javascript:alert(1)' }], 'blocks.0.value.1.url INVALID'],
    [[media, null], 'blocks.0.value.1 INVALID'],
    [Array.from({ length: 101 }, () => media), 'blocks.0.value INVALID'],
  ],
  SELECT: [
    [5, 'blocks.0.value INVALID'],
    [['S'], 'blocks.0.value INVALID'],
    ['x'.repeat(201), 'blocks.0.value TOO_LONG'],
  ],
  MULTI_SELECT: [
    ['S', 'blocks.0.value INVALID'],
    [['S', 5], 'blocks.0.value.1 INVALID'],
    [['S', 'M', 'S'], 'blocks.0.value.2 DUPLICATE'],
    [Array.from({ length: 501 }, (_, n) => String(n)), 'blocks.0.value INVALID'],
  ],
}

for (const [type, values] of Object.entries(RIGHT)) {
  test(`a ${type} holds what is right for it, exactly`, async () => {
    const { put, read, admin, products } = await makeBlocks()
    const blocks = [...values, null].map((value, n) => ({ id: `b${n}`, type, value }))
    const { status, body, text } = await put(blocks)
    assert.equal(status, 200, text.slice(0, 1_000))
    assert.deepEqual(body.blocks, blocks)
    assert.deepEqual(await read(), blocks)
    assert.equal((await put(await read())).status, 200)
    assert.deepEqual(await read(), blocks)
    const made = await admin.post(products, { name: 'Again', blocks: [{ id: 'none', type }, ...blocks] })
    assert.deepEqual(made.body.blocks, [{ id: 'none', type }, ...blocks])
  })
}

for (const [type, cases] of Object.entries(WRONG)) {
  test(`a ${type} refuses what is not`, async () => {
    const { put, read, admin, products } = await makeBlocks([{ id: 'kept', type: 'TEXT', value: 'kept' }])
    for (const [value, ...complaints] of cases) {
      const expected = ['422 VALIDATION_FAILED', ...complaints].join(' ')
      assert.equal(refusal(await put([{ id: 'a', type, value }])), expected)
      assert.equal(refusal(await admin.post(products, { name: 'Wrong', blocks: [{ type, value }] })), expected)
    }
    assert.deepEqual(await read(), [{ id: 'kept', type: 'TEXT', value: 'kept' }])
  })
}

test('a number without end is refused', async () => {
  const { admin, product } = await makeBlocks()
  for (const type of ['NUMBER', 'DATE']) {
    const raw = `{"blocks":[{"type":"${type}","value":1e400}]}`
    assert.equal(
      refusal(await admin.send('PUT', product.path, { raw })),
      '422 VALIDATION_FAILED blocks.0.value INVALID',
    )
  }
})

test('label, required and settings are kept; what nobody knows is not', async () => {
  const { put, read } = await makeBlocks()
  const block = {
    id: 'size',
    type: 'SELECT',
    label: 'Size',
    required: true,
    settings: { maxLength: 5, variant: 'PLAIN', targetType: 'PRODUCT', options },
    value: 'M',
  }
  await put([{ ...block, secret: 1, settings: { ...block.settings, secret: 1 } }])
  assert.deepEqual(await read(), [block])
})

test('an id is assigned where none was sent, and belongs to one block', async () => {
  const { put, read } = await makeBlocks()
  await put([{ type: 'TEXT' }, { type: 'TEXT' }, { id: 'mine', type: 'NUMBER' }])
  const ids = (await read()).map(({ id }) => id)
  assert.equal(new Set(ids).size, 3)
  assert.match(ids[0] ?? '', /^blk_[0-9a-z]{26}$/)
  const twice = await put([{ id: 'a', type: 'TEXT' }, { type: 'TEXT' }, { id: 'a', type: 'NUMBER' }])
  assert.equal(refusal(twice), '422 VALIDATION_FAILED blocks.2.id DUPLICATE')
})

test('blocks keep their order and are replaced whole', async () => {
  const { put, read } = await makeBlocks([
    { id: 'z', type: 'TEXT' },
    { id: 'a', type: 'NUMBER', value: 1 },
  ])
  assert.deepEqual(
    (await read()).map(({ id }) => id),
    ['z', 'a'],
  )
  await put([{ id: 'a', type: 'TEXT' }])
  assert.deepEqual(await read(), [{ id: 'a', type: 'TEXT' }])
  await put([])
  assert.deepEqual(await read(), [])
})

test('a required block has something in it', async () => {
  const { put } = await makeBlocks()
  const empty: [type: string, value?: unknown][] = [
    ['TEXT'],
    ['TEXT', null],
    ['TEXT', ''],
    ['TEXT', {}],
    ['TEXT', { en: '' }],
    ['MEDIA', []],
    ['MULTI_SELECT', []],
    ['NUMBER', null],
  ]
  for (const [type, value] of empty) {
    const answer = await put([{ type, required: true, value }])
    assert.equal(refusal(answer), '422 VALIDATION_FAILED blocks.0.value REQUIRED', `${type} ${JSON.stringify(value)}`)
  }
  for (const [type, value] of [
    ['BOOLEAN', false],
    ['NUMBER', 0],
    ['DATE', 0],
    ['TEXT', { en: '', de: 'Da' }],
  ]) {
    assert.equal((await put([{ type, required: true, value }])).status, 200, JSON.stringify(type))
  }
})

test('maxLength counts characters, in each locale', async () => {
  const { put } = await makeBlocks()
  const text = (value: unknown) => put([{ type: 'TEXT', settings: { maxLength: 3 }, value }])
  assert.equal((await text('🙂🙂🙂')).status, 200)
  assert.equal(refusal(await text('🙂🙂🙂🙂')), '422 VALIDATION_FAILED blocks.0.value TOO_LONG')
  assert.equal(refusal(await text({ en: 'abc', de: 'abcd' })), '422 VALIDATION_FAILED blocks.0.value.de TOO_LONG')
})

test('HTML is cleaned when it is written, and what was read can be sent back', async () => {
  const { put, read } = await makeBlocks()
  const html =
    '<p onclick="x()">Hi <script>alert(1)</script><a href="javascript:x">bad</a> <b>bold</b><iframe src="//x"></iframe></p>'
  const settings = { variant: 'HTML' }
  await put([
    { id: 'a', type: 'TEXT', settings, value: html },
    { id: 'b', type: 'TEXT', settings, value: { en: html } },
  ])
  const clean = '<p>Hi <a>bad</a> <b>bold</b></p>'
  const stored = await read()
  assert.deepEqual(
    stored.map(({ value }) => value),
    [clean, { en: clean }],
  )
  await put(stored)
  assert.deepEqual(await read(), stored)
})

test('with options, a choice is one of them', async () => {
  const { put } = await makeBlocks()
  const settings = { options }
  assert.equal((await put([{ type: 'SELECT', settings, value: 'M' }])).status, 200)
  assert.equal((await put([{ type: 'MULTI_SELECT', settings, value: ['L', 'S'] }])).status, 200)
  const wrong = await put([
    { type: 'SELECT', settings, value: 'XL' },
    { type: 'MULTI_SELECT', settings, value: ['S', 'm'] },
  ])
  assert.equal(refusal(wrong), '422 VALIDATION_FAILED blocks.0.value INVALID blocks.1.value.1 INVALID')
})

test('settings have shapes of their own', async () => {
  const { put } = await makeBlocks()
  const cases: [settings: unknown, complaint: string][] = [
    [5, 'blocks.0.settings INVALID'],
    [{ maxLength: 0 }, 'blocks.0.settings.maxLength TOO_SMALL'],
    [{ maxLength: '5' }, 'blocks.0.settings.maxLength INVALID'],
    [{ variant: 'MARKDOWN' }, 'blocks.0.settings.variant INVALID'],
    [{ targetType: 'DOG' }, 'blocks.0.settings.targetType INVALID'],
    [{ options: ['a', 'a'] }, 'blocks.0.settings.options DUPLICATE'],
    [{ options: [''] }, 'blocks.0.settings.options.0 TOO_SHORT'],
    [{ options: [5] }, 'blocks.0.settings.options.0 INVALID'],
  ]
  for (const [settings, complaint] of cases) {
    assert.equal(refusal(await put([{ type: 'TEXT', settings }])), `422 VALIDATION_FAILED ${complaint}`)
  }
})

test('media without an id gets one, alone and in a list, and loses what nobody knows', async () => {
  const { put, read } = await makeBlocks()
  const { id: _, ...bare } = media
  await put([
    { type: 'MEDIA', value: { ...bare, secret: 1 } },
    { type: 'MEDIA', value: [bare, media] },
  ])
  const [one, many] = (await read()).map(({ value }) => value) as [typeof media, (typeof media)[]]
  assert.match(one.id, /^med_/)
  assert.deepEqual(one, { id: one.id, ...bare })
  assert.deepEqual(many.slice(1), [media])
})

test('a relationship leads to a product or a person of this business, else it is refused', async () => {
  const { put, read, admin, product, products, id } = await makeBlocks()
  const other = await used.make.product(await used.make.shop())
  const gone = await used.make.product({ admin, products })
  await admin.delete(gone.path)
  const member = await used.make.member(id, 'ORDERS_READ')
  const stranger = await used.make.user()
  const to = (targetType: string, value: string) => ({ type: 'RELATIONSHIP', settings: { targetType }, value })

  const right = [to('PRODUCT', product.id), to('USER', member.id), to('USER', admin.id)]
  assert.equal((await put(right)).status, 200)
  assert.deepEqual(
    (await read()).map(({ value }) => value),
    [product.id, member.id, admin.id],
  )

  const wrong = [
    to('PRODUCT', 'prod_none'),
    ...right,
    to('PRODUCT', other.id),
    to('PRODUCT', gone.id),
    to('USER', stranger.id),
  ]
  const refused = [0, 4, 5, 6].map((n) => `blocks.${n}.value NOT_FOUND`).join(' ')
  assert.equal(refusal(await put(wrong)), `422 VALIDATION_FAILED ${refused}`)
  assert.equal(
    refusal(await admin.post(products, { name: 'Dangling', blocks: wrong })),
    `422 VALIDATION_FAILED ${refused}`,
  )
})

test('a create that is repeated with its key is answered as before, even when what it points at has gone', async () => {
  const { admin, products, product } = await makeBlocks()
  const blocks = [{ type: 'RELATIONSHIP', settings: { targetType: 'PRODUCT' }, value: product.id }]
  const create = () => admin.post(products, { name: 'Pointing', blocks }, { 'idempotency-key': 'pointing' })
  const first = await create()
  assert.equal(first.status, 201, first.text)
  await admin.delete(product.path)
  const second = await create()
  assert.deepEqual([second.status, second.text], [201, first.text])
})

test('two hundred blocks fit, each mistake among them is named, up to a hundred', async () => {
  const { put, read } = await makeBlocks()
  assert.equal(
    (await put(Array.from({ length: 200 }, (_, n) => ({ id: `b${n}`, type: 'NUMBER', value: n })))).status,
    200,
  )
  assert.equal((await read()).length, 200)
  const answer = await put(Array.from({ length: 200 }, () => ({ type: 'NUMBER', value: 'x' })))
  assert.deepEqual([answer.status, answer.body.details.length], [422, 100])
})
