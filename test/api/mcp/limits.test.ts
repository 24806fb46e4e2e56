import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool, connectMcp } from '../../support/mcp.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ env: { RATE_LIMITS: 'on', LIMIT_KEY_PER_MINUTE: '20' } })

test('a call of a tool counts once for the key, like any request', async () => {
  const { admin, id, path } = await used.make.business()
  const { value, get } = await used.make.apiKey(admin.id)
  const left = async () => Number((await get(path)).headers.get('x-ratelimit-remaining'))
  const client = await connectMcp(used.api.url, value)
  const before = await left()
  for (let call = 0; call < 3; call++) assert.ok(!(await callTool(client, 'getBusiness', { businessId: id })).isError)
  assert.equal(before - (await left()), 3 + 1) // and the one that asks how many are left
  await client.close()
})

test('a call above the limit of the key is refused', async () => {
  const { admin, id } = await used.make.business()
  const { value } = await used.make.apiKey(admin.id)
  const client = await connectMcp(used.api.url, value)
  const answers: { isError: boolean; text: string }[] = []
  const failed: unknown[] = []
  for (let call = 0; call < 21; call++)
    await callTool(client, 'getBusiness', { businessId: id }).then(
      (answer) => answers.push(answer),
      (error: unknown) => failed.push(error),
    )
  assert.ok(answers.filter(({ isError }) => !isError).length < 20)
  assert.ok(failed.length > 0 || answers.some(({ text }) => /429 RATE_LIMITED/.test(text)))
  await client.close()
})
