import type { S3Settings } from '../config.ts'
import { publicPathOf } from './keys.ts'
import type { S3Client } from './s3-client.ts'
import type { Storage } from './storage.ts'

/** Any store that speaks S3. Its client is loaded by the first request: most processes never send one. */
export function createS3(settings: S3Settings, publicUrl: string): Storage {
  let opened: Promise<S3Client> | undefined
  const open = () => {
    opened ??= import('./s3-client.ts').then(({ openS3 }) => openS3(settings))
    return opened
  }
  return {
    presignPut: async (...given) => (await open()).presignPut(...given),
    put: async (...given) => (await open()).put(...given),
    putLarge: async (...given) => (await open()).putLarge(...given),
    presignGet: async (...given) => (await open()).presignGet(...given),
    get: async (...given) => (await open()).get(...given),
    delete: async (...given) => (await open()).delete(...given),
    async *list(prefix) {
      yield* (await open()).list(prefix)
    },
    publicUrl: (key) => `${publicUrl}/${publicPathOf(key)}`,
    close: async () => (await opened)?.close(),
  }
}
