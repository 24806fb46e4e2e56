import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../support/client.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('without a store, uploads are told so, no file is found, and health says that there is none', async () => {
  const anybody = createClient(used.api.url)
  const query = `key=incoming/a/b&mimeType=image/png&size=1&sha256=${'ab'.repeat(32)}&expiresAt=1&signature=x`
  const upload = await anybody.send('PUT', `/v1/media-uploads?${query}`, {
    raw: 'x',
    headers: { 'content-type': 'image/png' },
  })
  assert.deepEqual([upload.status, upload.body.error], [503, 'PROVIDER_NOT_CONFIGURED'])
  assert.equal((await anybody.get('/media/a/b/c')).status, 404)
  assert.equal((await anybody.get('/readyz')).body.providers.media, false)
})
