import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nowMs } from '../clock.ts'
import type { S3Settings } from '../config.ts'
import { storageOrigins } from './origins.ts'
import { openS3 } from './s3-client.ts'

const s3 = (settings: Partial<S3Settings>): S3Settings => ({
  kind: 's3',
  endpoint: undefined,
  region: 'eu-central-1',
  bucket: 'harbour',
  accessKeyId: 'id',
  secretAccessKey: 'secret',
  forcePathStyle: false,
  ...settings,
})

const KINDS: [string, S3Settings][] = [
  ['Amazon, the bucket in the host', s3({})],
  ['Amazon, a bucket with a dot', s3({ bucket: 'files.harbour' })],
  ['Amazon in China', s3({ region: 'cn-north-1' })],
  ['another store, the bucket in the path', s3({ endpoint: 'https://s3.example.com', forcePathStyle: true })],
  ['another store, the bucket in the host', s3({ endpoint: 'https://s3.example.com:9000' })],
]

for (const [name, storage] of KINDS) {
  test(`uploads go to the origin that the page may talk to: ${name}`, async () => {
    const store = openS3(storage)
    const about = { mimeType: 'image/png', size: 1, sha256: '00'.repeat(32) }
    const { url } = await store.presignPut('incoming/biz/med', about, new Date(nowMs() + 60_000))
    await store.close()
    const media = { storage, publicUrl: 'https://media.example.com/public', quotaBytes: 1 }
    assert.deepEqual(storageOrigins(media), { uploads: [new URL(url).origin], files: ['https://media.example.com'] })
  })
}

test('a folder takes uploads at our own address', () => {
  const storage = { kind: 'folder' as const, path: '/var/lib/media' }
  assert.deepEqual(storageOrigins({ storage, publicUrl: 'http://127.0.0.1:3000/media', quotaBytes: 1 }), {
    uploads: [],
    files: ['http://127.0.0.1:3000'],
  })
  assert.deepEqual(storageOrigins(undefined), { uploads: [], files: [] })
})
