import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nowMs } from '../clock.ts'
import { openS3 } from './s3-client.ts'

const settings = {
  kind: 's3' as const,
  endpoint: 'https://s3.example.com',
  region: 'eu-central-1',
  bucket: 'media',
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: 'never shown',
  forcePathStyle: true,
}
const sha256 = 'ab'.repeat(32)
const sign = (changes: Partial<typeof settings> = {}) =>
  openS3({ ...settings, ...changes }).presignPut(
    'incoming/biz_1/med_1',
    { mimeType: 'image/png', size: 1_234, sha256 },
    new Date(nowMs() + 600_500),
  )

test('an upload address signs length, type and hash as headers that have to be sent', async () => {
  const { url, headers } = await sign()
  const { origin, pathname, searchParams } = new URL(url)
  assert.equal(origin + pathname, 'https://s3.example.com/media/incoming/biz_1/med_1')
  assert.equal(searchParams.get('X-Amz-SignedHeaders'), 'content-length;content-type;host;x-amz-checksum-sha256')
  assert.equal(searchParams.get('X-Amz-Expires'), '600')
  const checksum = Buffer.from(sha256, 'hex').toString('base64')
  assert.deepEqual(headers, { 'content-type': 'image/png', 'x-amz-checksum-sha256': checksum })
  assert.ok(!url.includes('never'))
})

// The SDK would put the CRC32 of an empty body into it, and Amazon would then refuse every other one.
test('an upload address holds no checksum of a body that nobody has seen', async () => {
  assert.doesNotMatch((await sign()).url, /x-amz-checksum-crc32|x-amz-sdk-checksum/i)
})

test('without path style the bucket is part of the host', async () => {
  assert.equal(new URL((await sign({ forcePathStyle: false })).url).host, 'media.s3.example.com')
})
