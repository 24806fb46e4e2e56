import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import S3rver from '@20minutes/s3rver'

export type S3Twin = Awaited<ReturnType<typeof startS3Twin>>

const BUCKET = 'media'
/** The one account that s3rver knows. */
const ACCOUNT = 'S3RVER'

/** Pages of any origin may upload. */
const CORS = `<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>PUT</AllowedMethod><AllowedHeader>*</AllowedHeader></CORSRule></CORSConfiguration>`

/** A store on loopback that speaks S3 and checks signatures. Its files are gone when it ends. */
export async function startS3Twin({ port = 0 }: { port?: number } = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'kontor-s3-'))
  const store = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET, configs: [CORS] }],
  })
  await store.configureBuckets()
  const answer = store.callback()
  const server = createServer((request, response) => {
    // The real ones refuse it; s3rver lets it in.
    if (!isSigned(request)) return void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
    // s3rver leaves out the slash after the bucket when it checks a signature, and would refuse every list.
    if (isList(request)) delete request.headers.authorization
    answer(request, response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    /** The settings of a service that uses it. */
    env: {
      MEDIA_STORAGE: 's3',
      MEDIA_PUBLIC_URL: `${url}/${BUCKET}/public`,
      S3_ENDPOINT: url,
      S3_REGION: 'us-east-1',
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: ACCOUNT,
      S3_SECRET_ACCESS_KEY: ACCOUNT,
    },
    async close() {
      server.close()
      server.closeAllConnections()
      store.logger.exceptions.unhandle()
      store.logger.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const isSigned = ({ headers, url = '', method }: IncomingMessage) =>
  method === 'OPTIONS' || headers.authorization !== undefined || url.includes('X-Amz-Signature=')

const isList = ({ method, url = '' }: IncomingMessage) => method === 'GET' && /^\/[^/?]+\/?\?.*list-type=2/.test(url)
