import { testStorage } from '../../support/storage-contract.ts'
import { openOtherStorage, openS3Storage } from '../../support/storages.ts'

testStorage('S3', openS3Storage)

// Another store: TEST_S3_ENDPOINT and the other S3_ settings, each with TEST_ in front.
if (process.env.TEST_S3_ENDPOINT) {
  const settings = Object.entries(process.env)
    .filter(([name]) => name.startsWith('TEST_S3_'))
    .map(([name, value = '']) => [name.slice('TEST_'.length), value])
  const env = { MEDIA_STORAGE: 's3', MEDIA_PUBLIC_URL: 'https://media.example.com', ...Object.fromEntries(settings) }
  testStorage(process.env.TEST_S3_ENDPOINT, async () => openOtherStorage(env as Record<string, string>))
}
