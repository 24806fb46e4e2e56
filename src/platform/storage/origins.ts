import type { Config, S3Settings } from '../config.ts'

/** Whom a page talks to that shows files and uploads them. Our own address is among them where the store is a folder. */
export function storageOrigins(media: Config['media']): { uploads: string[]; files: string[] } {
  if (!media) return { uploads: [], files: [] }
  const { storage, publicUrl } = media
  return { uploads: storage.kind === 's3' ? [s3Origin(storage)] : [], files: [new URL(publicUrl).origin] }
}

/** As the client builds its addresses: the bucket is part of the host where it can be. */
function s3Origin({ endpoint, region, bucket, forcePathStyle }: S3Settings): string {
  const ending = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const { protocol, host, origin } = new URL(endpoint ?? `https://s3.${region}.${ending}`)
  // A certificate for *.host does not cover a name with a dot in it.
  const isPath = forcePathStyle || (protocol === 'https:' && bucket.includes('.'))
  return isPath ? origin : `${protocol}//${bucket}.${host}`
}
